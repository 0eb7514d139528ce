import type { JourneyError } from '../engine/outcome.js';
import type { Json } from '../json/value.js';
import type { Problem } from '../problems/problem.js';
import type { PipelineDefinition } from './definition.js';
import type { Resolution } from './message.js';
import type { Topics } from './topics.js';

/** Which rules a pipeline began with; a change in what the reducer decides is a new version. */
export const reducerVersion = 1;

/** Everything a pipeline knows. The reducer owns it and changes it in place; `snapshot` gives it as plain JSON. */
export interface PipelineState {
  version: number;
  definition: PipelineDefinition;
  hash: string;
  deployer: string;
  deployedAt: number;
  /** A document that applies after the active run, or the reason why the last one could not. */
  next?: { definition: PipelineDefinition; hash: string; deployer: string };
  refused?: { hash: string; at: number; problem: Problem };
  topics: Topics;
  producers: Record<string, Producer>;
  consumers: Record<string, Consumer>;
  /** Why it is paused; empty when it is not. Suspended runs pause it too. */
  pauses: Pause[];
  active?: ActiveRun;
  suspended: SuspendedRun[];
  /** Suspended runs that a person wants to run again, in this order. */
  retries: SuspendedRun[];
  /** Ended runs, the newest last. */
  runs: EndedRun[];
  /** Bytes of what `runs` shows. */
  runBytes: number;
  /** What it has counted; `begun` are also those that reserved nothing. */
  counts: { begun: number; prepares: number; committed: number; failed: number; suspended: number };
}

export interface Pause {
  reason: 'failed' | 'user' | 'removed';
  at: number;
  note?: string;
  run?: string;
}

export interface Handler {
  /** What it carries from run to run. */
  state: Json;
  /** A person asked for a run; it waits its turn. */
  triggered?: true;
  /** The request of the newest manual trigger, so that it can be repeated. */
  request?: string;
  last?: { run: string; at: number; status: RunStatus };
}

export interface Producer extends Handler {
  /** The newest time whose tick was seen. */
  slot?: number;
  /** A time that waits for its run. */
  due?: number;
  /** When its newest run began. */
  startedAt?: number;
  /** The newest time that had no run, why, and how many there were. */
  skipped?: { reason: SkipReason; slot: number; count: number };
}

export type SkipReason = 'busy' | 'paused' | 'missed' | 'coalesced' | 'topic_full';

export interface Consumer extends Handler {
  /** It reserved nothing, and sleeps until then unless something wakes it. */
  sleep?: { since: number; until: number; hinted?: true };
}

export type RunStatus = 'committed' | 'failed' | 'suspended';
export type RunTrigger = 'schedule' | 'event' | 'timeout' | 'manual' | 'retry';

/** A reserved event, by topic and id. */
export type Reservation = readonly [topic: string, id: string];

export interface RunHead {
  /** Made from the handler, what it reserved and which attempt it is; never used twice. */
  key: string;
  handler: string;
  trigger: RunTrigger;
  attempt: number;
  /** The time a producer's run stands for. */
  slot?: number;
  startedAt: number;
}

/** A run that holds its events. */
export interface HeldRun extends RunHead {
  reservations: Reservation[];
  /** What `prepare` gave besides reservations. */
  data?: Json;
}

export interface ActiveRun extends HeldRun {
  phase: 'preparing' | 'mapping' | 'running';
  /** The newest event when `prepare` was asked: what came later it has not seen. */
  seen: number;
  /** What its journey was given, unless that is too large to show. */
  input?: Json;
}

export interface SuspendedRun extends HeldRun {
  endedAt: number;
  error: JourneyError;
}

export interface EndedRun extends RunHead {
  endedAt: number;
  status: RunStatus;
  /** How many events it reserved, and the ids of the first of them. */
  events: number;
  reservations: Reservation[];
  input?: Json;
  output?: Json;
  /** How many events it published. */
  published?: number;
  error?: JourneyError;
  /** What a person decided about it. */
  resolution?: Resolution;
  /** Its size as JSON. */
  bytes: number;
}
