import { jsonBytes } from '../base/json/size.js';
import { emptyObject, isObject, type Json, type JsonObject, own } from '../base/json/value.js';
import { type Problem, ProblemError, problem, refuse } from '../base/problems/problem.js';
import { formatInstant, parseInstant } from '../base/time/instant.js';
import { validate } from '../json-schema/validate.js';
import { violationsText, violationText } from '../json-schema/violation-messages.js';
import { handlerOf } from './definition.js';
import { failRun } from './handle-outcome.js';
import { runKey } from './handler-run-ids.js';
import type { Step } from './reducer-step.js';
import type { ActiveRun, PipelineState, Reservation, RunTrigger, SuspendedRun } from './state.js';
import { stateLimits, wakeAtBounds } from './state-limits.js';
import { joinsOf, readKey } from './topics/join-by-key.js';
import type { StoredEvent } from './topics/topic-event-store.js';

/** Result of `prepare`. */
interface Prepared {
  reservations: Reservation[];
  data?: Json;
  wakeAt?: number;
}

/**
 * Reads the result of `prepare`: nothing, an event, a list of events, of `{topic, id}` or of `{topic, ids}`, or an object with such
 * `reservations`, with `data` for the input mapper and, where the policy allows it, with a hint `wakeAt`. Throws a ProblemError.
 */
function readPrepared(state: PipelineState, consumer: string, value: Json, now: number): Prepared {
  const whole = isObject(value) && own(value, 'topic') === undefined ? value : { reservations: value };
  for (const key of Object.keys(whole))
    if (!['reservations', 'data', 'wakeAt'].includes(key))
      refuse('PREPARE_RESULT_INVALID', `prepare of ${consumer} returned an object with "${key.slice(0, 40)}".`, {
        hint,
      });
  const reservations = readReservations(state, consumer, own(whole, 'reservations') ?? null);
  const data = own(whole, 'data');
  if (data !== undefined && jsonBytes(data) > stateLimits.data)
    refuse('PREPARE_RESULT_INVALID', `The data of prepare may have at most ${stateLimits.data} bytes.`);
  const wakeAt = readHint(state, consumer, own(whole, 'wakeAt') ?? null, now);
  return { reservations, ...(data !== undefined && { data }), ...(wakeAt !== undefined && { wakeAt }) };
}

const hint = 'Return null, events, or an object with reservations, data and wakeAt.';

function readReservations(state: PipelineState, consumer: string, value: Json): Reservation[] {
  const { topics } = state.definition.consumers[consumer]!;
  const found = new Map<StoredEvent, Reservation>();
  const items = value === null ? [] : Array.isArray(value) ? value : [value];
  for (const item of items) {
    const topic = own(item, 'topic');
    const one = own(item, 'id');
    const ids = one === undefined ? own(item, 'ids') : [one];
    if (typeof topic !== 'string' || !Array.isArray(ids))
      return refuse('PREPARE_RESULT_INVALID', `prepare of ${consumer} returned something other than events.`, { hint });
    if (!topics.includes(topic))
      refuse('PREPARE_RESULT_INVALID', `${consumer} has not subscribed to the topic '${topic.slice(0, 64)}'.`);
    for (const id of ids) {
      const event = typeof id === 'string' ? state.topics.find(topic, id) : undefined;
      if (!event || event.reservedBy !== undefined)
        return refuse('PREPARE_RESULT_INVALID', `No event ${JSON.stringify(id).slice(0, 60)} is pending in ${topic}.`);
      found.set(event, [topic, event.view.id]);
    }
  }
  return [...found.values()];
}

function readHint(state: PipelineState, consumer: string, value: Json, now: number): number | undefined {
  if (value === null) return undefined;
  if (!state.definition.policy.wakeHints)
    refuse('PREPARE_RESULT_INVALID', `prepare of ${consumer} returned wakeAt, which the policy does not allow.`, {
      hint: 'Leave it out, or set policy.wakeHints: true.',
    });
  const instant = typeof value === 'string' ? parseInstant(value) : undefined;
  if (instant === undefined) return refuse('PREPARE_RESULT_INVALID', 'wakeAt is not an RFC 3339 timestamp.');
  return Math.min(Math.max(instant, now + wakeAtBounds.least), now + wakeAtBounds.most);
}

