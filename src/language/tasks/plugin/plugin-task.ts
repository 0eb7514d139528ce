import type { Place } from '../../../base/document/placed-value.js';
import { describeType, identifier, ifDefined } from '../../../base/document/read-fields.js';
import { part, shape } from '../../../base/document/schema-builders.js';
import { copy, emptyObject, isObject, type Json, type JsonObject, own } from '../../../base/json/value.js';
import { type Problem, ProblemError, problem, refuse } from '../../../base/problems/problem.js';
import { timeless } from '../../../base/time/time-scale.js';
import type { Expression, Task } from '../../../engine/definition/definition.js';
import { maxLocalActivityMs } from '../../../engine/host.js';
import type { TaskRunner } from '../../../engine/runner-interfaces.js';
import type { TaskEffect, TaskHost } from '../../../engine/task-host.js';
import { localActivity, ordinaryActivity } from '../../analysis/cost/cost-counters.js';
import type { GraphReading, TaskReader } from '../../read/document-reading-state.js';
import { hasMapper, mapper, siteIn } from '../../read/read-expressions-and-mappers.js';
import { template } from '../../read/read-templates.js';
import { variable, writing } from '../../states/context-reads-and-writes.js';
import type { HttpRequest } from '../http-call/request-and-result-types.js';
import { none, type Reply, type ScriptedCall, type TaskBehaviour, type VirtualWorld } from '../task-kind.js';
import type { Plugin, PluginField, PluginProblem } from './plugin-interface.js';

/** The kind of all plugin tasks in their normal form. Documents cannot use it, because it does not match `<type>:v<n>`. */
export const pluginKind = 'plugin';

/** A plugin's task, normalised. It contains everything that the run needs, so that no plugin code runs in a workflow. */
export interface PluginTask extends Task {
  kind: typeof pluginKind;
  plugin: string;
  fields: Record<string, { text: string } | { mapper: Expression } | { json: Json }>;
  uses: ('context' | 'platform')[];
  resultVar?: string;
  safe: boolean;
  timeoutMs: number;
}

/** Reads tasks as a plugin describes them. */
export function pluginReader(plugin: Plugin): TaskReader {
  const { kind, description, fields = {}, result = 'optional', uses = [], safe = false, timeoutMs = 10_000 } = plugin;
  const required = Object.keys(fields).filter((name) => fields[name]!.required);
  const schema = shape(
    description,
    {
      kind: { const: kind },
      ...Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, fieldSchema(field)])),
      ...(result !== 'none' && { resultVar: part('identifier') }),
    } as Record<string, Json>,
    ['kind', ...required, ...(result === 'required' ? ['resultVar'] : [])],
  );
  return {
    kind,
    isExtension: false,
    schema,
    read(block, within): PluginTask {
      const read: PluginTask['fields'] = Object.create(null);
      for (const [name, field] of Object.entries(fields)) {
        const value = readField(block, name, field, within);
        if (value) read[name] = value;
      }
      if (result === 'required' && !block.has('resultVar'))
        block.error('FIELD_REQUIRED', `${kind} needs resultVar.`, undefined, 'key');
      const resultVar = block.has('resultVar') ? identifier(block.at('resultVar'), 'resultVar') : undefined;
      return {
        kind: pluginKind,
        plugin: kind,
        fields: read,
        uses: [...uses],
        ...ifDefined('resultVar', resultVar),
        safe,
        timeoutMs,
      };
    },
  };
}

function fieldSchema({ type, description }: PluginField): JsonObject {
  if (type === 'mapper') return part('mapperHolder', description);
  if (type === 'json') return { description };
  return { type: type === 'template' || type === 'text' ? 'string' : type, description };
}

function readField(
  block: Place,
  name: string,
  { type, required }: PluginField,
  within: GraphReading,
): PluginTask['fields'][string] | undefined {
  const place = block.at(name);
  const { value } = place;
  if (value === undefined) {
    if (required) block.error('FIELD_REQUIRED', `The task needs ${name}.`, undefined, 'key');
    return undefined;
  }
  if (type === 'json') return { json: copy(value) };
  if (type === 'template' && typeof value === 'string') return { text: template(place, within) };
  if (type === 'mapper' && hasMapper(place)) {
    const computed = mapper(place, siteIn(within, 'mapper'));
    return computed && { mapper: computed };
  }
  if (typeof value === (type === 'text' ? 'string' : type)) return { json: value };
  const wanted = {
    template: 'a text',
    text: 'a text',
    mapper: 'an expression',
    number: 'a number',
    boolean: 'true or false',
  };
  place.error('FIELD_TYPE', `${name} must be ${wanted[type]}, not ${describeType(value)}.`);
  return undefined;
}

