import type { JourneyError } from '../engine/outcome.js';
import type { Json } from '../json/value.js';
import type { Problem } from '../problems/problem.js';
import type { PipelineDefinition } from './definition.js';

/** Everything that can happen to a pipeline. */
export type Message =
  | Publish
  | Tick
  | { type: 'trigger'; handler: string; requestId?: string }
  | { type: 'pause'; note?: string }
  | { type: 'resume' }
  | { type: 'resolve'; run: string; how: Resolution }
  | { type: 'deploy'; definition: PipelineDefinition; hash: string; deployer: string }
  | { type: 'remove'; deployer: string }
  /** What an `evaluate` effect gave. */
  | { type: 'evaluated'; run: string; value: Json }
  | { type: 'evaluated'; run: string; problem: Problem }
  /** How the child of a `start` effect ended. */
  | { type: 'ended'; run: string; outcome: HandlerOutcome }
  /** Time went by; nothing else happened. */
  | { type: 'clock' };

export interface Publish {
  type: 'publish';
  topic: string;
  /** Names the event within its topic: publishing it again is no second event. */
  id: string;
  payload: Json;
  /** Sets this event apart from an earlier one of the same id that is forgotten; the same whenever the message is delivered again. */
  stamp: string;
}

export interface Tick {
  type: 'tick';
  producer: string;
  /** The time it stands for, in milliseconds. */
  slot: number;
}

/** What a person decides about a suspended run: run it again, let its events wait again, or leave them out. */
export type Resolution = 'retry' | 'did_not_happen' | 'skip';

/** How a handler's journey ended. */
export type HandlerOutcome =
  | { kind: 'success'; output: Json }
  | {
      kind: 'fail' | 'timeout' | 'cancel' | 'error' | 'terminated';
      error: JourneyError;
      /** An unsafe call may or may not have happened. */
      uncertain?: boolean;
    };

/** What a message comes to, for whoever sent it. `code` names what it came to in one word; a refusal changed nothing. */
export type Answer = { ok: true; code: AnswerCode; run?: string } | { ok: false; problem: Problem };

export type AnswerCode =
  /** publish */
  | 'accepted'
  | 'replaced'
  | 'duplicate'
  /** tick, trigger: a run began */
  | 'started'
  | 'queued'
  | 'skipped'
  | 'nothing_pending'
  /** pause, resume, deploy, remove: it was so already */
  | 'unchanged'
  | 'done'
  /** deploy: it applies after the run that is active */
  | 'waiting';

/** What the host does for a pipeline. */
export type Effect = EvaluateEffect | StartEffect;

/** Evaluate an expression with `evaluateFor`, and hand the message that it gives back to the reducer. */
export interface EvaluateEffect {
  type: 'evaluate';
  run: string;
  handler: string;
  what: 'prepare' | 'input';
  bindings: Record<string, Json>;
}

/** Run the handler's journey as a child, and say how it `ended`. */
export interface StartEffect {
  type: 'start';
  run: string;
  handler: string;
  /** The journey's name in `definition.journeys`. */
  journey: string;
  input: Json;
}
