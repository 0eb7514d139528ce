import type { TaskEffect, TaskHost } from '../../engine/task-host.js';
import type { TaskRunner } from '../../engine/vocabulary.js';
import type { Json } from '../../json/value.js';
import { validate } from '../../json-schema/validate.js';
import { refuse } from '../../problems/problem.js';
import type { KafkaPublishTask } from './read.js';

/** What the effect `kafka` gets: an evaluated record. */
export type KafkaRecord = {
  topic: string;
  key?: string;
  value: string;
  headers: Record<string, string>;
  /** A reference to the connection, never the connection itself; the configured one when absent. */
  connectionSecretRef?: string;
};

/** The header by which a consumer knows an event that was published twice, because a worker died in between. */
export const idempotencyHeader = 'idempotency-key';

/** More than the configured time of one publish, so that its own failure is heard. */
const budgetMs = 120_000;

/** Publishes an event. An event that does not match its schema, or cannot be published, ends the run. */
export const run: TaskRunner<KafkaPublishTask> = {
  async ask(task, host): Promise<TaskEffect> {
    const key = await keyOf(task, host);
    const value = await host.evaluate(task.value, 'mapper');
    checkAgainst(task.valueSchema, value, 'The event');
    const headers: Record<string, string> = Object.create(null);
    headers[idempotencyHeader] = host.idempotencyKey;
    for (const [name, text] of Object.entries(task.headers)) headers[name] = host.interpolate(text);
    const record: KafkaRecord = {
      topic: task.topic,
      ...(key !== undefined && { key }),
      value: JSON.stringify(value),
      headers,
      ...(task.connectionSecretRef !== undefined && { connectionSecretRef: task.connectionSecretRef }),
    };
    return { name: 'kafka', input: record, about: `publish ${task.topic}`, safe: false, budgetMs };
  },
  failed(_, { code }, host) {
    // The broker may have it although it did not say so in time.
    if (code === 'KAFKA_PUBLISH_FAILED') host.mayHaveHappened();
  },
};

/** A key that is not a text goes out as JSON; without one, Kafka chooses the partition. */
async function keyOf({ key, keySchema }: KafkaPublishTask, host: TaskHost): Promise<string | undefined> {
  if (!key) return undefined;
  const value = 'text' in key ? host.interpolate(key.text) : await host.evaluate(key.mapper, 'key');
  checkAgainst(keySchema, value, 'The key');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function checkAgainst(schema: Json | undefined, value: Json, what: string): void {
  const [first] = schema === undefined ? [] : validate(schema, value);
  if (first)
    refuse('KAFKA_EVENT_INVALID', `${what} does not match its schema: ${first.pointer || 'it'} ${first.message}.`);
}
