import { jsonBytes } from '../../base/json/size.js';
import type { Json } from '../../base/json/value.js';
import { type Problem, ProblemError, problem } from '../../base/problems/problem.js';
import { validate } from '../../json-schema/validate.js';
import { violationText } from '../../json-schema/violation-messages.js';
import type { PipelineDefinition } from '../definition.js';
import type { Answer, Publish } from '../messages-and-effects.js';
import { done, type Step } from '../reducer-step.js';
import type { PipelineState, Reservation } from '../state.js';
import { eventBytes } from './topic-event-store.js';

/** The longest id of an event. */
export const longestId = 128;

/** Longest stamp, in characters; longer ones are cut. */
const longestStamp = 16;

/** Publishes an event from outside. */
export function publishEvent(step: Step, message: Publish): Answer {
  const { state } = step;
  const { topic, id, payload } = message;
  const size = jsonBytes(payload);
  const wrong = eventFault(state, message, size);
  if (wrong) return { ok: false, problem: wrong };
  const bytes = eventBytes(id, size);
  const known = state.topics.find(topic, id);
  if (known?.reservedBy !== undefined || (!known && state.topics.settledEvent(topic, id))) return done('duplicate');
  const full = overflow(state, topic, known ? 0 : 1, known ? bytes - known.bytes : bytes);
  if (full) return { ok: false, problem: full };
  if (known) {
    if (!state.topics.replace(known, payload, bytes)) return done('duplicate');
    wake(state, topic);
    return done('replaced');
  }
  state.topics.add(topic, id, payload, message.stamp.slice(0, longestStamp), step.now, bytes);
  wake(state, topic);
  return done('accepted');
}

/** An event that a handler publishes. */
export interface Published {
  topic: string;
  id: string;
  payload: Json;
}

/** Publishes the events of a handler, after its own are settled. `stamp` names the run. */
export function publishAll(step: Step, events: readonly Published[], stamp: string): void {
  for (const event of events) publishEvent(step, { type: 'publish', ...event, stamp });
}

/** Refuses events that cannot all be published once `freed` is settled. */
export function checkPublished(
  state: PipelineState,
  events: readonly Published[],
  freed: readonly Reservation[],
): void {
  const more = new Map<string, number>();
  let bytes = 0;
  for (const [topic, id] of freed) {
    more.set(topic, (more.get(topic) ?? 0) - 1);
    bytes -= state.topics.find(topic, id)?.bytes ?? 0;
  }
  for (const event of events) {
    const size = jsonBytes(event.payload);
    const wrong = eventFault(state, event, size);
    if (wrong) throw new ProblemError(wrong);
    const known = state.topics.find(event.topic, event.id);
    const isNew = !known && !state.topics.settledEvent(event.topic, event.id);
    more.set(event.topic, (more.get(event.topic) ?? 0) + (isNew ? 1 : 0));
    if (isNew || known) bytes += eventBytes(event.id, size) - (known?.bytes ?? 0);
  }
  for (const { topic } of events) {
    const full = overflow(state, topic, more.get(topic)!, bytes);
    if (full) throw new ProblemError(full);
  }
}

/** Whether a topic is full. */
export function isFull({ topics, definition }: PipelineState, topic: string): boolean {
  return topics.size(topic) >= definition.policy.topicEvents || !topics.fits(eventBytes('', 0));
}

/** The reason why a topic cannot hold this many more events and bytes. */
export function overflow(
  { topics, definition }: PipelineState,
  topic: string,
  more: number,
  bytes: number,
): Problem | undefined {
  const most = definition.policy.topicEvents;
  if (more > 0 && topics.size(topic) + more > most)
    return problem(
      'TOPIC_FULL',
      `${most === 1 ? 'An event waits' : `${most} events wait`} in the topic ${topic}, which is full.`,
    );
  if (bytes > 0 && !topics.fits(bytes))
    return problem('TOPIC_FULL', 'The waiting events of the pipeline have reached its size limit.');
  return undefined;
}

/** The reason why an event is invalid. */
function eventFault(
  { definition, next }: PipelineState,
  { topic, id, payload }: Published,
  bytes: number,
): Problem | undefined {
  if (!Object.hasOwn(definition.topics, topic) || (next && !Object.hasOwn(next.definition.topics, topic)))
    return problem('TOPIC_UNKNOWN', `The pipeline ${definition.name} has no topic '${topic}'.`);
  if (typeof id !== 'string' || id === '' || id.length > longestId)
    return problem('EVENT_ID_INVALID', `The id of an event is a text of 1 to ${longestId} characters.`);
  return payloadFault(definition, topic, payload, bytes);
}

/** The reason why a topic does not accept a payload. */
export function payloadFault(
  { topics, policy }: PipelineDefinition,
  topic: string,
  payload: Json,
  bytes: number,
): Problem | undefined {
  if (bytes > policy.payloadBytes)
    return problem('EVENT_TOO_LARGE', `The payload has ${bytes} bytes; at most ${policy.payloadBytes} are allowed.`);
  const { schema } = topics[topic]!;
  if (schema === undefined) return undefined;
  const errors = validate(schema, payload).map(violationText);
  if (errors.length === 0) return undefined;
  return problem(
    'EVENT_INVALID',
    errors.map(({ pointer, message }) => `${pointer || 'the payload'} ${message}`).join('; '),
    {
      errors: errors.map(({ pointer, message }) => ({ code: 'EVENT_INVALID', severity: 'error', message, pointer })),
    },
  );
}

/** Wakes the consumers that subscribed to a topic. */
export function wake({ definition, consumers }: PipelineState, topic: string): void {
  for (const name in consumers)
    if (consumers[name]!.sleep && definition.consumers[name]!.topics.includes(topic)) delete consumers[name]!.sleep;
}
