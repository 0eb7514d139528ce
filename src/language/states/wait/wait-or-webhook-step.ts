import type { Place } from '../../../base/document/placed-value.js';
import { describeType, ifDefined, optionalIdentifier, optionalInteger } from '../../../base/document/read-fields.js';
import { type ObjectSchema, part, shape, wholeOf } from '../../../base/document/schema-builders.js';
import type { Json, JsonObject } from '../../../base/json/value.js';
import { refuse } from '../../../base/problems/problem.js';
import { latestInstant } from '../../../base/time/instant.js';
import { statusFields } from '../../../engine/definition/response-fields-and-projection.js';
import { type Frame, progressOf, setRequest } from '../../../engine/frame.js';
import type { Scope } from '../../../engine/host.js';
import type { Run } from '../../../engine/run.js';
import type { Step } from '../../../engine/runner-interfaces.js';
import type { OpenStep } from '../../../engine/step-submissions.js';
import { stepAddress } from '../../../engine/steps/step-address.js';
import { withField, withFields, withoutField } from '../../../engine/update-context.js';
import { unionShape, withoutShape, withShape } from '../../../expressions/value-shape.js';
import type { GraphReading } from '../../read/document-reading-state.js';
import { forbidStateInApi } from '../../read/forbid-in-api.js';
import { noteImplied, noteRedundant } from '../../read/note-short-and-long-forms.js';
import { inlineSchema } from '../../read/read-inline-schema.js';
import { readProjection } from '../../read/read-response-projection.js';
import { nextOf, stateRef } from '../../read/read-state-references.js';
import { noData, variable } from '../context-reads-and-writes.js';
import {
  type AwaitedStep,
  blockOf,
  legacyField,
  migratesFreely,
  next,
  noDifferences,
  noGraphs,
  type StateType,
  type StepForm,
  stateSchema,
} from '../state-type.js';
import { correlateSchema, readCorrelation } from './read-correlation.js';
import { readSignature, signatureSchema } from './read-submission-signature.js';

const fields = {
  resultVar: {
    ...part('identifier'),
    description: 'The context field for the submitted body, instead of payload; an extension, refused by --strict.',
  },
  input: shape('What the step accepts.', { schema: part('jsonSchema') }, ['schema']),
  response: part('projection'),
  timeoutSec: wholeOf('Seconds until onTimeout.'),
  onTimeout: part('stateId', 'The state to continue with if nobody submits in time.'),
  signature: signatureSchema,
  correlate: correlateSchema,
  default: legacyField('Old name of next.'),
};

/** JSON Schema of a step. `next` is required, or one of its old spellings. */
export function stepSchema(
  type: 'wait' | 'webhook',
  description: string,
  example: JsonObject,
  own: Record<string, Json> = {},
): ObjectSchema {
  const block = {
    ...shape('The step.', { ...own, ...fields }, ['input']),
    dependentRequired: { timeoutSec: ['onTimeout'] },
  };
  return {
    ...stateSchema(
      type,
      description,
      {
        [type]: block,
        next,
        default: legacyField('Old name of next.'),
        response: legacyField('Old place of response.'),
      },
      [type],
      [{ [type]: example, next: 'decide' }],
    ),
    anyOf: [{ required: ['next'] }, { required: ['default'] }, { properties: { [type]: { required: ['default'] } } }],
  };
}

/** A step. `wait` and `webhook` differ only in who submits it. */
export interface WaitState<T extends 'wait' | 'webhook' = 'wait' | 'webhook'> extends StepForm {
  type: T;
  /** The variable of the submitted body; `payload` if absent. */
  resultVar?: string;
}

/** The type of a step, by who submits it. */
export function stepType<T extends 'wait' | 'webhook'>(
  type: T,
  schema: ObjectSchema,
  from: AwaitedStep['from'],
): StateType<WaitState<T>> {
  return {
    type,
    isExtension: false,
    impliedBy: [type],
    schema,
    read: (state, graph, id) => readStep({ type, schema }, state, graph, id),
    execute,
    instant: false,
    waitsForInput: true,
    exits: ({ next, timeout }) => [{ to: next }, ...(timeout ? [{ to: timeout.next, isTimeout: true as const }] : [])],
    awaits: (step) => ({ step, from }),
    caption: () => (from === 'client' ? 'waits for a person' : 'waits for a callback'),
    inner: noGraphs,
    data: {
      ...noData,
      writes: (state) => variable(bodyOf(state)),
      after(state, context, flow) {
        const { schema, timeout } = state;
        const waiting = withoutShape(context, bodyOf(state));
        const submitted = withShape(flow.submitted(waiting), [bodyOf(state)], flow.matching(schema));
        return timeout ? unionShape(submitted, waiting) : submitted;
      },
    },
    scale: (state, { factor }) =>
      state.timeout ? { ...state, timeout: { ...state.timeout, sec: state.timeout.sec / factor } } : state,
    compare: noDifferences,
    migrate: migratesFreely,
  };
}

