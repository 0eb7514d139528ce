import type { Place } from '../../base/document/placed-value.js';
import { asExpression, describeType, identifier, ifDefined, text } from '../../base/document/read-fields.js';
import { fixed, part, shape, textOf } from '../../base/document/schema-builders.js';
import { isObject, type Json, own } from '../../base/json/value.js';
import { timeless } from '../../base/time/time-scale.js';
import type { Expression } from '../../engine/definition/definition.js';
import type { TaskRunner } from '../../engine/runner-interfaces.js';
import { objectShape, withShape } from '../../expressions/value-shape.js';
import { ordinaryActivity } from '../analysis/cost/cost-counters.js';
import type { GraphReading } from '../read/document-reading-state.js';
import { forbidInApi } from '../read/forbid-in-api.js';
import { hasMapper, mapper, siteIn } from '../read/read-expressions-and-mappers.js';
import { variable } from '../states/context-reads-and-writes.js';
import type { HttpRequest } from './http-call/request-and-result-types.js';
import { none, type ScriptedCall, type TaskKind, type VirtualWorld } from './task-kind.js';

const kind = 'signal:v1';

/** A signal to another run, normalised. */
export type SignalTask = {
  kind: typeof kind;
  journey: string;
  key: Expression;
  step: string;
  payload?: Expression;
  resultVar: string;
};

/** The input of the effect `signal`. */
export type SignalRequest = {
  journey: string;
  /** As the expression returned it. */
  key: Json;
  step: string;
  payload: Json;
  idempotencyKey: string;
};

/** The answer of the effect `signal`. */
export type SignalAnswer = { ok: true } | { ok: false; error: { type: string; message: string }; uncertain?: true };

/** JSON Schema of `signal:v1`. */
const schema = {
  ...shape(
    'Submits a step of another run, by the business key of that run. An extension, refused by --strict.',
    {
      kind: fixed(kind, 'The kind of task.'),
      journey: textOf('The journey of the run, which must have a key.'),
      key: part('mapperHolder', 'Computes the business key of the run.'),
      step: textOf('The step; a submission that comes before it is active is kept.'),
      payload: part('mapperHolder', 'Computes the body of the submission; null when left out.'),
      resultVar: part('identifier', 'The context variable that takes { ok: true }, or { ok: false, error }.'),
    },
    ['kind', 'journey', 'key', 'step', 'resultVar'],
  ),
  examples: [
    {
      kind,
      journey: 'shop',
      key: { mapper: { lang: 'dataweave', expr: 'context.orderId' } },
      step: 'paid',
      payload: { mapper: { lang: 'dataweave', expr: '{ amount: context.amount }' } },
      resultVar: 'told',
    },
  ],
};

/** The failures that a result can have. */
const failures = [
  'RUN_UNKNOWN',
  'STEP_UNKNOWN',
  'STEP_NOT_ACTIVE',
  'STEP_INVALID',
  'STEP_FULL',
  'KEY_INVALID',
  'SIGNATURE_INVALID',
  'PAYLOAD_TOO_LARGE',
  'TIMEOUT',
];

/** Longer than a run may take to accept a submission. */
const budgetMs = 40_000;

const run: TaskRunner<SignalTask> = {
  async buildRequest(task, host) {
    const { journey, step } = task;
    const request: SignalRequest = {
      journey,
      key: await host.evaluate(task.key, 'key'),
      step,
      payload: task.payload ? await host.evaluate(task.payload, 'mapper') : null,
      idempotencyKey: host.idempotencyKey,
    };
    const about = `signal ${journey}/${step}`;
    return { name: 'signal', input: request, about, safe: false, repeatable: true, budgetMs, run: 'activity' };
  },
  handleResult({ resultVar }, answer, host) {
    const it = answer as SignalAnswer;
    if ('uncertain' in it) host.noteUncertain(it.error.message);
    host.setVar(resultVar, answer);
    return undefined;
  },
};

