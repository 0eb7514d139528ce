import type { MetadataLimits } from '../definition/metadata-limits.js';
import type { Limits } from '../expressions/expression.js';
import type { Json } from '../json/value.js';
import type { Rate } from './allowance.js';
import type { RequestRef } from './frame.js';
import type { EndedSpan } from './trace.js';

/**
 * Everything a journey needs from the outside. Temporal is one host, virtual time another, the gateway's process a third;
 * the same journey ends the same way on each.
 */
export interface Host {
  /** Milliseconds since the epoch. */
  now(): number;
  uuid(): string;
  random(): number;
  readonly limits: Limits;
  /** States in a row without waiting for anything; beyond it a cycle is taken for endless. 10,000 unless set. */
  readonly maxStates?: number;
  /** What a run may ask of the world, calls and timers together; beyond it a cycle is taken for endless. Unbounded unless set. */
  readonly calls?: Rate;
  /** Bounds of tags and attributes; those of the language unless set. */
  readonly metadata?: MetadataLimits;
  readonly timezone?: string;
  /** The scope of the whole run: interrupted by a cancel request. */
  readonly scope: Scope;
  /** Nothing can go on before a timer fires or a step arrives. Called each time the run comes to rest. */
  parked?(): void;
  /** A valid submission for this step that came before the step was active, if one was kept. */
  keptSubmission?(stepId: string, schema: Json): Json | undefined;
  /** A state that works through many things is a little further: what shows that can be renewed. */
  progressed?(): void;
  /** The most items that one map may have; 10,000 unless set. */
  readonly maxItems?: number;
  /** The version of the interpreter that the run began with; the newest unless set. */
  readonly interpreter?: number;
  /** Takes what an operator should know about the run; it changes nothing. */
  note?(text: string): void;
  /**
   * Lets other runs go on; resolves when it is this one's turn again. `ahead` says by how many turns the run has computed more than its
   * share, at least 1; `units` how much it computed in the turn that ends. Without it, a run goes on until it waits.
   */
  pause?(ahead: number, units: number): Promise<void>;
  /** After a pause each branch of the run asks again whether the turn lasts. Runs that began without it go on with all branches at once. */
  readonly turnsByBranch?: boolean;
  /** The most bytes of JSON in one value that is handed over: a request, an outcome. Unbounded unless set. */
  readonly maxPayloadBytes?: number;
  /** Takes each span that ends, where runs are traced. */
  readonly spanEnded?: (span: EndedSpan) => void;
  /** True when the run should start over with a fresh history; asked between states. */
  wantsContinue?(): boolean;
  /** True when that cannot wait for a moment in which nothing is in flight, because there may be none before the history is full. */
  mustContinue?(): boolean;
  /** How many items of a map may be in progress, so that what they are answered still fits into the history; at least 1. */
  itemsAtOnce?(): number;
}

/** Holds work that is interrupted together: the run, a branch, a wait's timeout. */
export interface Scope {
  /** Resolves at `instant`; rejects with `Interrupted` when the scope is. `label` is what an operator reads. */
  sleepUntil(instant: number, label: string): Promise<void>;
  /** Does something in the world once, as far as that can be promised. Rejects with `Interrupted` when the scope is. */
  perform(effect: Effect): Promise<Json>;
  /** Rejects with `Interrupted` when the scope is interrupted; never resolves. */
  readonly interrupted: Promise<never>;
  /** Set once the scope is interrupted. */
  readonly interruption: Interruption | undefined;
  /** Runs `body` with this scope as the surrounding one, so that what happens in it needs no scope of its own. */
  inside<T>(body: () => Promise<T>): Promise<T>;
  fork(): Scope;
  interrupt(cause: Interruption): void;
}

/** Why work stops: the user's cancel, the run's deadline, or a sibling branch that won. */
export type Interruption = 'cancel' | 'deadline' | 'superseded';

/** Thrown through the interpreter when its scope is interrupted; no state may catch it. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
  constructor(override readonly cause: Interruption) {
    super(cause);
  }
}

/** Something a task asks the world to do, with what a host needs to choose how. */
export interface Effect {
  /** The name of the activity. */
  name: string;
  /** What the activity gets: the evaluated request, never the context. */
  input: Json;
  /** What an operator reads: the state's id. */
  label: string;
  /** A repetition changes nothing in the world. */
  safe: boolean;
  /** It changes the world, but however often it is asked for, it happens once. */
  repeatable?: true;
  /** Nothing else of the run is live, so nothing is held up while this runs. */
  alone: boolean;
  /** The time it may take in all, in milliseconds; already clamped to the run's deadline. */
  budgetMs: number;
  /** The size of `input` as JSON, where it was measured. */
  bytes?: number;
  /** The request whose credentials it needs: it is done where that is. */
  request?: RequestRef;
  /** Forces how the effect runs. */
  run?: 'local' | 'activity';
}
