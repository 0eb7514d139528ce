import { didYouMean } from '../../base/document/did-you-mean.js';
import type { Place } from '../../base/document/placed-value.js';
import {
  asExpression,
  ifDefined,
  isBlock,
  optionalOneOf,
  optionalText,
  quoteName,
} from '../../base/document/read-fields.js';
import { type Json, own } from '../../base/json/value.js';
import type { Definition } from '../../engine/definition/definition.js';
import type { Reading } from '../../language/read/document-reading-state.js';
import type { LoadOptions } from '../../language/read/load-options.js';
import { expression, hasMapper, mapper } from '../../language/read/read-expressions-and-mappers.js';
import { statesReachableFrom } from '../../language/states/graph-traversal.js';
import { isStep } from '../../language/states/state-queries.js';
import { minute, second } from '../../schedules/cadence/cadence.js';
import type {
  ConsumerDefinition,
  HandlerDefinition,
  PipelineDefinition,
  ProducerDefinition,
  ProducerSchedule,
  TopicDefinition,
} from '../definition.js';
import { readSchedule } from '../read-producer-schedule.js';
import { bindingsOf } from '../reserve-events-and-begin-run.js';
import { stateLimits } from '../state-limits.js';
import { namePattern, topicList } from './read-topics.js';

/** Parts of the document that handlers refer to. */
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
    if (prepare && topics.length > 0) checkTopics(textOf(at.at('prepare')), prepare.expr, topics);
    if (prepare && topics.length > 1) checkCost(textOf(at.at('prepare')), prepare.expr);
    return handler && { ...handler, topics, ...ifDefined('prepare', prepare) };
  });
}

function textOf(expression: Place): Place {
  return expression.object ? expression.at('expr') : expression;
}

/** Matches `events` and `pending` by topic, in the notations of both expression languages. */
const byTopic =
  /(?<![\w.$])(?:events|pending)\s*(?:\.\s*(?:([A-Za-z_][\w-]*)|`([^`]+)`|"([^"]+)"|'([^']+)')|\[\s*(?:"([^"]+)"|'([^']+)')\s*\])/g;

/** Warns of topics that the consumer does not read: they never have events for it. */
function checkTopics(place: Place, expr: string, topics: readonly string[]): void {
  const named = [...expr.matchAll(byTopic)].map(([, ...names]) => names.find(Boolean)!);
  for (const topic of new Set(named.filter((it) => !topics.includes(it))))
    place.warn('PREPARE_TOPIC', `The consumer does not read a topic "${topic}".`, didYouMean(topic, new Set(topics)));
}

/** Warns of a `prepare` of several topics that searches a list for each event: its cost grows with the square of the pending events. */
function checkCost(place: Place, expr: string): void {
  if (!searches(expr)) return;
  place.warn(
    'PREPARE_QUADRATIC',
    'It searches a list for each event, so its cost grows with the square of the events.',
  );
}

const search = /\b(?:contains|filter|find|firstWith|some|every|indexOf|events\s*\.)\b|\bevents\s*[.[]/;

/** Whether a function in an expression contains a search: in DataWeave after `->`, in JSONata a filter with `in`. */
function searches(expr: string): boolean {
  for (const { index } of expr.matchAll(/->/g)) if (search.test(bodyFrom(expr, index + 2))) return true;
  return /\bevents\b[^\n]*\[[^\]]*\bin\b\s*\$/.test(expr);
}

/** The body of a function that begins here, up to the parenthesis that closes around it. */
function bodyFrom(expr: string, start: number): string {
  let depth = 0;
  for (let at = start; at < expr.length; at++) {
    if (expr[at] === '(') depth += 1;
    else if (expr[at] === ')' && --depth < 0) return expr.slice(start, at);
  }
  return expr.slice(start);
}

function readAll<H>(place: Place, what: string, read: (at: Place, name: string) => H | undefined): Record<string, H> {
  const all = Object.create(null) as Record<string, H>;
  isBlock(place, 'FIELD_TYPE', what);
  if (place.entries().length > stateLimits.handlers)
    place.error(
      'PIPELINE_TOO_LARGE',
      `There are ${place.entries().length} ${what}; at most ${stateLimits.handlers} are allowed.`,
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
  const site = { kind: 'mapper' as const, reading: within.reading, common: bindings };
  const computed = isBlock(input, 'FIELD_TYPE', 'input', asExpression) ? mapper(input, site) : undefined;
  const publishes = topicList(at.at('publishes'), 'publishes', within.topics);
  const description = optionalText(at.at('description'), 'FIELD_TYPE', 'description');
  if (!entry) return undefined;
  if (!hasMapper(input)) checkInput(at, entry.definition, bindings);
  const journey = entry.definition.name;
  within.used[journey] = { hash: entry.hash, definition: entry.definition };
  return {
    ...ifDefined('description', description),
    journey,
    ...ifDefined('input', computed),
    publishes,
    state: (at.at('state').value ?? null) as Json,
  };
}

/** Reports fields that the journey requires and that a handler without an input mapper does not give it. */
function checkInput(at: Place, { name, input }: Definition, bindings: readonly string[]): void {
  const given = bindings.filter((it) => it !== 'event' && it !== 'trigger');
  const required = own(input?.schema ?? null, 'required');
  const missing = (Array.isArray(required) ? required : []).filter((it) => !given.includes(String(it)));
  if (missing.length > 0)
    at.error(
      'HANDLER_INPUT',
      `${name} requires ${missing.join(', ')}, but without input it gets only ${given.join(', ')}.`,
      undefined,
      'key',
    );
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

/** The documents that a handler may name: the highest version of each. */
export interface Journeys {
  find(name: string): { hash: string; definition: Definition } | undefined;
  names(): readonly string[];
}

/** Reads `journey` of a handler: a journey that needs no input while it runs. */
function readHandlerJourney(place: Place, journeys: Journeys): { hash: string; definition: Definition } | undefined {
  const entry = typeof place.value === 'string' ? journeys.find(place.value) : undefined;
  if (!entry) {
    place.error(
      'HANDLER_JOURNEY',
      `There is no journey ${quoteName(place.value)}.`,
      didYouMean(place.value, journeys.names()),
    );
    return undefined;
  }
  const { definition } = entry;
  if (definition.kind === 'Api') {
    place.error(
      'HANDLER_JOURNEY',
      `${definition.name} is an Api.`,
      'Use kind: Journey: a handler must survive a crash.',
    );
    return undefined;
  }
  const steps = [...statesReachableFrom(definition, definition.start, definition.subjourneys)]
    .filter(({ state }) => isStep(state))
    .map(({ id }) => `"${id}"`);
  if (steps.length > 0) {
    place.error(
      'HANDLER_INTERACTIVE',
      `${definition.name} can reach ${[...new Set(steps)].join(', ')}, where it waits for input.`,
    );
    return undefined;
  }
  return entry;
}
