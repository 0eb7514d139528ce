import { jsonBytes } from '../json/size.js';
import { equal, type Json } from '../json/value.js';
import { formatInstant } from '../time/duration.js';
import { room } from './room.js';
import type { Reservation } from './state.js';

/** An event as expressions and people see it. */
export type TopicEvent = { topic: string; id: string; payload: Json; publishedAt: string };

/** An event that is not over. */
export interface StoredEvent {
  readonly view: TopicEvent;
  /** Its place among all events of the pipeline. */
  readonly seq: number;
  readonly stamp: string;
  bytes: number;
  /** How many runs have reserved it. */
  attempts: number;
  /** The run that holds it. */
  reservedBy?: string;
}

/** An event that is over. */
export interface SettledEvent {
  topic: string;
  id: string;
  status: 'consumed' | 'skipped';
  at: number;
}

interface Topic {
  /** In the order in which they came. */
  readonly events: Map<string, StoredEvent>;
  pending: number;
  /** The place of the newest one that was ever published here. */
  newest: number;
}

/** Topics as plain JSON. It is short, because all of it is handed to every fresh execution. */
export interface TopicsSnapshot {
  seq: number;
  topics: [name: string, newest: number, events: EventSnapshot[]][];
  settled: [topic: string, id: string, skipped: 0 | 1, at: number][];
}
type EventSnapshot = [id: string, publishedAt: number, payload: Json, seq: number, stamp: string, attempts: number];

/** What an event takes in a snapshot besides its id and its payload, its place in the run that reserved it included. */
const overhead = 56;

/**
 * The events of all topics of one pipeline. They are changed in place: with ten thousand events pending, one more or one less must not
 * cost a copy of the others.
 */
export class Topics {
  private readonly byName = new Map<string, Topic>();
  private readonly settled = new Map<string, SettledEvent>();
  private settledBytes = 0;
  private bytes = 0;
  private seq = 0;

  constructor(names: Iterable<string> = []) {
    for (const name of names) this.open(name);
  }

  get names(): string[] {
    return [...this.byName.keys()];
  }

  /** The place of the newest event of all. */
  get newest(): number {
    return this.seq;
  }

  open(name: string): void {
    if (!this.byName.has(name)) this.byName.set(name, { events: new Map(), pending: 0, newest: 0 });
  }

  /** Forgets a topic; its events must be over. */
  close(name: string): void {
    this.byName.delete(name);
    for (const [key, event] of this.settled) if (event.topic === name) this.forget(key, event);
  }

  pending(name: string): number {
    return this.byName.get(name)?.pending ?? 0;
  }

  /** Events that are pending or reserved. */
  size(name: string): number {
    return this.byName.get(name)?.events.size ?? 0;
  }

  /** Whether an event came to one of these topics after `seq`. */
  hasNewerThan(seq: number, names: readonly string[]): boolean {
    return names.some((name) => (this.byName.get(name)?.newest ?? 0) > seq);
  }

  find(topic: string, id: string): StoredEvent | undefined {
    return this.byName.get(topic)?.events.get(id);
  }

  /** What became of an event that is over, as long as that is remembered. */
  fate(topic: string, id: string): SettledEvent | undefined {
    return this.settled.get(keyOf(topic, id));
  }

  /** The oldest pending event of a topic. */
  oldest(name: string): StoredEvent | undefined {
    return this.pendingOf(name).next().value;
  }

  *pendingOf(name: string): Generator<StoredEvent, undefined> {
    for (const event of this.byName.get(name)?.events.values() ?? []) if (event.reservedBy === undefined) yield event;
    return undefined;
  }

  /** Events that are not over, then those that are, as far as they are remembered. */
  *all(name: string): Generator<StoredEvent | SettledEvent> {
    yield* this.byName.get(name)?.events.values() ?? [];
    for (const event of this.settled.values()) if (event.topic === name) yield event;
  }

  /** Whether an event of this size can be held too, once `freed` bytes are free. */
  hasRoomFor(bytes: number, freed = 0): boolean {
    return this.bytes - freed + bytes <= room.events;
  }