/** Reserves events for the active run, and derives its key from them. */
function reserve({ topics }: PipelineState, run: ActiveRun, reservations: Reservation[]): void {
  const about: string[] = [];
  let attempts = 0;
  for (const [topic, id] of reservations) {
    const event = topics.find(topic, id)!;
    attempts = Math.max(attempts, event.attempts);
    about.push(topic, id, event.stamp);
  }
  run.attempt = attempts + 1;
  run.key = runKey(run.handler, about, run.attempt);
  run.reservations = reservations;
  for (const [topic, id] of reservations) topics.find(topic, id)!.attempts = run.attempt;
  topics.reserve(reservations, run.key);
}

/** Bindings of a pipeline's expressions. */
export const bindingsOf = {
  correlate: ['event'],
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
  if (joinsOf(state.definition).has(name)) {
    correlate(step, run);
    return;
  }
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

/** Evaluates the keys of new events, then reserves events of all topics that have the same key. */
function correlate(step: Step, run: ActiveRun): void {
  const { state } = step;
  state.counts.prepares += 1;
  run.key = `${run.handler}?${state.counts.prepares}`;
  run.seen = state.topics.newest;
  const bindings = emptyObject();
  for (const topic of state.definition.consumers[run.handler]!.topics) {
    const events = state.topics.unkeyed(topic);
    if (events.length > 0) bindings[topic] = events;
  }
  if (Object.keys(bindings).length > 0)
    step.effects.push({ type: 'evaluate', run: run.key, handler: run.handler, what: 'correlate', bindings });
  else take(step, run, { reservations: state.topics.match(run.handler) });
}

/** Stores the keys that `correlate` evaluated: by topic, pairs of an event's id and its key. */
function setKeys({ state }: Step, value: Json): void {
  for (const [topic, keys] of Object.entries(value as Record<string, [string, Json][]>))
    for (const [id, key] of keys) state.topics.setKey(topic, id, readKey(topic, id, key));
}

export function beginProducer(step: Step, name: string): void {
  const { state, now } = step;
  const producer = state.producers[name]!;
  const run = begin(step, name, producer.triggered ? 'manual' : 'schedule');
  const about = producer.triggered
    ? ['manual', producer.request ?? '', String(state.counts.begun)]
    : ['slot', String(producer.due)];
  run.key = runKey(name, about, run.attempt);
  // A manual run also serves a pending time.
  if (producer.due !== undefined) run.slot = producer.due;
  delete producer.triggered;
  delete producer.due;
  producer.startedAt = now;
  map(step, run);
}

/** Retries a suspended run with its reservations. */
export function beginRetry(step: Step, suspended: SuspendedRun): void {
  const { key: _, endedAt: __, error: ___, uncertain: ____, succeeded: _____, ...held } = suspended;
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

/** Handles the result of `prepare` or of the input mapper. */
export function handleEvaluation(step: Step, run: ActiveRun, given: { value: Json } | { problem: Problem }): void {
  if ('problem' in given) failRun(step, run, given.problem);
  else if (run.phase === 'mapping') start(step, run, given.value);
  else
    try {
      if (joinsOf(step.state.definition).has(run.handler)) {
        setKeys(step, given.value);
        take(step, run, { reservations: step.state.topics.match(run.handler) });
      } else take(step, run, readPrepared(step.state, run.handler, given.value, step.now));
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      failRun(step, run, error.problem);
    }
}

/** Reserves the events that `prepare` chose. A consumer that chose none sleeps. */
function take(step: Step, run: ActiveRun, { reservations, data, wakeAt }: Prepared): void {
  const { state, now } = step;
  if (reservations.length > 0) {
    if (data !== undefined) run.data = data;
    reserve(state, run, reservations);
    map(step, run);
    return;
  }
  delete state.active;
  // `prepare` has not seen events that arrived meanwhile.
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

/** Maps the input of a run. Without a mapper it is the mapper's bindings. */
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
  if (jsonBytes(input) <= stateLimits.shown) run.input = input;
  step.effects.push({ type: 'start', run: run.key, handler: run.handler, journey, input });
}

/** The reason why an input is invalid: it is not an object, or violates the journey's schema. */
function inputFault({ definition }: PipelineState, journey: string, input: Json): Problem | undefined {
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    return problem('HANDLER_INPUT_INVALID', `The input of ${journey} is not an object.`);
  const schema = definition.journeys[journey]!.definition.input?.schema;
  if (schema === undefined) return undefined;
  const errors = validate(schema, input).map(violationText);
  if (errors.length === 0) return undefined;
  return problem(
    'HANDLER_INPUT_INVALID',
    `${journey} does not accept its input: ${violationsText(errors, 'the input')}`,
  );
}
