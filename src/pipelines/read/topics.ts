import { describe, given, isBlock, named, optionalText } from '../../document/fields.js';
import type { Place } from '../../document/place.js';
import { didYouMean } from '../../document/suggest.js';
import { inlineSchema } from '../../reading/json-schema.js';
import type { TopicDefinition } from '../definition.js';

/** Names of topics and handlers: they stand in URLs and, where they hold no dash, unquoted in expressions. */
export const namePattern = /^[A-Za-z][A-Za-z0-9_-]{0,62}$/;

/** `spec.topics`. */
export function readTopics(place: Place): Record<string, TopicDefinition> {
  const topics = Object.create(null) as Record<string, TopicDefinition>;
  isBlock(place, 'FIELD_TYPE', 'topics');
  for (const [name, at] of place.entries()) {
    if (!namePattern.test(name)) at.error('TOPIC_NAME', `"${name.slice(0, 80)}" cannot be a topic.`, undefined, 'key');
    topics[name] = {};
    if (at.value === null || !isBlock(at, 'FIELD_TYPE', `The topic "${name}"`)) continue;
    at.only(['description', 'schema']);
    const schema = at.has('schema') ? inlineSchema(at.at('schema')) : undefined;
    const description = optionalText(at.at('description'), 'FIELD_TYPE', 'description');
    topics[name] = { ...given('description', description), ...given('schema', schema) };
  }
  return topics;
}

/** A list of declared topics. */
export function topicList(place: Place, name: string, topics: Record<string, TopicDefinition>): string[] {
  if (place.value === undefined) return [];
  if (!Array.isArray(place.value)) {
    place.error('FIELD_TYPE', `${name} must be a list of topics, not ${describe(place.value)}.`);
    return [];
  }
  const list: string[] = [];
  for (const item of place.items()) {
    if (typeof item.value !== 'string' || !Object.hasOwn(topics, item.value))
      item.error(
        'TOPIC_UNDECLARED',
        `There is no topic ${named(item.value)}.`,
        didYouMean(item.value, Object.keys(topics)),
      );
    else if (list.includes(item.value)) item.error('FIELD_TYPE', `${name} names ${item.value} twice.`);
    else list.push(item.value);
  }
  return list;
}

/** Events in a topic without a subscriber would wait for ever. A consumer with other faults subscribes all the same. */
export function checkSubscribed(place: Place, consumers: Place): void {
  // A consumer that names no topic, or one that is not there, may mean this one.
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