  add(
    topic: string,
    id: string,
    payload: Json,
    stamp: string,
    now: number,
    bytes = costOf(id, jsonBytes(payload)),
  ): StoredEvent {
    const into = this.byName.get(topic)!;
    this.seq += 1;
    const view: TopicEvent = { topic, id, payload, publishedAt: formatInstant(now) };
    const event: StoredEvent = { view, seq: this.seq, stamp, bytes, attempts: 0 };
    into.events.set(id, event);
    into.pending += 1;
    into.newest = this.seq;
    this.bytes += bytes;
    return event;
  }

  /** Gives a pending event another payload; it keeps its place. False when the payload is what it was. */
  replace(event: StoredEvent, payload: Json, bytes: number): boolean {
    if (equal(event.view.payload, payload)) return false;
    event.view.payload = payload;
    this.bytes += bytes - event.bytes;
    event.bytes = bytes;
    this.seq += 1;
    this.byName.get(event.view.topic)!.newest = this.seq;
    return true;
  }

  /** A run holds pending events. */
  reserve(reservations: readonly Reservation[], run: string): void {
    for (const [topic, id] of reservations) {
      const event = this.find(topic, id)!;
      if (event.reservedBy === undefined) this.byName.get(topic)!.pending -= 1;
      event.reservedBy = run;
    }
  }

  /** Reserved events wait again, each in its old place. */
  release(reservations: readonly Reservation[]): void {
    for (const [topic, id] of reservations) {
      const event = this.find(topic, id);
      if (event?.reservedBy === undefined) continue;
      delete event.reservedBy;
      this.byName.get(topic)!.pending += 1;
    }
  }

  /** Reserved events are over. */
  settle(reservations: readonly Reservation[], status: SettledEvent['status'], now: number): void {
    for (const [topic, id] of reservations) {
      const event = this.find(topic, id);
      if (!event) continue;
      this.byName.get(topic)!.events.delete(id);
      this.bytes -= event.bytes;
      this.remember({ topic, id, status, at: now });
    }
  }

  snapshot(): TopicsSnapshot {
    return {
      seq: this.seq,
      topics: [...this.byName].map(([name, { events, newest }]) => [
        name,
        newest,
        [...events.values()].map(eventSnapshot),
      ]),
      settled: [...this.settled.values()].map(({ topic, id, status, at }) => [
        topic,
        id,
        status === 'skipped' ? 1 : 0,
        at,
      ]),
    };
  }

  static restore({ seq, topics, settled }: TopicsSnapshot): Topics {
    const restored = new Topics();
    for (const [name, newest, events] of topics) {
      restored.open(name);
      for (const [id, at, payload, place, stamp, attempts] of events) {
        restored.seq = place - 1;
        restored.add(name, id, payload, stamp, at).attempts = attempts;
      }
      restored.byName.get(name)!.newest = newest;
    }
    restored.seq = seq;
    for (const [topic, id, skipped, at] of settled)
      restored.remember({ topic, id, status: skipped ? 'skipped' : 'consumed', at });
    return restored;
  }

  private remember(event: SettledEvent): void {
    const key = keyOf(event.topic, event.id);
    this.settled.set(key, event);
    this.settledBytes += settledCost(event);
    while (this.settledBytes > room.settled) this.forget(...this.settled.entries().next().value!);
  }

  private forget(key: string, event: SettledEvent): void {
    this.settled.delete(key);
    this.settledBytes -= settledCost(event);
  }
}

/** What an event with a payload of this size takes of the room for events. */
export function costOf(id: string, payloadBytes: number): number {
  return payloadBytes + jsonBytes(id) + overhead;
}

function settledCost({ topic, id }: SettledEvent): number {
  return 3 * (topic.length + id.length) + 20;
}

function keyOf(topic: string, id: string): string {
  return `${topic}\n${id}`;
}

function eventSnapshot({ view, seq, stamp, attempts }: StoredEvent): EventSnapshot {
  const { id, payload, publishedAt } = view;
  return [id, Date.parse(publishedAt), payload, seq, stamp, attempts];
}
