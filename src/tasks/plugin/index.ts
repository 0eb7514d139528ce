import type { TaskEffect, TaskHost } from '../../engine/task-host.js';
import type { TaskRunner } from '../../engine/vocabulary.js';
import { emptyObject, isObject, type Json, type JsonObject, own } from '../../json/value.js';
import { type Problem, ProblemError, problem, refuse } from '../../problems/problem.js';
import type { HttpRequest } from '../http-call/request.js';
import type { VirtualEffect } from '../virtual.js';
import type { PluginTask } from './kind.js';
import type { PluginProblem } from './plugin.js';

/** What the effect `plugin` gets. */
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

/** What it answers. Failures are data: whether the server should try again is not for a plugin to say. */
export type PluginAnswer = { result: Json } | { problem: PluginProblem & JsonObject } | { crash: string };

/** What an attempt may take beyond its own time, so that it is the plugin that is told of its end. */
const slackMs = 2_000;

/** Runs the tasks of all plugins: it evaluates their fields, and asks whoever has the plugin. */
const run: TaskRunner<PluginTask> = {
  async ask(task, host): Promise<TaskEffect> {
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
    return { name: 'plugin', input: request as unknown as Json, about: plugin, safe, budgetMs: timeoutMs + slackMs };
  },
  take(task, answer, host) {
    const it = answer as PluginAnswer;
    if ('crash' in it) {
      if (!task.safe) host.mayHaveHappened();
      return refuse('PLUGIN_CRASHED', `${task.plugin} failed: ${it.crash}`);
    }
    if ('problem' in it) throw new ProblemError(asProblem(it.problem));
    if (task.resultVar !== undefined) host.setVar(task.resultVar, it.result);
    return undefined;
  },
};

/** What runs the tasks of plugins, and what virtual time answers for them: what the scenario scripts under the plugin's kind. */
export const pluginTasks = { run, virtual: () => ({ plugin: scripted }) };

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

const scripted: VirtualEffect = async (input, _budgetMs, world) => {
  const { plugin, input: fields } = input as unknown as PluginRequest;
  const call: HttpRequest = {
    method: 'POST',
    url: `plugin://${plugin}`,
    operation: plugin,
    headers: {},
    body: JSON.stringify(fields),
    timeoutMs: 0,
    mode: 'requestResponse',
  };
  const { status, body = null, afterMs, fail } = await world.call(call);
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
};