/** Submits a step of another run. */
export const signal: TaskKind<SignalTask> = {
  kind,
  isExtension: true,
  schema,
  read,
  run,
  effect: { name: 'signal', virtual: () => virtual, recorded, summary: none },
  cost: () => ordinaryActivity,
  caption: ({ journey, step }) => `signals ${journey}/${step}`,
  data: {
    reads: () => [],
    writes: ({ resultVar }) => variable(resultVar),
    after: ({ resultVar }, context) => withShape(context, [resultVar], result),
  },
  call: ({ journey, step }) => ({ operation: callOf({ journey, step }).operation! }),
  credential: none,
  scheduledStart: none,
  stops: none,
  failures: () => failures,
  scale: timeless,
};

const result = objectShape([
  ['ok', 'boolean'],
  ['error', 'anything'],
]);

/** Reads the task block. The steps of another journey are not known here. */
function read(block: Place, within: GraphReading): SignalTask | undefined {
  forbidInApi(block.at('kind'), within, 'SIGNAL_IN_API', 'signal a run');
  const journey = text(block.at('journey'), 'FIELD_REQUIRED', 'journey');
  const step = text(block.at('step'), 'FIELD_REQUIRED', 'step');
  const key = readComputed(block, 'key', within);
  const payload = block.has('payload') ? readComputed(block, 'payload', within) : undefined;
  if (!block.has('resultVar'))
    block.error('FIELD_REQUIRED', `${kind} needs resultVar, or nobody learns of a failure.`, undefined, 'key');
  const resultVar = block.has('resultVar') ? identifier(block.at('resultVar'), 'resultVar') : undefined;
  if (journey === undefined || step === undefined || !key || resultVar === undefined) return undefined;
  return { kind, journey, key, step, ...ifDefined('payload', payload), resultVar };
}

function readComputed(block: Place, name: 'key' | 'payload', within: GraphReading): Expression | undefined {
  const place = block.at(name);
  if (hasMapper(place)) return mapper(place, siteIn(within, name === 'key' ? 'key' : 'mapper'));
  if (place.value === undefined) block.error('FIELD_REQUIRED', `${kind} needs ${name}.`, undefined, 'key');
  else place.error('FIELD_TYPE', `${name} must be an expression, not ${describeType(place.value)}.`, asExpression);
  return undefined;
}

/** The answer that the scenario scripts: a status below 400 is a success, and the body of another one has the `code` of the failure. */
async function virtual(input: Json, _budgetMs: number, world: VirtualWorld): Promise<Json> {
  const { key, payload, ...request } = input as SignalRequest;
  const call: HttpRequest = {
    ...callOf(request),
    headers: {},
    body: JSON.stringify({ key, payload }),
    timeoutMs: 0,
    mode: 'requestResponse',
  };
  const { status, body, afterMs, fail } = await world.call(call);
  if (afterMs > 0) await world.wait(afterMs);
  if (fail)
    return {
      ok: false,
      error: { type: 'TIMEOUT', message: `the scenario scripts a failure (${fail})` },
      uncertain: true,
    };
  if (status < 400) return { ok: true };
  const code = isObject(body) ? own(body, 'code') : undefined;
  return { ok: false, error: { type: String(code ?? 'RUN_UNKNOWN'), message: `status ${status}` } };
}

function recorded(input: Json, answer: Json | undefined, ms: number): ScriptedCall {
  const error = own(answer ?? null, 'error');
  const failed = isObject(error);
  const reply = {
    status: failed ? 400 : 200,
    headers: {},
    body: failed ? { code: error.type ?? null } : null,
    afterMs: ms,
  };
  return { call: callOf(input as SignalRequest), reply };
}

/** The call that represents a signal in scenarios. */
function callOf({ journey, step }: Pick<SignalRequest, 'journey' | 'step'>): ScriptedCall['call'] {
  return { method: 'POST', url: `signal://${journey}/${step}`, operation: kind };
}
