import { jsonBytes } from '../json/size.js';
import { isObject, type Json, own } from '../json/value.js';
import { refuse } from '../problems/problem.js';
import { parseInstant } from '../time/duration.js';
import { hintBounds, room } from './room.js';
import { runKey } from './run-key.js';
import type { ActiveRun, PipelineState, Reservation } from './state.js';
import type { StoredEvent } from './topics.js';

/** What `prepare` asks for. */
export interface Prepared {
  reservations: Reservation[];
  data?: Json;
  wakeAt?: number;
}

/**
 * Reads what `prepare` gave: nothing, an event, a list of events, of `{topic, id}` or of `{topic, ids}`, or an object with such
 * `reservations`, with `data` for the input mapper and, where the policy allows it, with a hint `wakeAt`. Throws a ProblemError.
 */
export function readPrepared(state: PipelineState, consumer: string, value: Json, now: number): Prepared {
  const whole = isObject(value) && own(value, 'topic') === undefined ? value : { reservations: value };
  for (const key of Object.keys(whole))
    if (!['reservations', 'data', 'wakeAt'].includes(key))
      refuse('PREPARE_RESULT_INVALID', `prepare of ${consumer} gave an object with "${key.slice(0, 40)}".`, { hint });
  const reservations = readReservations(state, consumer, own(whole, 'reservations') ?? null);
  const data = own(whole, 'data');
  if (data !== undefined && jsonBytes(data) > room.data)
    refuse('PREPARE_RESULT_INVALID', `The data of prepare may have ${room.data} bytes.`);
  const wakeAt = readHint(state, consumer, own(whole, 'wakeAt') ?? null, now);
  return { reservations, ...(data !== undefined && { data }), ...(wakeAt !== undefined && { wakeAt }) };
}

const hint = 'Give null, events, or an object with reservations, data and wakeAt.';

function readReservations(state: PipelineState, consumer: string, value: Json): Reservation[] {
  const { topics } = state.definition.consumers[consumer]!;
  const found = new Map<StoredEvent, Reservation>();
  const items = value === null ? [] : Array.isArray(value) ? value : [value];
  for (const item of items) {
    const topic = own(item, 'topic');
    const one = own(item, 'id');
    const ids = one === undefined ? own(item, 'ids') : [one];
    if (typeof topic !== 'string' || !Array.isArray(ids))
      return refuse('PREPARE_RESULT_INVALID', `prepare of ${consumer} gave something that names no events.`, { hint });
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
    refuse('PREPARE_RESULT_INVALID', `prepare of ${consumer} gave wakeAt, and the policy does not take hints.`, {
      hint: 'Leave it out, or set policy.wakeHints: true.',
    });
  const instant = typeof value === 'string' ? parseInstant(value) : undefined;
  if (instant === undefined) return refuse('PREPARE_RESULT_INVALID', 'wakeAt is not an RFC 3339 timestamp.');
  return Math.min(Math.max(instant, now + hintBounds.least), now + hintBounds.most);
}

/** The active run holds these events, and has its name from them. */
export function reserve({ topics }: PipelineState, run: ActiveRun, reservations: Reservation[]): void {
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
