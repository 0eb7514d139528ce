import { jsonBytes } from '../../base/json/size.js';
import { equal, type Json } from '../../base/json/value.js';
import { formatInstant } from '../../base/time/instant.js';
import type { Reservation } from '../state.js';
import { stateLimits } from '../state-limits.js';
import { KeyIndex } from './join-by-key.js';

/** An event as expressions and people see it. */
export type TopicEvent = { topic: string; id: string; payload: Json; publishedAt: string };

/** A live event: pending or reserved. */
export interface StoredEvent {
  readonly view: TopicEvent;
  /** Its place in the order of all events of the pipeline. */
  readonly seq: number;
  readonly stamp: string;
  bytes: number;
  /** Number of runs that have reserved it. */
  attempts: number;
  /** Key of the run that reserved it. */
  reservedBy?: string;
  /** Its key, where topics are joined; null if it has none, absent before it is evaluated. */
  key?: string | null;
}

/** A settled event: consumed or skipped. */
export interface SettledEvent {
  topic: string;
  id: string;
  status: 'consumed' | 'skipped';
  at: number;
}

interface Topic {
  /** In order of arrival. */
  readonly events: Map<string, StoredEvent>;
  pending: number;
  bytes: number;
  /** Ids of the events whose key is not evaluated yet. */
  readonly unkeyed: Set<string>;
  /** The place of the newest event ever published to it. */
  newest: number;
}

/** Topics as plain JSON. It is compact, because continue-as-new carries all of it. */
export interface TopicsSnapshot {
  seq: number;
  topics: [name: string, newest: number, events: EventSnapshot[]][];
  settled: [topic: string, id: string, skipped: 0 | 1, at: number][];
}
type EventSnapshot = [id: string, publishedAt: number, payload: Json, seq: number, stamp: string, attempts: number];

/** Bytes of an event in a snapshot besides its id and payload, including its place in the run that reserved it. */
const overhead = 56;

/**
 * The events of all topics of one pipeline. They are changed in place: with ten thousand events pending, one more or one less must not
 * cost a copy of the others.
 */
