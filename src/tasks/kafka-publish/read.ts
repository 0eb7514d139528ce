import type { Expression, TextSource } from '../../definition/definition.js';
import { describe, given, isBlock, optionalText, text } from '../../document/fields.js';
import { Place } from '../../document/place.js';
import type { Json } from '../../json/value.js';
import type { Finding } from '../../problems/problem.js';
import { hasMapper, mapperIn, siteIn } from '../../reading/expressions.js';
import { inlineSchema } from '../../reading/json-schema.js';
import type { GraphReading } from '../../reading/reading.js';
import { template, templates } from '../../reading/template.js';

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

/** Fields of calls that a publish cannot have; named so that the finding can say why. */
export const forbidden = ['resultVar', 'errorMapping', 'resiliencePolicyRef'];

/** Reads the task block. */
export function read(block: Place, within: GraphReading): KafkaPublishTask | undefined {
  for (const name of forbidden)
    if (block.has(name)) block.at(name).error('KAFKA_FORBIDDEN_FIELD', `A publish has no ${name}.`, undefined, 'key');
  const topic = text(block.at('topic'), 'KAFKA_TOPIC', 'topic');
  const key = block.has('key') ? readKey(block.at('key'), within) : undefined;
  const value = readValue(block.at('value'), within);
  isBlock(block.at('headers'), 'KAFKA_HEADERS', 'headers');
  const headers = templates(block.at('headers'), within, (item, message) => item.error('KAFKA_HEADERS', message));
  const optional = {
    ...given('key', key),
    ...given('keySchema', readSchema(block.at('keySchemaRef'), within)),
    ...given('valueSchema', readSchema(block.at('valueSchemaRef'), within)),
    ...given('connectionSecretRef', optionalText(block.at('connectionSecretRef'), 'FIELD_TYPE', 'connectionSecretRef')),
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
    if (place.report.compat) place.warn('KAFKA_SCHEMA', `${message} What is published is not checked.`);
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
  if (typeof place.value === 'string') return { text: template(place, within) };
  if (place.object && hasMapper(place)) {
    place.only(['mapper', 'mapperRef']);
    const mapper = mapperIn(place, siteIn(within, 'key'));
    return mapper && { mapper };
  }
  place.error('KAFKA_KEY', `key must be a text or a mapper, not ${describe(place.value)}.`);
  return undefined;
}

function readValue(place: Place, within: GraphReading): Expression | undefined {
  if (place.object && hasMapper(place)) {
    place.only(['mapper', 'mapperRef']);
    return mapperIn(place, siteIn(within, 'mapper'));
  }
  place.error('KAFKA_VALUE', `value must hold a mapper, not ${describe(place.value)}.`);
  return undefined;
}
