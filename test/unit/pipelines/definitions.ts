import type { Definition } from '../../../src/engine/definition/definition.js';
import {
  type ConsumerDefinition,
  defaultPolicy,
  type PipelineDefinition,
  type Policy,
  type ProducerDefinition,
} from '../../../src/pipelines/definition.js';

/** A journey that no test runs: the reducer only starts it. */
const handler = { name: 'work', input: undefined } as unknown as Definition;

/** A producer with default settings. */
export function producer(more: Partial<ProducerDefinition> = {}): ProducerDefinition {
  return {
    schedule: { interval: '5m' },
    misfire: 'fire_once_on_recovery',
    journey: 'work',
    publishes: [],
    state: null,
    ...more,
  };
}

/** A consumer of `topics` that reserves the oldest event. */
export function consumer(topics: string[], more: Partial<ConsumerDefinition> = {}): ConsumerDefinition {
  return { topics, journey: 'work', publishes: [], state: null, ...more };
}

/** A `prepare` whose text does not matter, because the test supplies its result. */
export const prepare = { lang: 'dataweave', expr: 'null' };

/** A pipeline of these handlers, with the topics that they name. */
export function pipeline(
  producers: Record<string, ProducerDefinition>,
  consumers: Record<string, ConsumerDefinition>,
  policy: Partial<Policy> = {},
): PipelineDefinition {
  const topics = [...Object.values(consumers).flatMap((it) => it.topics), ...both(producers, consumers)];
  return {
    kind: 'Pipeline',
    name: 'line',
    version: '1.0.0',
    tags: [],
    topics: Object.fromEntries(topics.map((topic) => [topic, {}])),
    producers,
    consumers,
    policy: { ...defaultPolicy, ...policy },
    journeys: { work: { hash: 'h', definition: handler } },
  };
}

function both(...all: Record<string, { publishes: string[] }>[]): string[] {
  return all.flatMap((them) => Object.values(them).flatMap(({ publishes }) => publishes));
}
