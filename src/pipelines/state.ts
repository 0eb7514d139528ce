import type { Json } from '../base/json/value.js';
import type { Problem } from '../base/problems/problem.js';
import type { JourneyError } from '../engine/outcome.js';
import type { InterruptedCall } from '../engine/run.js';
import type { PipelineDefinition } from './definition.js';
import type { Resolution } from './messages-and-effects.js';
import type { Topics } from './topics/topic-event-store.js';

/** Version of the reducer's behaviour, recorded when a pipeline is created. Any change of its decisions needs a new version. */
export const reducerVersion = 1;

/** The whole state of a pipeline. The reducer owns it and changes it in place; `snapshot` returns it as plain JSON. */
export interface PipelineState {
  version: number;
  definition: PipelineDefinition;
  hash: string;
  deployer: string;
  deployedAt: number;
  /** A document that applies after the active run, or the reason why the last one was refused. */
  next?: { definition: PipelineDefinition; hash: string; deployer: string };
  refused?: { hash: string; at: number; problem: Problem };
  topics: Topics;
  /** Positions in the sources of topics, by topic. */
  sources: Record<string, SourceState>;
  producers: Record<string, Producer>;
  consumers: Record<string, Consumer>;
  /** Reasons for a pause; empty if it is not paused. Suspended runs pause it too. */
  pauses: Pause[];
  active?: ActiveRun;
  suspended: SuspendedRun[];
  /** Suspended runs to retry, in this order. */
  retries: SuspendedRun[];
  /** Ended runs, the newest last. */
  runs: EndedRun[];
  /** Size of `runs` in bytes. */
  runBytes: number;
  /** Numbers of runs; `begun` includes those that reserved nothing. */
  counts: { begun: number; prepares: number; committed: number; failed: number; suspended: number };
}

export interface Pause {
  reason: 'failed' | 'user' | 'removed' | 'source';
  at: number;
  note?: string;
  run?: string;
  /** Where a source stopped. */
  source?: SourceStop;
}

/** The position in a topic's source. Offsets below it were delivered, so repeated deliveries are recognised without an id. */
export interface SourceState {
  kafka: { topic: string; group: string };
  /** Time since which offsets mean these records: runs of another one with the same id are others. */
  since: number;
  /** Kafka's id of the topic, which a recreated topic does not keep; absent before the first delivery. */
  topicId?: string;
  /** The topic was recreated: offsets that Kafka has of the group may be those of the old one. */
  recreated?: true;
  /** By partition: the next offset to take, and the end of the partition at the last delivery. */
  partitions: Record<string, [next: number, end: number]>;
  /** Number of events taken. */
  taken: number;
  /** Number of offsets that Kafka deleted before they were taken. */
  lost: number;
}

/** A record that cannot be taken, or positions that the source no longer has. */
export interface SourceStop {
  /** The pipeline's topic. */
  topic: string;
  /** The record that cannot be taken. */
  record?: { id: string; partition: number; offset: number };
  /** The partition that became shorter, and its end. Absent with `record` absent: the whole topic was recreated. */
  shrunk?: { partition: number; end: number };
}

export interface Handler {
  /** State that it carries from run to run. */
  state: Json;
  /** A manual run is pending. */
  triggered?: true;
  /** Request id of the newest manual trigger, so that it can be repeated. */
  request?: string;
  last?: { run: string; at: number; status: HandlerRunStatus };
}

export interface Producer extends Handler {
  /** Time of the newest tick. */
  slot?: number;
  /** Time whose run is pending. */
  due?: number;
  /** Start of its newest run. */
  startedAt?: number;
  /** The newest time without a run, the reason, and the number of such times. */
  skipped?: { reason: SkipReason; slot: number; count: number };
}

export type SkipReason = 'busy' | 'paused' | 'missed' | 'coalesced' | 'topic_full';

export interface Consumer extends Handler {
  /** Backoff sleep of a consumer that reserved nothing. */
  sleep?: { since: number; until: number; hinted?: true };
}

export type HandlerRunStatus = 'committed' | 'failed' | 'suspended';
export type RunTrigger = 'schedule' | 'event' | 'timeout' | 'manual' | 'retry';

/** A reserved event, by topic and id. */
export type Reservation = readonly [topic: string, id: string];

export interface RunHead {
  /** Derived from the handler, the reserved events and the attempt; unique. */
  key: string;
  handler: string;
  trigger: RunTrigger;
  attempt: number;
  /** Scheduled time of a producer's run. */
  slot?: number;
  startedAt: number;
}

/** A run that holds its events. */
export interface HeldRun extends RunHead {
  reservations: Reservation[];
  /** Data from `prepare`, besides reservations. */
  data?: Json;
}

export interface ActiveRun extends HeldRun {
  phase: 'preparing' | 'mapping' | 'running';
  /** The newest event when `prepare` was evaluated. */
  seen: number;
  /** Input of its journey, unless that is too large to show. */
  input?: Json;
}

export interface SuspendedRun extends HeldRun {
  endedAt: number;
  error: JourneyError;
  /** An unsafe call with an unknown result. */
  uncertain?: InterruptedCall;
  /** Its journey succeeded, but the output could not be applied. */
  succeeded?: true;
}

export interface EndedRun extends RunHead {
  endedAt: number;
  status: HandlerRunStatus;
  /** Number of reserved events; `reservations` has the first of them. */
  events: number;
  reservations: Reservation[];
  input?: Json;
  output?: Json;
  /** Number of published events. */
  published?: number;
  error?: JourneyError;
  /** Decision of an operator. */
  resolution?: Resolution;
  /** Its size as JSON. */
  bytes: number;
}
