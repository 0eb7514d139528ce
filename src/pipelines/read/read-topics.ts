import { didYouMean } from '../../base/document/did-you-mean.js';
import type { Place } from '../../base/document/placed-value.js';
import { describeType, ifDefined, isBlock, optionalText, quoteName } from '../../base/document/read-fields.js';
import type { Expression } from '../../engine/definition/definition.js';
import type { Reading } from '../../language/read/document-reading-state.js';
import { expression } from '../../language/read/read-expressions-and-mappers.js';
import { inlineSchema } from '../../language/read/read-inline-schema.js';
import type { ConsumerDefinition, TopicDefinition } from '../definition.js';
import { bindingsOf } from '../reserve-events-and-begin-run.js';
import { joinsOf } from '../topics/join-by-key.js';

/** Names of topics and handlers: parts of URLs and, without a dash, identifiers in expressions. */
export const namePattern = /^[A-Za-z][A-Za-z0-9_-]{0,62}$/;

/** `spec.topics`. */
export function readTopics(place: Place, reading: Reading): Record<string, TopicDefinition> {
  const topics = Object.create(null) as Record<string, TopicDefinition>;
  isBlock(place, 'FIELD_TYPE', 'topics');
  for (const [name, at] of place.entries()) {
    if (!namePattern.test(name)) at.error('TOPIC_NAME', `"${name.slice(0, 80)}" cannot be a topic.`, undefined, 'key');
    topics[name] = {};
    if (at.value === null || !isBlock(at, 'FIELD_TYPE', `The topic "${name}"`)) continue;
    at.only(['description', 'schema', 'correlate', 'source']);
    const schema = at.has('schema') ? inlineSchema(at.at('schema')) : undefined;
    const description = optionalText(at.at('description'), 'FIELD_TYPE', 'description');
    const correlate = readCorrelate(at.at('correlate'), reading);
    topics[name] = {
      ...ifDefined('description', description),
      ...ifDefined('schema', schema),
      ...ifDefined('correlate', correlate),
      ...ifDefined('source', readSource(at.at('source'))),
    };
  }
  checkSources(place, topics);
  return topics;
}

function readCorrelate(place: Place, reading: Reading): Expression | undefined {
  if (!isBlock(place, 'FIELD_TYPE', 'correlate')) return undefined;
  place.only(['by']);
  if (!place.has('by')) {
    place.error('FIELD_REQUIRED', 'correlate needs an expression by.', undefined, 'key');
    return undefined;
  }
  return expression(place.at('by'), { kind: 'mapper', reading, common: bindingsOf.correlate });
}

/** Names that Kafka accepts for topics. */
const kafkaTopic = /^(?!\.\.?$)[A-Za-z0-9._-]{1,249}$/;

/** `source`. The group has no default: two installations that share one would share the records. */
function readSource(place: Place): TopicDefinition['source'] {
  if (!isBlock(place, 'FIELD_TYPE', 'source')) return undefined;
  place.only(['kafka']);
  const at = place.at('kafka');
  if (!isBlock(at, 'FIELD_TYPE', 'kafka')) {
    if (at.value === undefined) place.error('FIELD_REQUIRED', 'source needs kafka.', undefined, 'key');
    return undefined;
  }
  at.only(['topic', 'group', 'connectionSecretRef']);
  for (const name of ['topic', 'group'])
    if (!at.has(name)) at.error('FIELD_REQUIRED', `kafka needs a ${name}.`, undefined, 'key');
  const topic = optionalText(at.at('topic'), 'KAFKA_TOPIC', 'topic');
  if (topic !== undefined && !kafkaTopic.test(topic))
    at.at('topic').error('KAFKA_TOPIC', `"${topic.slice(0, 80)}" cannot be a Kafka topic.`);
  const group = optionalText(at.at('group'), 'FIELD_TYPE', 'group');
  const ref = optionalText(at.at('connectionSecretRef'), 'FIELD_TYPE', 'connectionSecretRef');
  if (topic === undefined || group === undefined) return undefined;
  return { kafka: { topic, group, ...ifDefined('connectionSecretRef', ref) } };
}

/** Reports two topics with the same source: each would get a part of its records. */
function checkSources(place: Place, topics: Record<string, TopicDefinition>): void {
  const seen = new Map<string, string>();
  for (const [name, at] of place.entries()) {
    const { kafka } = topics[name]!.source ?? {};
    if (!kafka) continue;
    const key = JSON.stringify([kafka.topic, kafka.group]);
    const other = seen.get(key);
    seen.set(key, name);
    if (other !== undefined)
      at.at('source').error('SOURCE_DUPLICATE', `${other} reads ${kafka.topic} with the same group.`);
  }
}

/** Reports topics with a key by which no consumer joins. A consumer would take their events one by one, without their counterparts. */
export function checkCorrelated(
  place: Place,
  topics: Record<string, TopicDefinition>,
  consumers: Record<string, ConsumerDefinition>,
): void {
  const joined = new Set([...joinsOf({ topics, consumers }).values()].flat());
  for (const [name, at] of place.entries())
    if (topics[name]?.correlate && !joined.has(name) && Object.keys(consumers).length > 0)
      at.at('correlate').error('TOPIC_CORRELATE', `No consumer matches the events of ${name}.`, undefined, 'key');
}

/** A list of declared topics. */
export function topicList(place: Place, name: string, topics: Record<string, TopicDefinition>): string[] {
  if (place.value === undefined) return [];
  if (!Array.isArray(place.value)) {
    place.error('FIELD_TYPE', `${name} must be a list of topics, not ${describeType(place.value)}.`);
    return [];
  }
  const list: string[] = [];
  for (const item of place.items()) {
    if (typeof item.value !== 'string' || !Object.hasOwn(topics, item.value))
      item.error(
        'TOPIC_UNDECLARED',
        `There is no topic ${quoteName(item.value)}.`,
        didYouMean(item.value, Object.keys(topics)),
      );
    else if (list.includes(item.value)) item.error('FIELD_TYPE', `${name} names ${item.value} twice.`);
    else list.push(item.value);
  }
  return list;
}

/** Reports topics without a subscriber: their events would wait for ever. A consumer with other errors counts as a subscriber. */
export function checkSubscribed(place: Place, consumers: Place): void {
  // A consumer without topics, or with an unknown one, may mean this one.
  const read = new Set(place.entries().map(([name]) => name));
  const lost = consumers.entries().some(([, consumer]) => {
    const { value } = consumer.at('topics');
    return value === undefined || (Array.isArray(value) && value.some((topic) => !read.has(String(topic))));
  });
  if (lost) return;
  const subscribed = new Set(consumers.entries().flatMap(([, consumer]) => consumer.at('topics').value));
  for (const [name, at] of place.entries())
    if (!subscribed.has(name)) at.error('TOPIC_UNSUBSCRIBED', `No consumer reads ${name}.`, undefined, 'key');
}
