import type { Expression, TextSource } from '../../definition/definition.js';
import { describe, given, isBlock, optionalText, text } from '../../document/fields.js';
import type { Place } from '../../document/place.js';
import { hasMapper, mapperIn, siteIn } from '../../reading/expressions.js';
import type { Scope } from '../../reading/reading.js';
import { template, templates } from '../../reading/template.js';
import { fieldsOf, type TaskKind } from '../kind.js';
import { schema } from './schema.js';

/** A publish, normalised. */
export type KafkaPublishTask = {
  kind: 'kafkaPublish:v1';
  topic: string;
  key?: TextSource;
  value: Expression;
  headers: Record<string, string>;
  keySchemaRef?: string;
  valueSchemaRef?: string;
  connectionSecretRef?: string;
};

/** Fields of calls that a publish cannot have; named so that the finding can say why. */
const forbidden = ['resultVar', 'errorMapping', 'resiliencePolicyRef'];

/** Publishes an event. */
export const kafkaPublish: TaskKind = {
  kind: 'kafkaPublish:v1',
  fields: [...fieldsOf(schema), ...forbidden],
  schema,
  read,
};

function read(block: Place, scope: Scope): KafkaPublishTask | undefined {
  for (const name of forbidden)
    if (block.has(name)) block.at(name).error('KAFKA_FORBIDDEN_FIELD', `A publish has no ${name}.`, undefined, 'key');
  const topic = text(block.at('topic'), 'KAFKA_TOPIC', 'topic');
  const key = block.has('key') ? readKey(block.at('key'), scope) : undefined;
  const value = readValue(block.at('value'), scope);
  isBlock(block.at('headers'), 'KAFKA_HEADERS', 'headers');
  const headers = templates(block.at('headers'), scope.reading, (item, message) =>
    item.error('KAFKA_HEADERS', message),
  );
  const reference = (name: string) => optionalText(block.at(name), 'FIELD_TYPE', name);
  const optional = {
    ...given('key', key),
    ...given('keySchemaRef', reference('keySchemaRef')),
    ...given('valueSchemaRef', reference('valueSchemaRef')),
    ...given('connectionSecretRef', reference('connectionSecretRef')),
  };
  return topic !== undefined && value ? { kind: 'kafkaPublish:v1', topic, value, headers, ...optional } : undefined;
}

function readKey(place: Place, scope: Scope): TextSource | undefined {
  if (typeof place.value === 'string') return { text: template(place, scope.reading) };
  if (place.object && hasMapper(place)) {
    place.only(['mapper', 'mapperRef']);
    const mapper = mapperIn(place, siteIn(scope, 'key'));
    return mapper && { mapper };
  }
  place.error('KAFKA_KEY', `key must be a text or a mapper, not ${describe(place.value)}.`);
  return undefined;
}

function readValue(place: Place, scope: Scope): Expression | undefined {
  if (place.object && hasMapper(place)) {
    place.only(['mapper', 'mapperRef']);
    return mapperIn(place, siteIn(scope, 'mapper'));
  }
  place.error('KAFKA_VALUE', `value must hold a mapper, not ${describe(place.value)}.`);
  return undefined;
}
