import { canonical, isObject, type Json } from '../../base/json/value.js';
import { refuse } from '../../base/problems/problem.js';
import type { PipelineDefinition } from '../definition.js';
import type { Reservation } from '../state.js';

/** Longest key of an event, in characters. */
const longestKey = 500;

/** The topics of each consumer that joins: it reads several topics, all of them with `correlate`, and has no `prepare`. */
export function joinsOf({
  consumers,
  topics,
}: Pick<PipelineDefinition, 'consumers' | 'topics'>): Map<string, readonly string[]> {
  const joins = Object.entries(consumers).filter(
    ([, it]) => !it.prepare && it.topics.length > 1 && it.topics.every((topic) => topics[topic]?.correlate),
  );
  return new Map(joins.map(([name, it]) => [name, it.topics]));
}

/** Reads the value of `correlate.by`. Null means that the event matches no other. */
export function readKey(topic: string, id: string, value: Json): string | null {
  if (value === null) return null;
  if (isObject(value) || Array.isArray(value))
    refuse('CORRELATE_KEY_INVALID', `correlate.by of ${topic} returned no single value for the event ${id}.`);
  const key = canonical(value);
  if (key.length > longestKey)
    refuse('CORRELATE_KEY_INVALID', `correlate.by of ${topic} returned more than ${longestKey} characters for ${id}.`);
  return key;
}

/** Pending events by key, with the keys for which every topic of a join has an event. Each operation takes constant time. */
export class KeyIndex {
  private readonly pending = new Map<string, Map<string, Set<string>>>();
  /** The complete keys of each consumer, in the order in which they became complete. */
  private readonly complete = new Map<string, Set<string>>();

  constructor(private readonly joins: ReadonlyMap<string, readonly string[]> = new Map()) {
    for (const [consumer, topics] of joins) {
      this.complete.set(consumer, new Set());
      for (const topic of topics) this.pending.set(topic, new Map());
    }
  }

  /** Whether the events of a topic need keys. */
  covers(topic: string): boolean {
    return this.pending.has(topic);
  }

  add(topic: string, key: string, id: string): void {
    const keys = this.pending.get(topic)!;
    const ids = keys.get(key) ?? new Set();
    ids.add(id);
    keys.set(key, ids);
    if (ids.size === 1) this.update(topic, key);
  }

  delete(topic: string, key: string, id: string): void {
    const keys = this.pending.get(topic);
    const ids = keys?.get(key);
    if (!ids?.delete(id) || ids.size > 0) return;
    keys!.delete(key);
    this.update(topic, key);
  }

  /** The first complete set of a consumer: one event of each of its topics, all with the same key. */
  match(consumer: string): Reservation[] {
    const [key] = this.complete.get(consumer) ?? [];
    if (key === undefined) return [];
    return this.joins.get(consumer)!.map((topic) => {
      const [id] = this.pending.get(topic)!.get(key)!;
      return [topic, id!];
    });
  }

  private update(topic: string, key: string): void {
    for (const [consumer, topics] of this.joins) {
      if (!topics.includes(topic)) continue;
      const keys = this.complete.get(consumer)!;
      if (topics.every((it) => this.pending.get(it)!.has(key))) keys.add(key);
      else keys.delete(key);
    }
  }
}
