import type { Json } from '../base/json/value.js';
import type { Problem } from '../base/problems/problem.js';
import type { JourneyError } from '../engine/outcome.js';
import type { InterruptedCall } from '../engine/run.js';
import type { PipelineDefinition } from './definition.js';

/** Everything that can happen to a pipeline. */
export type Message =
  | Publish
  | Deliver
  | Tick
  | { type: 'trigger'; handler: string; requestId?: string }
  | { type: 'pause'; note?: string }
  | { type: 'resume' }
  | { type: 'resolve'; run: string; how: Resolution }
  | { type: 'deploy'; definition: PipelineDefinition; hash: string; deployer: string }
  | { type: 'remove'; deployer: string }
  /** Result of an `evaluate` effect. */
  | { type: 'evaluated'; run: string; value: Json }
  | { type: 'evaluated'; run: string; problem: Problem }
  /** End of the child of a `start` effect. */
  | { type: 'ended'; run: string; outcome: HandlerOutcome }
  /** Only time has passed. */
  | { type: 'clock' };

export interface Publish {
  type: 'publish';
  topic: string;
  /** Identifies the event within its topic: publishing it again is a duplicate. */
  id: string;
  payload: Json;
  /** Tells this event from an earlier one of the same id that is forgotten; the same for each delivery of the message. */
  stamp: string;
}

/** Records of one partition of a topic's source. Delivering them again is harmless: their offsets are known. */
export interface Deliver {
  type: 'deliver';
  topic: string;
  kafka: { topic: string; group: string };
  /** Kafka's id of its topic. */
  topicId: string;
  partition: number;
  /** First offset that was asked for, and the one after the last that was looked at. */
  from: number;
  until: number;
  /** Bounds of the partition. */
  start: number;
  end: number;
  /** In the order of offsets. */
  events: [offset: number, payload: Json][];
  /** The record after `events`, if it cannot be an event. */
  fault?: { offset: number; code: 'EVENT_INVALID' | 'EVENT_TOO_LARGE'; detail: string };
}

export interface Tick {
  type: 'tick';
  producer: string;
  /** Scheduled time, in milliseconds. */
  slot: number;
}

/** Decision about a suspended run: retry it, release its events, or skip them. */
export type Resolution = 'retry' | 'did_not_happen' | 'skip';

/** Outcome of a handler's journey. */
export type HandlerOutcome =
  | { kind: 'success'; output: Json }
  | {
      kind: 'fail' | 'timeout' | 'cancel' | 'error' | 'terminated';
      error: JourneyError;
      /** An unsafe call with an unknown result. */
      uncertain?: InterruptedCall;
    };

/** Answer to a message. `code` names the result; a refused message changed nothing. */
export type Answer =
  | { ok: true; code: AnswerCode; run?: string; source?: SourceAnswer }
  | { ok: false; problem: Problem };

/** Answer to a delivery. */
export interface SourceAnswer {
  /** The next offset of the partition; absent if none is known. */
  next?: number;
  room: TopicCapacity;
}

/** Room for further events of a topic. */
export interface TopicCapacity {
  events: number;
  bytes: number;
}

export type AnswerCode =
  /** publish */
  | 'accepted'
  | 'replaced'
  | 'duplicate'
  /** deliver */
  | 'delivered'
  /** tick, trigger: a run was started */
  | 'started'
  | 'queued'
  | 'skipped'
  | 'nothing_pending'
  /** pause, resume, deploy, remove: nothing to change */
  | 'unchanged'
  | 'done'
  /** deploy: applies after the active run */
  | 'waiting';

/** Work for the host of a pipeline. */
export type PipelineEffect = EvaluateEffect | StartEffect;

/** Evaluate an expression with `evaluateFor`, and hand the resulting message to the reducer. */
export interface EvaluateEffect {
  type: 'evaluate';
  run: string;
  handler: string;
  /** `correlate` evaluates the keys of the events in its bindings. */
  what: 'prepare' | 'input' | 'correlate';
  bindings: Record<string, Json>;
}

/** Run the handler's journey as a child, and report its end as `ended`. */
export interface StartEffect {
  type: 'start';
  run: string;
  handler: string;
  /** The journey's name in `definition.journeys`. */
  journey: string;
  input: Json;
}
