import type { Json } from '../base/json/value.js';
import type { Limits } from '../expressions/expression-engine-interface.js';
import type { BudgetRate } from './budgets.js';
import type { MetadataLimits } from './definition/metadata-limits.js';
import type { RequestRef } from './frame.js';
import type { KeptSubmission } from './step-submissions.js';
import type { EndedSpan } from './trace-context-and-run-spans.js';

/**
 * Everything that a journey needs from its environment. The hosts are Temporal, virtual time, and the gateway's process;
 * a journey has the same outcome on each.
 */
export interface Host {
  /** Milliseconds since the epoch. */
  now(): number;
  uuid(): string;
  random(): number;
  readonly limits: Limits;
  /** Maximum number of consecutive states without a wait, beyond which a cycle counts as endless. Defaults to 10,000. */
  readonly maxStates?: number;
  /** The budget of calls and timers, beyond which a cycle counts as endless. Unbounded unless set. */
  readonly calls?: BudgetRate;
  /** Limits of tags and attributes. Defaults to those of the language. */
  readonly metadata?: MetadataLimits;
  readonly timezone?: string;
  /** The scope of the whole run: interrupted by a cancel request. */
  readonly scope: Scope;
  /** Called each time the run parks, that is, when nothing can continue until a timer fires or a step arrives. */
  parked?(): void;
  /** Returns a stored submission for this step that arrived before the step was active and is valid. */
  keptSubmission?(stepId: string, schema: Json): KeptSubmission | undefined;
  /** Called when the progress counters of a state change, so that displays can be updated. */
  progressed?(): void;
  /** Maximum number of items in one map. Defaults to 10,000. */
  readonly maxItems?: number;
  /** The interpreter version that the run started with. Defaults to the newest. */
  readonly interpreter?: number;
  /** Reports something about the run to operators. Has no effect on the run. */
  note?(text: string): void;
  /** Yields to other runs and resolves when the run may continue. Without it, a run never yields before it waits. */
  yield?(): Promise<void>;
  /** Maximum size of one value that leaves the run (a request, an outcome), in bytes of JSON. Unbounded unless set. */
  readonly maxPayloadBytes?: number;
  /** Receives each span that ends, if runs are traced. */
  readonly spanEnded?: (span: EndedSpan) => void;
  /** True when the run should continue as new. Checked between states. */
  wantsContinue?(): boolean;
  /** True when continue-as-new must not wait until no effect is in flight, because the history may be full before that. */
  mustContinue?(): boolean;
  /** Maximum number of map items in flight such that their responses still fit into the history; at least 1. */
  itemsAtOnce?(): number;
}

/** A unit of interruption: the run, a branch, a wait's timeout. */
export interface Scope {
  /** Resolves at `instant`; rejects with `Interrupted` if the scope is interrupted first. `label` is shown to operators. */
  sleepUntil(instant: number, label: string): Promise<void>;
  /**
   * Makes one attempt at an effect. If the scope is interrupted meanwhile, a safe effect is abandoned and this rejects with `Interrupted`;
   * any other effect is awaited to its end, unless it is `unawaited`. Rejects with `AttemptLost` if the result of the attempt is unknown.
   */
  perform(effect: Effect): Promise<Json>;
  /** Rejects with `Interrupted` when the scope is interrupted; never resolves. */
  readonly interrupted: Promise<never>;
  /** Set once the scope is interrupted. */
  readonly interruption: Interruption | undefined;
  /** Runs `body` with this scope as the current one. */
  inside<T>(body: () => Promise<T>): Promise<T>;
  fork(): Scope;
  interrupt(cause: Interruption): void;
}

/** Reason for an interruption: a cancel request, the run's deadline, or a sibling branch that won. */
export type Interruption = 'cancel' | 'deadline' | 'superseded';

/** Thrown through the interpreter when its scope is interrupted; no state may catch it. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
  constructor(override readonly cause: Interruption) {
    super(cause);
  }
}

/** Thrown when the process that made an attempt is gone, so the effect may or may not have happened. Never thrown for safe effects. */
export class AttemptLost extends Error {
  override readonly name = 'AttemptLost';
}

/** The longest timeout of an effect that may run as a local activity, because nothing else of the run reaches the server meanwhile. */
export const maxLocalActivityMs = 10_000;

/** A side effect that a task requests, with the facts by which a host decides how to run it. */
export interface Effect {
  /** The name of the activity. */
  name: string;
  /** The input of the activity: the evaluated request, never the context. */
  input: Json;
  /** The label that operators read: the state's id. */
  label: string;
  /** Repeating it changes nothing. */
  safe: boolean;
  /** Not safe, but idempotent: it takes effect once, however often it is requested. */
  repeatable?: true;
  /** Nothing else of the run is live, so nothing is blocked while this runs. */
  alone: boolean;
  /** Total time limit in milliseconds. For a safe effect it is already clamped to the run's deadline. */
  budgetMs: number;
  /** Size of `input` in bytes of JSON, if it was measured. */
  bytes?: number;
  /** The request whose credentials it needs. The effect runs in the process that holds them. */
  request?: RequestRef;
  /** Forces how the effect runs. Tasks force `activity` if one attempt may take longer than `maxLocalActivityMs`. */
  run?: 'local' | 'activity';
  /** Performed by a worker that is not ours; `input` is the request. Unless safe, it is awaited after its cancellation was requested. */
  external?: 'activity' | 'workflow';
  /** Not safe, and still not awaited when its scope is interrupted: `perform` rejects with `Interrupted`, and its end is unknown. */
  unawaited?: true;
}
