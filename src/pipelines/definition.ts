import type { Json } from '../base/json/value.js';
import type { Definition, Expression } from '../engine/definition/definition.js';

/**
 * A pipeline as the reducer runs it: normalised, self-contained, immutable. It carries the journeys of its handlers, so that a changed file
 * never reaches a pipeline before its next deployment. It is plain JSON.
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
  /** Returns the key of an event, by which consumers of several topics match it with events of the others. */
  correlate?: Expression;
  /** An external backlog, from which workers read events while the topic has free capacity. */
  source?: { kafka: KafkaSource };
}

/** A Kafka topic, read as a member of a consumer group. */
export interface KafkaSource {
  topic: string;
  group: string;
  /** A reference to the connection; the configured one when absent. */
  connectionSecretRef?: string;
}

/** Common part of producers and consumers: a journey, its input, and the topics that it may publish to. */
export interface HandlerDefinition {
  description?: string;
  /** Name of the journey. */
  journey: string;
  /** Input of the journey; the default is the bindings of the mapper. */
  input?: Expression;
  /** Topics that its output may publish to. */
  publishes: string[];
  /** Initial state; later its journey's `output.state`. */
  state: Json;
}

export interface ProducerDefinition extends HandlerDefinition {
  schedule: ProducerSchedule;
  /** Handling of a time that was missed. */
  misfire: 'fire_once_on_recovery' | 'skip_missed';
}

/** Schedule of a producer, as its author wrote it; `cadenceOf` compiles it. */
export type ProducerSchedule = { interval: string } | { cron: string; zone: string };

export interface ConsumerDefinition extends HandlerDefinition {
  topics: string[];
  /** Chooses the events of the next run; without it, the oldest one. */
  prepare?: Expression;
}

/** Limits and behaviour of the whole pipeline. */
export interface Policy {
  /** Sleep of a consumer that reserved nothing, in milliseconds. */
  backoffMs: number;
  /** Handling of a producer that is due while a run is active. */
  producerBusy: 'skip' | 'queue';
  /** Whether `prepare` may return `wakeAt`. */
  wakeHints: boolean;
  /** The most live events of one topic. */
  topicEvents: number;
  /** The largest payload of an event, in bytes of JSON. */
  payloadBytes: number;
  /** Number of a topic's oldest pending events that `prepare` sees. */
  window: number;
  /** Number of ended runs that are kept. */
  runs: number;
}

/** The default policy. */
export const defaultPolicy: Policy = {
  backoffMs: 300_000,
  producerBusy: 'skip',
  wakeHints: false,
  topicEvents: 10_000,
  payloadBytes: 65_536,
  window: 1_000,
  runs: 50,
};

/** A handler by its name, which is unique among producers and consumers. */
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