export class Topics {
  private readonly byName = new Map<string, Topic>();
  private readonly settled = new Map<string, SettledEvent>();
  private index = new KeyIndex();
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
    if (!this.byName.has(name))
      this.byName.set(name, { events: new Map(), pending: 0, bytes: 0, unkeyed: new Set(), newest: 0 });
  }

  /** Forgets a topic. It must have no live events. */
  close(name: string): void {
    this.byName.delete(name);
    for (const [key, event] of this.settled) if (event.topic === name) this.forget(key, event);
  }

  pending(name: string): number {
    return this.byName.get(name)?.pending ?? 0;
  }

  /** Number of live events. */
  size(name: string): number {
    return this.byName.get(name)?.events.size ?? 0;
  }

  /** Bytes of the live events of a topic. */
  bytesOf(name: string): number {
    return this.byName.get(name)?.bytes ?? 0;
  }

  /** Bytes that are left for live events of all topics. */
  get freeBytes(): number {
    return Math.max(0, stateLimits.events - this.bytes);
  }

  /** Whether one of these topics has an event newer than `seq`. */
  hasNewerThan(seq: number, names: readonly string[]): boolean {
    return names.some((name) => (this.byName.get(name)?.newest ?? 0) > seq);
  }

  find(topic: string, id: string): StoredEvent | undefined {
    return this.byName.get(topic)?.events.get(id);
  }

  /** A settled event, if it is still remembered. */
  settledEvent(topic: string, id: string): SettledEvent | undefined {
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

  /** Live events, then settled ones that are still remembered. */
  *all(name: string): Generator<StoredEvent | SettledEvent> {
    yield* this.byName.get(name)?.events.values() ?? [];
    for (const event of this.settled.values()) if (event.topic === name) yield event;
  }

  /** Sets the topics that each consumer joins. The keys of all events are evaluated again. */
  setJoins(joins: ReadonlyMap<string, readonly string[]>): void {
    this.index = new KeyIndex(joins);
    for (const [name, { events, unkeyed }] of this.byName) {
      unkeyed.clear();
      for (const [id, event] of events) {
        delete event.key;
        if (this.index.covers(name)) unkeyed.add(id);
      }
    }
  }

  /** The events of a topic whose key is not evaluated yet. */
  unkeyed(name: string): TopicEvent[] {
    const { events, unkeyed } = this.byName.get(name)!;
    return [...unkeyed].map((id) => events.get(id)!.view);
  }

  setKey(topic: string, id: string, key: string | null): void {
    const event = this.find(topic, id);
    if (!event || !this.byName.get(topic)!.unkeyed.delete(id)) return;
    event.key = key;
    if (key !== null && event.reservedBy === undefined) this.index.add(topic, key, id);
  }

  /** Events of all topics of a consumer that have the same key; none if there is no such set. */
  match(consumer: string): Reservation[] {
    return this.index.match(consumer);
  }

  private removeKey({ view, key }: StoredEvent): void {
    if (typeof key === 'string') this.index.delete(view.topic, key, view.id);
  }

  /** Bytes of all live events. */
  get usedBytes(): number {
    return this.bytes;
  }

  /** Whether an event of this size fits once `freed` bytes are free. */
  fits(bytes: number, freed = 0): boolean {
    return this.bytes - freed + bytes <= stateLimits.events;
  }

  add(
    topic: string,
    id: string,
    payload: Json,
    stamp: string,
    now: number,
    bytes = eventBytes(id, jsonBytes(payload)),
  ): StoredEvent {
    const into = this.byName.get(topic)!;
    this.seq += 1;
    const view: TopicEvent = { topic, id, payload, publishedAt: formatInstant(now) };
    const event: StoredEvent = { view, seq: this.seq, stamp, bytes, attempts: 0 };
    into.events.set(id, event);
    into.pending += 1;
    if (this.index.covers(topic)) into.unkeyed.add(id);
    into.newest = this.seq;
    this.bytes += bytes;
    into.bytes += bytes;
    return event;
  }

  /** Replaces the payload of a pending event, which keeps its place. Returns false if the payload is the same. */
  replace(event: StoredEvent, payload: Json, bytes: number): boolean {
    if (equal(event.view.payload, payload)) return false;
    event.view.payload = payload;
    const topic = this.byName.get(event.view.topic)!;
    this.bytes += bytes - event.bytes;
    topic.bytes += bytes - event.bytes;
    event.bytes = bytes;
    this.seq += 1;
    topic.newest = this.seq;
    if (this.index.covers(event.view.topic)) {
      this.removeKey(event);
      delete event.key;
      topic.unkeyed.add(event.view.id);
    }
    return true;
  }

  /** Reserves pending events for a run. */
  reserve(reservations: readonly Reservation[], run: string): void {
    for (const [topic, id] of reservations) {
      const event = this.find(topic, id)!;
      if (event.reservedBy === undefined) this.byName.get(topic)!.pending -= 1;
      event.reservedBy = run;
      this.removeKey(event);
    }
  }

  /** Makes reserved events pending again, each in its old place. */
  release(reservations: readonly Reservation[]): void {
    for (const [topic, id] of reservations) {
      const event = this.find(topic, id);
      if (event?.reservedBy === undefined) continue;
      delete event.reservedBy;
      this.byName.get(topic)!.pending += 1;
      if (typeof event.key === 'string') this.index.add(topic, event.key, id);
    }
  }

  /** Settles reserved events. */
  settle(reservations: readonly Reservation[], status: SettledEvent['status'], now: number): void {
    for (const [topic, id] of reservations) {
      const event = this.find(topic, id);
      if (!event) continue;
      const from = this.byName.get(topic)!;
      from.events.delete(id);
      from.unkeyed.delete(id);
      this.removeKey(event);
      this.bytes -= event.bytes;
      from.bytes -= event.bytes;
      this.remember({ topic, id, status, at: now });
    }
  }

  /** Remembers an event that never was live as skipped. */
  skip(topic: string, id: string, now: number): void {
    this.remember({ topic, id, status: 'skipped', at: now });
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
    while (this.settledBytes > stateLimits.settled) this.forget(...this.settled.entries().next().value!);
  }

  private forget(key: string, event: SettledEvent): void {
    this.settled.delete(key);
    this.settledBytes -= settledCost(event);
  }
}

/** Bytes of an event with a payload of this size, as counted against the limit. */
export function eventBytes(id: string, payloadBytes: number): number {
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
