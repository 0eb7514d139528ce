import { given, isBlock, optionalOneOf, optionalText } from '../../document/fields.js';
import type { Place } from '../../document/place.js';
import { didYouMean } from '../../document/suggest.js';
import type { Json } from '../../json/value.js';
import { expression, mapperIn } from '../../reading/expressions.js';
import type { LoadOptions } from '../../reading/load-options.js';
import type { Reading } from '../../reading/reading.js';
import { minute, second } from '../../scheduling/cadence/cadence.js';
import { readSchedule } from '../cadence.js';
import type {
  ConsumerDefinition,
  HandlerDefinition,
  PipelineDefinition,
  ProducerDefinition,
  ProducerSchedule,
  TopicDefinition,
} from '../definition.js';
import { room } from '../room.js';
import { bindingsOf } from '../runs.js';
import { type Journeys, readHandlerJourney } from './journeys.js';
import { namePattern, topicList } from './topics.js';

/** What handlers need to know about the rest of the document. */
export interface HandlerReading {
  reading: Reading;
  topics: Record<string, TopicDefinition>;
  journeys: Journeys;
  /** The journeys that are used. */
  used: PipelineDefinition['journeys'];
}

const handlerFields = ['description', 'journey', 'input', 'publishes', 'state'];

/** `spec.producers`. */
export function readProducers(
  place: Place,
  within: HandlerReading,
  { minScheduleIntervalSec }: LoadOptions,
): Record<string, ProducerDefinition> {
  const shortest = minScheduleIntervalSec === undefined ? minute : minScheduleIntervalSec * second;
  return readAll(place, 'producers', (at) => {
    at.only([...handlerFields, 'schedule', 'misfire']);
    const handler = readHandler(at, within, bindingsOf.producerInput);
    const schedule = readProducerSchedule(at, shortest);
    const misfires = ['fire_once_on_recovery', 'skip_missed'] as const;
    const misfire = optionalOneOf(at.at('misfire'), misfires, 'PRODUCER_SCHEDULE', 'misfire') ?? misfires[0];
    return handler && schedule && { ...handler, schedule, misfire };
  });
}

/** `spec.consumers`. */
export function readConsumers(
  place: Place,
  within: HandlerReading,
  producers: ReadonlySet<string>,
): Record<string, ConsumerDefinition> {
  return readAll(place, 'consumers', (at, name) => {
    at.only([...handlerFields, 'topics', 'prepare']);
    if (producers.has(name)) at.error('HANDLER_DUPLICATE', `A producer is called ${name} too.`, undefined, 'key');
    const handler = readHandler(at, within, bindingsOf.consumerInput);
    const topics = topicList(at.at('topics'), 'topics', within.topics);
    const { value } = at.at('topics');
    const misspelt = value === undefined && at.at('topics').isMisspelt;
    if (!misspelt && (value === undefined || (Array.isArray(value) && value.length === 0)))
      at.error(
        'FIELD_REQUIRED',
        `The consumer ${name} names no topics.`,
        'Add topics: with the topics it reads.',
        'key',
      );
    const site = { kind: 'mapper' as const, reading: within.reading, common: bindingsOf.prepare };
    const prepare = at.has('prepare') ? expression(at.at('prepare'), site) : undefined;
    if (prepare && topics.length > 0) checkTopics(at.at('prepare'), prepare.expr, topics);
    return handler && { ...handler, topics, ...given('prepare', prepare) };
  });
}

/** `events` and `pending` by topic, in the ways in which both languages write names. */
const byTopic =
  /(?<![\w.$])(?:events|pending)\s*(?:\.\s*(?:([A-Za-z_][\w-]*)|`([^`]+)`|"([^"]+)"|'([^']+)')|\[\s*(?:"([^"]+)"|'([^']+)')\s*\])/g;

/** A topic that the consumer does not read has no events, ever: it would sleep for good. */
function checkTopics(place: Place, expr: string, topics: readonly string[]): void {
  const named = [...expr.matchAll(byTopic)].map(([, ...names]) => names.find(Boolean)!);
  for (const topic of new Set(named.filter((it) => !topics.includes(it))))
    place
      .at('expr')
      .warn('PREPARE_TOPIC', `The consumer does not read a topic "${topic}".`, didYouMean(topic, new Set(topics)));
}

function readAll<H>(place: Place, what: string, read: (at: Place, name: string) => H | undefined): Record<string, H> {
  const all = Object.create(null) as Record<string, H>;
  isBlock(place, 'FIELD_TYPE', what);
  if (place.entries().length > room.handlers)
    place.error(
      'PIPELINE_TOO_LARGE',
      `There are ${place.entries().length} ${what}; at most ${room.handlers} are allowed.`,
    );
  for (const [name, at] of place.entries()) {
    if (!namePattern.test(name)) at.error('HANDLER_NAME', `"${name.slice(0, 80)}" cannot be a name.`, undefined, 'key');
    if (!isBlock(at, 'FIELD_TYPE', `"${name}"`)) continue;
    const handler = read(at, name);
    if (handler) all[name] = handler;
  }
  return all;
}

function readHandler(at: Place, within: HandlerReading, bindings: readonly string[]): HandlerDefinition | undefined {
  const entry = readHandlerJourney(at.has('journey') ? at.at('journey') : at, within.journeys);
  const input = at.at('input');
  const hasInput = isBlock(input, 'FIELD_TYPE', 'input');
  if (hasInput) input.only(['mapper', 'mapperRef']);
  const mapper = hasInput ? mapperIn(input, { kind: 'mapper', reading: within.reading, common: bindings }) : undefined;
  const publishes = topicList(at.at('publishes'), 'publishes', within.topics);
  const description = optionalText(at.at('description'), 'FIELD_TYPE', 'description');
  if (!entry) return undefined;
  const journey = entry.definition.name;
  within.used[journey] = { hash: entry.hash, definition: entry.definition };
  return {
    ...given('description', description),
    journey,
    ...given('input', mapper),
    publishes,
    state: (at.at('state').value ?? null) as Json,
  };
}

function readProducerSchedule(producer: Place, shortest: number): ProducerSchedule | undefined {
  const place = producer.at('schedule');
  if (!isBlock(place, 'PRODUCER_SCHEDULE', 'schedule')) {
    if (place.value === undefined)
      producer.error('PRODUCER_SCHEDULE', 'The producer has no schedule.', undefined, 'key');
    return undefined;
  }
  place.only(['interval', 'cron', 'zone'], 'error', (key) => (key === 'timezone' ? 'It is called zone.' : undefined));
  const { interval, cron, zone } = place.object!;
  if ((interval === undefined) === (cron === undefined) || (zone !== undefined && cron === undefined)) {
    place.error('PRODUCER_SCHEDULE', 'A schedule has either interval, or cron and zone.');
    return undefined;
  }
  const text = (it: Json | undefined): string => (typeof it === 'string' ? it : JSON.stringify(it ?? null));
  const schedule: ProducerSchedule =
    interval === undefined
      ? { cron: text(cron), zone: zone === undefined ? 'UTC' : text(zone) }
      : { interval: text(interval) };
  const { findings } = readSchedule(schedule, '', { shortest });
  for (const { code, message, hint, pointer } of findings)
    place.at(pointer.slice(1)).error(code as Parameters<Place['error']>[0], `${message}.`, hint);
  return findings.length === 0 ? schedule : undefined;
}