/** The input of the effect `plugin`. */
export type PluginRequest = {
  plugin: string;
  input: JsonObject;
  idempotencyKey: string;
  stateId: string;
  journey: { name: string; version: string };
  context?: JsonObject;
  platform?: JsonObject;
  timeoutMs: number;
};

/** The answer of the effect `plugin`. Failures are data, so that they do not cause activity retries. */
export type PluginAnswer = { result: Json } | { problem: PluginProblem & JsonObject } | { crash: string };

/** The time of an attempt beyond the plugin's own timeout, so that the plugin's timeout comes first. */
const slackMs = 2_000;

/** Runs the tasks of all plugins: evaluates their fields and asks for the effect. */
const run: TaskRunner<PluginTask> = {
  async buildRequest(task, host): Promise<TaskEffect> {
    const { plugin, uses, safe, timeoutMs } = task;
    const request: PluginRequest = {
      plugin,
      input: await inputOf(task, host),
      idempotencyKey: host.idempotencyKey,
      stateId: host.stateId,
      journey: host.journey,
      ...(uses.includes('context') && { context: host.context }),
      ...(uses.includes('platform') && { platform: host.platform }),
      timeoutMs,
    };
    return {
      name: 'plugin',
      input: request as unknown as Json,
      about: plugin,
      safe,
      budgetMs: timeoutMs + slackMs,
      ...(timeoutMs > maxLocalActivityMs && { run: 'activity' as const }),
    };
  },
  handleResult(task, answer, host) {
    const it = answer as PluginAnswer;
    if ('crash' in it) {
      if (!task.safe) host.noteUncertain(it.crash);
      return refuse('PLUGIN_CRASHED', `${task.plugin} failed: ${it.crash}`);
    }
    if ('problem' in it) throw new ProblemError(asProblem(it.problem));
    if (task.resultVar !== undefined) host.setVar(task.resultVar, it.result);
    return undefined;
  },
};

/** The behaviour that the tasks of all plugins share. Scenarios script them under the plugin's kind. */
export const pluginTasks: TaskBehaviour<PluginTask> = {
  run,
  effect: { name: 'plugin', virtual: () => virtual, recorded, summary: none },
  cost: ({ safe, timeoutMs }) => (safe && timeoutMs <= maxLocalActivityMs ? localActivity : ordinaryActivity),
  caption: ({ plugin }) => plugin,
  data: writing(({ resultVar }) => variable(resultVar)),
  call: ({ plugin }) => ({ operation: plugin }),
  credential: none,
  scheduledStart: none,
  stops: none,
  failures: none,
  scale: timeless,
};

async function inputOf({ fields }: PluginTask, host: TaskHost): Promise<JsonObject> {
  const input = emptyObject();
  for (const [name, field] of Object.entries(fields)) {
    if ('text' in field) input[name] = host.interpolate(field.text);
    else input[name] = 'json' in field ? field.json : await host.evaluate(field.mapper, 'mapper');
  }
  return input;
}

function asProblem({ code, title, type, status, detail }: PluginProblem): Problem {
  const base = problem('PLUGIN_PROBLEM', detail ?? title);
  return { ...base, code, title, ...(type !== undefined && { type }), ...(status !== undefined && { status }) };
}

/** The reply that the scenario scripts. */
async function virtual(input: Json, _budgetMs: number, world: VirtualWorld): Promise<Json> {
  const { plugin, input: fields } = input as unknown as PluginRequest;
  const request: HttpRequest = {
    ...callOf(plugin),
    headers: {},
    body: JSON.stringify(fields),
    timeoutMs: 0,
    mode: 'requestResponse',
  };
  const { status, body = null, afterMs, fail } = await world.call(request);
  if (afterMs > 0) await world.wait(afterMs);
  if (fail) return { crash: `the scenario scripts a failure (${fail})` };
  if (status < 400) return { result: body };
  const code = isObject(body) ? own(body, 'code') : undefined;
  const title = isObject(body) ? own(body, 'title') : undefined;
  return {
    problem: {
      ...(isObject(body) ? body : {}),
      code: String(code ?? 'PLUGIN_PROBLEM'),
      title: String(title ?? `status ${status}`),
    },
  };
}

function recorded(input: Json, answer: Json | undefined, ms: number): ScriptedCall {
  const problem = own(answer, 'problem');
  const reply: Reply = {
    status: isObject(problem) ? 400 : 200,
    headers: {},
    body: isObject(problem) ? problem : (own(answer, 'result') ?? null),
    afterMs: ms,
  };
  return { call: callOf(String(own(input, 'plugin'))), reply };
}

/** The call that represents a plugin's task in scenarios. */
function callOf(plugin: string): ScriptedCall['call'] {
  return { method: 'POST', url: `plugin://${plugin}`, operation: plugin };
}