/** The variable that the submitted body is stored in. */
function bodyOf({ resultVar = 'payload' }: Pick<WaitState, 'resultVar'>): string {
  return resultVar;
}

/** Names a step cannot have: the built-in cancel step, and the links every status carries. */
const reservedSteps = ['cancel', 'self', 'result'];

/** Reads a step of either type. */
function readStep<T extends 'wait' | 'webhook'>(
  form: Pick<StateType<WaitState<T>>, 'type' | 'schema'>,
  state: Place,
  within: GraphReading,
  id: string,
): WaitState<T> | undefined {
  const { type } = form;
  forbidStateInApi(state, within, 'WAIT_IN_API', 'wait for input');
  if (reservedSteps.includes(id)) state.error('STEP_ID_RESERVED', `A step cannot be called "${id}".`, undefined, 'key');
  if (id.includes('/'))
    state.error(
      'STEP_ID_RESERVED',
      'The id of a step cannot contain a slash, which separates it from an item of a map.',
      undefined,
      'key',
    );
  const block = blockOf(state, form);
  if (!block) {
    if (state.has('next')) nextOf(state, within);
    return undefined;
  }
  if (type === 'wait') readChannel(block);
  const resultVar = optionalIdentifier(block.at('resultVar'), 'resultVar');
  const schema = inputSchema(block);
  const response = readResponse(state, block, type);
  const timeout = readTimeout(block, within);
  const signature = readSignature(block.at('signature'));
  const correlate = readCorrelation(block, within);
  const next = nextOrDefault(state, block, within);
  if (resultVar !== undefined) noteResultVar(state, type, resultVar, next);
  if (schema === undefined) return undefined;
  return {
    type,
    ...ifDefined('resultVar', resultVar),
    schema,
    ...ifDefined('response', response),
    ...ifDefined('timeout', timeout),
    ...ifDefined('signature', signature),
    ...ifDefined('correlate', correlate),
    next,
  };
}

/** Checks `channel`, which has one value. */
function readChannel(block: Place): void {
  const channel = block.at('channel');
  if (!block.has('channel')) noteImplied(block, 'channel', 'manual');
  else if (channel.value === 'manual') noteRedundant(block, 'channel');
  else channel.error('WAIT_CHANNEL', `channel must be manual, not ${describeType(channel.value)}.`, undefined, 'key');
}

/** Notes a `resultVar`: in the language's own form, a transform after the step copies `payload`. */
function noteResultVar(state: Place, type: string, resultVar: string, next: string): void {
  const { compat, forms } = state.report;
  const place = state.at(type).at('resultVar');
  if (!compat) place.error('STEP_EXTENSION', 'The language has the body in payload.', undefined, 'key');
  const mapper = { lang: 'dataweave', expr: 'context.payload' };
  forms?.twoStates.push({
    pointer: state.pointer,
    rename: {},
    set: { [type]: { resultVar: null } },
    second: { type: 'transform', transform: { mapper, target: { kind: 'var' }, resultVar }, next },
  });
}

function inputSchema(block: Place) {
  const input = block.at('input');
  input.only(['schema']);
  if (input.at('schema').value !== undefined) return inlineSchema(input.at('schema'));
  // A `schema` beside `input` is already reported, with a hint.
  if (block.has('schema')) return undefined;
  (input.object ? input : block).error(
    'WAIT_SCHEMA_MISSING',
    'The step does not describe the body it accepts.',
    undefined,
    'key',
  );
  return undefined;
}

function readResponse(state: Place, block: Place, type: string): WaitState['response'] {
  let response = block.at('response');
  if (state.has('response')) {
    state.at('response').compat('C16', `response is beside ${type} instead of inside it.`);
    if (response.value === undefined) response = state.at('response');
  }
  return response.value === undefined ? undefined : readProjection(response, statusFields);
}

