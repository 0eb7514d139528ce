import type { Definition, Expression } from '../definition/definition.js';
import type { Json } from '../json/value.js';

/**
 * A pipeline as the reducer runs it: normalised, self-contained, immutable. It carries the journeys of its handlers, so that a changed file
 * never reaches a pipeline that was not deployed again. It is plain JSON.
 */
export interface PipelineDefinition {
  kind: 'Pipeline';
  name: string;
  version: string;
  description?: string;
  tags: string[];
  topics: Record<string, TopicDefinition>;
  producers: Record<string, ProducerDefinition>;
  consumers: Record<string, ConsumerDefinition>;
  policy: Policy;
  /** The journeys of all handlers, by name. */
  journeys: Record<string, { hash: string; definition: Definition }>;
}

export interface TopicDefinition {
  description?: string;
  /** JSON Schema 2020-12 of a payload. */
  schema?: Json;
}

/** What producers and consumers share: a journey, what it is given, and what it may give back. */
export interface HandlerDefinition {
  description?: string;
  /** Name of the journey. */
  journey: string;
  /** What the journey starts with; without it, what `inputBindings` binds. */
  input?: Expression;
  /** Topics that its output may publish to. */
  publishes: string[];
  /** The state it begins with; later its journey's `output.state`. */
  state: Json;
}

export interface ProducerDefinition extends HandlerDefinition {
  schedule: ProducerSchedule;
  /** What becomes of a time that was missed while nothing ran. */
  misfire: 'fire_once_on_recovery' | 'skip_missed';
}

/** When a producer runs, as its author wrote it; `cadenceOf` makes a cadence of it. */
export type ProducerSchedule = { interval: string } | { cron: string; zone: string };

export interface ConsumerDefinition extends HandlerDefinition {
  topics: string[];
  /** Chooses the events of the next run; without it, the oldest one. */
  prepare?: Expression;
}

/** What the host allows, whatever the handlers say. */
export interface Policy {
  /** How long a consumer sleeps that reserved nothing, in milliseconds. */
  backoffMs: number;
  /** What becomes of a producer whose time comes while something runs. */
  producerBusy: 'skip' | 'queue';
  /** Whether `prepare` may say when it wants to be asked again. */
  wakeHints: boolean;
  /** The most events of one topic that wait. */
  topicEvents: number;
  /** The largest payload of an event, in bytes of JSON. */
  payloadBytes: number;
  /** How many of a topic's oldest pending events `prepare` sees. */
  window: number;
  /** How many ended runs are kept for people to look at. */
  runs: number;
}

/** The policy of a pipeline that names none. */
export const defaultPolicy: Policy = {
  backoffMs: 300_000,
  producerBusy: 'skip',
  wakeHints: false,
  topicEvents: 10_000,
  payloadBytes: 65_536,
  window: 1_000,
  runs: 50,
};

/** A handler by its name, which no other producer or consumer of the pipeline has. */
export function handlerOf(
  { producers, consumers }: PipelineDefinition,
  name: string,
): ProducerDefinition | ConsumerDefinition | undefined {
  return Object.hasOwn(consumers, name)
    ? consumers[name]
    : Object.hasOwn(producers, name)
      ? producers[name]
      : undefined;
}
