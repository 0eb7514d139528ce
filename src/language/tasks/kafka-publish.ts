import { Place } from '../../base/document/placed-value.js';
import { asExpression, describeType, ifDefined, isBlock, optionalText, text } from '../../base/document/read-fields.js';
import { fixed, part, shape, textOf } from '../../base/document/schema-builders.js';
import type { Json } from '../../base/json/value.js';
import { type Finding, refuse } from '../../base/problems/problem.js';
import { timeless } from '../../base/time/time-scale.js';
import type { Expression, TextSource } from '../../engine/definition/definition.js';
import type { TaskRunner } from '../../engine/runner-interfaces.js';
import type { TaskEffect, TaskHost } from '../../engine/task-host.js';
import { validate } from '../../json-schema/validate.js';
import { ordinaryActivity } from '../analysis/cost/cost-counters.js';
import type { GraphReading } from '../read/document-reading-state.js';
import { hasMapper, mapper, siteIn } from '../read/read-expressions-and-mappers.js';
import { inlineSchema } from '../read/read-inline-schema.js';
import { template, templates } from '../read/read-templates.js';
import { noData } from '../states/context-reads-and-writes.js';
import { none, type TaskKind } from './task-kind.js';

/** A publish, normalised. */
export type KafkaPublishTask = {
  kind: 'kafkaPublish:v1';
  topic: string;
  key?: TextSource;
  value: Expression;
  headers: Record<string, string>;
  /** The schemas themselves: a run never depends on files that may change. */
  keySchema?: Json;
  valueSchema?: Json;
  connectionSecretRef?: string;
};

/** The input of the effect `kafka`: an evaluated record. */
export type KafkaRecord = {
  topic: string;
  key?: string;
  value: string;
  headers: Record<string, string>;
  /** A reference to the connection, never the connection itself; the configured one when absent. */
  connectionSecretRef?: string;
};

/** JSON Schema of `kafkaPublish:v1`. */
const schema = {
  ...shape(
    'Publishes an event to a Kafka topic.',
    {
      kind: fixed('kafkaPublish:v1', 'The kind of task.'),
      topic: textOf('The topic.'),
      key: {
        description: 'The record’s key: a text (placeholders replaced) or a mapper.',
        oneOf: [{ type: 'string' }, part('mapperHolder')],
      },
      value: part('mapperHolder', 'Computes the event.'),
      headers: part('texts', 'Record headers.'),
      keySchemaRef: {
        ...textOf('The file of a JSON Schema of the key, relative to catalogue.root.'),
        examples: ['events/order-id.schema.json'],
      },
      valueSchemaRef: {
        ...textOf('The file of a JSON Schema of the event, relative to catalogue.root.'),
        examples: ['events/order.schema.json'],
      },
      connectionSecretRef: textOf('Which connection to use; the configured default when left out.'),
    },
    ['kind', 'topic', 'value'],
  ),
  examples: [
    {
      kind: 'kafkaPublish:v1',
      topic: 'orders',
      key: '${context.orderId}',
      value: { mapper: { lang: 'dataweave', expr: '{ orderId: context.orderId, status: "PAID" }' } },
      headers: { source: 'checkout' },
      connectionSecretRef: 'secret://kafka/orders',
    },
  ],
};

/** Fields of other tasks that a publish cannot have; they get a specific finding. */
const forbidden = ['resultVar', 'errorMapping', 'resiliencePolicyRef'];

/** The header by which a consumer recognises an event that was published twice, for example because a worker crashed. */
const idempotencyHeader = 'idempotency-key';

/** Longer than the configured timeout of one publish, so that the publish itself times out first. */
const budgetMs = 120_000;

/** Publishes an event. An event that does not match its schema, or cannot be published, ends the run. */
const run: TaskRunner<KafkaPublishTask> = {
  async buildRequest(task, host): Promise<TaskEffect> {
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
  failed(_, { code, detail, title }, host) {
    // The broker may have it although it did not say so in time.
    if (code === 'KAFKA_PUBLISH_FAILED') host.noteUncertain(detail ?? title);
  },
};

/** Publishes an event. */
export const kafkaPublish: TaskKind<KafkaPublishTask> = {
  kind: 'kafkaPublish:v1',
  isExtension: false,
  schema,
  refuses: forbidden,
  read,
  run,
  // In virtual time every event is published.
  effect: { name: 'kafka', virtual: () => async () => null, recorded: 'virtual', summary: none },
  cost: () => ordinaryActivity,
  caption: ({ topic }) => `publishes to ${topic}`,
  data: noData,
  call: none,
  credential: none,
  scheduledStart: none,
  stops: none,
  failures: none,
  scale: timeless,
};

/** Reads the task block. */
function read(block: Place, within: GraphReading): KafkaPublishTask | undefined {
  for (const name of forbidden)
    if (block.has(name)) block.at(name).error('KAFKA_FORBIDDEN_FIELD', `A publish has no ${name}.`, undefined, 'key');
  const topic = text(block.at('topic'), 'KAFKA_TOPIC', 'topic');
  const key = block.has('key') ? readKey(block.at('key'), within) : undefined;
  const value = readValue(block.at('value'), within);
  isBlock(block.at('headers'), 'KAFKA_HEADERS', 'headers');
  const headers = templates(block.at('headers'), within, (item, message) => item.error('KAFKA_HEADERS', message));
  const optional = {
    ...ifDefined('key', key),
    ...ifDefined('keySchema', readSchema(block.at('keySchemaRef'), within)),
    ...ifDefined('valueSchema', readSchema(block.at('valueSchemaRef'), within)),
    ...ifDefined(
      'connectionSecretRef',
      optionalText(block.at('connectionSecretRef'), 'FIELD_TYPE', 'connectionSecretRef'),
    ),
  };
  return topic !== undefined && value ? { kind: 'kafkaPublish:v1', topic, value, headers, ...optional } : undefined;
}

/** The schema that a reference names: a file in the catalogue's folder. */
function readSchema(place: Place, within: GraphReading): Json | undefined {
  const ref = optionalText(place, 'FIELD_TYPE', 'A schema reference');
  if (ref === undefined) return undefined;
  const schema = within.reading.options.catalogue?.schema(ref);
  if (schema === undefined) {
    const message = `There is no schema ${ref}.`;
    if (place.report.compat) place.warn('KAFKA_SCHEMA', `${message} Published events are not validated.`);
    else place.error('KAFKA_SCHEMA', message);
    return undefined;
  }
  const faults: Finding[] = [];
  inlineSchema(new Place({ ...place.report, findings: faults }, '', schema));
  for (const { pointer, message } of faults)
    place.error('KAFKA_SCHEMA', `${ref}${pointer && `#${pointer}`}: ${message}`);
  return schema;
}

function readKey(place: Place, within: GraphReading): TextSource | undefined {
  if (typeof place.value === 'string') return { text: template(place, within, true) };
  if (hasMapper(place)) {
    const computed = mapper(place, siteIn(within, 'key'));
    return computed && { mapper: computed };
  }
  place.error('KAFKA_KEY', `key must be a text or a mapper, not ${describeType(place.value)}.`);
  return undefined;
}

function readValue(place: Place, within: GraphReading): Expression | undefined {
  if (hasMapper(place)) return mapper(place, siteIn(within, 'mapper'));
  place.error('KAFKA_VALUE', `value must be an expression, not ${describeType(place.value)}.`, asExpression);
  return undefined;
}

/** A key that is not a text is sent as JSON; without one, Kafka chooses the partition. */
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