function readTimeout(block: Place, within: GraphReading): WaitState['timeout'] {
  const sec = optionalInteger(block.at('timeoutSec'), 'WAIT_TIMEOUT', 'timeoutSec');
  const next = block.has('onTimeout') ? stateRef(block.at('onTimeout'), within) : undefined;
  if (block.has('timeoutSec') && !block.has('onTimeout') && !block.at('onTimeout').isMisspelt)
    block.error('WAIT_ONTIMEOUT_MISSING', 'timeoutSec needs onTimeout.', undefined, 'key');
  if (block.has('onTimeout') && !block.has('timeoutSec') && !block.at('timeoutSec').isMisspelt)
    block.warn('WAIT_ONTIMEOUT_MISSING', 'Without timeoutSec, onTimeout is never taken.', undefined, 'key');
  return sec !== undefined && next !== undefined ? { sec, next } : undefined;
}

function nextOrDefault(state: Place, block: Place, within: GraphReading): string {
  const inner = block.has('default') ? block.at('default') : undefined;
  const outer = state.has('default') ? state.at('default') : undefined;
  const old = inner ?? outer;
  old?.compat('C1', 'default names the next state.');
  const meant = old && stateRef(old, within);
  return state.has('next') || meant === undefined ? nextOf(state, within) : meant;
}

/** Waits for one submission, or until the timeout. */
async function execute(state: WaitState, frame: Frame, scope: Scope, run: Run): Promise<Step> {
  if (run.info.scheduled) refuse('SCHED_PATH_INTERACTIVE', 'A scheduled run cannot wait for external input.');
  const before = progressOf(frame, 'wait');
  if (!before) {
    frame.context = withoutField(frame.context, bodyOf(state));
    setRequest(frame, undefined);
  }
  // A run that was migrated from another version keeps its due time, if this version has a timeout.
  const dueAt = state.timeout && (before?.dueAt ?? expiryOf(state.timeout.sec, run));
  frame.progress = { kind: 'wait', since: before?.since ?? run.host.now(), ...(dueAt !== undefined && { dueAt }) };
  const kept = run.host.keptSubmission?.(stepAddress(frame.at, frame.item), state.schema);
  if (kept) {
    run.requested(kept.traceparent);
    frame.context = withFields(frame.context, kept.fields ?? {});
    return ingest(kept.payload, state, frame);
  }

  const { step, submitted } = openStep(state, frame, dueAt, run);
  const alarm = scope.fork();
  try {
    const ways = [submitted, scope.interrupted];
    if (state.timeout && dueAt !== undefined) ways.push(expiry(alarm, dueAt, state.timeout.next, step, run));
    run.parkAtStep(frame);
    return await Promise.race(ways);
  } finally {
    run.steps.close(step);
    alarm.interrupt('superseded');
  }
}

function expiryOf(seconds: number, run: Run): number {
  return Math.min(run.host.now() + seconds * 1000, latestInstant);
}

function ingest(payload: Json, state: WaitState, frame: Frame): Step {
  frame.context = withField(frame.context, bodyOf(state), payload);
  return { next: state.next };
}

function openStep(state: WaitState, frame: Frame, dueAt: number | undefined, run: Run) {
  let take!: OpenStep['take'];
  const submitted = new Promise<Step>((resolve) => {
    take = (payload, { fields = {}, traceparent, request } = {}) => {
      run.steps.close(step);
      run.parking.resume(frame);
      setRequest(frame, request);
      run.requested(traceparent);
      frame.context = withFields(frame.context, fields);
      resolve(ingest(payload, state, frame));
    };
  });
  const step: OpenStep = { id: stepAddress(frame.at, frame.item), state, frame, dueAt, take };
  run.steps.open(step);
  return { step, submitted };
}

/** Continues at the timeout. If a submission came first, it has closed the step already. */
async function expiry(alarm: Scope, dueAt: number, next: string, step: OpenStep, run: Run): Promise<Step> {
  await alarm.sleepUntil(dueAt, `${step.id} timeout`);
  if (run.steps.get(step.id) !== step) return new Promise<never>(() => undefined);
  run.steps.close(step);
  run.parking.resume(step.frame);
  return { next };
}
