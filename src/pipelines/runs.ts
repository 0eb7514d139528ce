import { jsonBytes } from '../json/size.js';
import { emptyObject, type Json, type JsonObject } from '../json/value.js';
import { inOneLine, inWords } from '../json-schema/in-words.js';
import { validate } from '../json-schema/validate.js';
import { type Problem, ProblemError, problem } from '../problems/problem.js';
import { formatInstant } from '../time/duration.js';
import { handlerOf } from './definition.js';
import { failRun } from './outcomes.js';
import { type Prepared, readPrepared, reserve } from './reservations.js';
import { room } from './room.js';
import { runKey } from './run-key.js';
import type { ActiveRun, PipelineState, RunTrigger, SuspendedRun } from './state.js';
import type { Step } from './step.js';

/** What the expressions of a pipeline see. */
export const bindingsOf = {
  prepare: ['events', 'pending', 'state'],
  consumerInput: ['event', 'events', 'data', 'state'],
  producerInput: ['slot', 'trigger', 'state'],
} as const;

export function beginConsumer(step: Step, name: string): void {
  const { state } = step;
  const consumer = state.consumers[name]!;
  const trigger: RunTrigger = consumer.triggered ? 'manual' : consumer.sleep ? 'timeout' : 'event';
  delete consumer.triggered;
  delete consumer.sleep;
  const run = begin(step, name, trigger);
  const { prepare, topics } = state.definition.consumers[name]!;
  if (prepare === undefined) {
    const oldest = topics.map((topic) => state.topics.oldest(topic)).filter((event) => event !== undefined);
    const { view } = oldest.reduce((a, b) => (b.seq < a.seq ? b : a));
    reserve(state, run, [[view.topic, view.id]]);
    map(step, run);
    return;
  }
  state.counts.prepares += 1;
  run.key = `${name}?${state.counts.prepares}`;
  run.seen = state.topics.newest;
  const events = emptyObject();
  const pending = emptyObject();
  for (const topic of topics) {
    events[topic] = window(state, topic);
    pending[topic] = state.topics.pending(topic);
  }
  const bindings = { events, pending, state: consumer.state };
  step.effects.push({ type: 'evaluate', run: run.key, handler: name, what: 'prepare', bindings });
}

export function beginProducer(step: Step, name: string): void {
  const { state, now } = step;
  const producer = state.producers[name]!;
  const run = begin(step, name, producer.triggered ? 'manual' : 'schedule');
  const about = producer.triggered
    ? ['manual', producer.request ?? '', String(state.counts.begun)]
    : ['slot', String(producer.due)];
  run.key = runKey(name, about, run.attempt);
  // A time that waited beside a manual trigger is served by the same run.
  if (producer.due !== undefined) run.slot = producer.due;
  delete producer.triggered;
  delete producer.due;
  producer.startedAt = now;
  map(step, run);
}

/** Runs a suspended run again, with what it reserved. */
export function beginRetry(step: Step, { key: _, endedAt: __, error: ___, ...held }: SuspendedRun): void {
  const { state } = step;
  const run = { ...begin(step, held.handler, 'retry'), ...held, trigger: 'retry' as const, startedAt: step.now };
  state.active = run;
  if (run.reservations.length > 0) reserve(state, run, run.reservations);
  else {
    run.attempt += 1;
    run.key = runKey(run.handler, ['retry', String(state.counts.begun)], run.attempt);
  }
  map(step, run);
}

/** What `prepare` or the input mapper of the active run gave. */
export function evaluated(step: Step, run: ActiveRun, given: { value: Json } | { problem: Problem }): void {
  if ('problem' in given) failRun(step, run, given.problem);
  else if (run.phase === 'mapping') start(step, run, given.value);
  else
    try {
      take(step, run, readPrepared(step.state, run.handler, given.value, step.now));
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      failRun(step, run, error.problem);
    }
}

/** Reserves what `prepare` asks for; a consumer that asks for nothing sleeps. */
function take(step: Step, run: ActiveRun, { reservations, data, wakeAt }: Prepared): void {
  const { state, now } = step;
  if (reservations.length > 0) {
    if (data !== undefined) run.data = data;
    reserve(state, run, reservations);
    map(step, run);
    return;
  }
  delete state.active;
  // An event that came while `prepare` was at work has not been seen by it.
  if (state.topics.hasNewerThan(run.seen, state.definition.consumers[run.handler]!.topics)) return;
  const until = wakeAt ?? now + state.definition.policy.backoffMs;
  state.consumers[run.handler]!.sleep = { since: now, until, ...(wakeAt !== undefined && { hinted: true }) };
}

function begin({ state, now }: Step, handler: string, trigger: RunTrigger): ActiveRun {
  state.counts.begun += 1;
  const run: ActiveRun = {
    key: '',
    handler,
    trigger,
    attempt: 1,
    startedAt: now,
    reservations: [],
    phase: 'preparing',
    seen: 0,
  };
  state.active = run;
  return run;
}

function window({ topics, definition }: PipelineState, topic: string): Json {
  const events: Json[] = [];
  for (const { view } of topics.pendingOf(topic)) {
    if (events.length >= definition.policy.window) break;
    events.push(view);
  }
  return events;
}

/** Asks for the input of a run; without a mapper it is what a mapper would see. */
function map(step: Step, run: ActiveRun): void {
  run.phase = 'mapping';
  const { state } = step;
  const mapper = handlerOf(state.definition, run.handler)!.input;
  const bindings = inputBindings(state, run);
  if (mapper) step.effects.push({ type: 'evaluate', run: run.key, handler: run.handler, what: 'input', bindings });
  else {
    const { event: _, trigger: __, ...input } = bindings;
    start(step, run, input);
  }
}

function inputBindings(state: PipelineState, run: ActiveRun): JsonObject {
  const consumer = Object.hasOwn(state.consumers, run.handler) ? state.consumers[run.handler] : undefined;
  if (!consumer)
    return {
      slot: run.slot === undefined ? null : formatInstant(run.slot),
      trigger: run.trigger,
      state: state.producers[run.handler]!.state,
    };
  const events = run.reservations.map(([topic, id]) => state.topics.find(topic, id)!.view as Json);
  return { event: events[0]!, events, data: run.data ?? null, state: consumer.state };
}

function start(step: Step, run: ActiveRun, input: Json): void {
  const { journey } = handlerOf(step.state.definition, run.handler)!;
  const wrong = inputFault(step.state, journey, input);
  if (wrong) {
    failRun(step, run, wrong);
    return;
  }
  run.phase = 'running';
  if (jsonBytes(input) <= room.shown) run.input = input;
  step.effects.push({ type: 'start', run: run.key, handler: run.handler, journey, input });
}

/** A journey starts with an object, and with what its own schema asks for. */
function inputFault({ definition }: PipelineState, journey: string, input: Json): Problem | undefined {
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    return problem('HANDLER_INPUT_INVALID', `The input of ${journey} is not an object.`);
  const schema = definition.journeys[journey]!.definition.input?.schema;
  if (schema === undefined) return undefined;
  const errors = validate(schema, input).map(inWords);
  if (errors.length === 0) return undefined;
  return problem('HANDLER_INPUT_INVALID', `${journey} does not take its input: ${inOneLine(errors, 'the input')}`);
}
