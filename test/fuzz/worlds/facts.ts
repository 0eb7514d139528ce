import type { Json } from '../../../src/base/json/value.js';

/** The retry policy of a call. */
export interface Retry {
  attempts: number;
  on: readonly string[];
  delayMs: number;
}

/** A call of `httpCall:v1`, as the generator meant it. */
export interface HttpFact {
  is: 'http';
  next: string;
  unsafe: boolean;
  timeoutMs: number;
  notify: boolean;
  resultVar?: string;
  retry?: Retry;
  /** Not repeated after an attempt that may have taken effect. */
  once: boolean;
  onError?: ErrorEntry[];
  poll?: { everyMs: number; max: number };
}

/** An entry of `onError`; without `on`, for every failure. */
export interface ErrorEntry {
  on?: readonly string[];
  next: string;
}

/** Any other task that requests an effect. */
export interface EffectFact {
  is: 'effect';
  kind: string;
  next: string;
  resultVar?: string;
  onError?: ErrorEntry[];
}

export interface ParallelFact {
  is: 'parallel';
  next: string;
  branches: readonly string[];
  strategy: 'allOf' | 'anyOf' | 'firstCompleted';
  errorPolicy: 'collectAll' | 'failFast' | 'ignoreErrors';
  /** The variable for the branches' contexts and outcomes; without it, changes are merged. */
  resultVar?: string;
}

export interface MapFact {
  is: 'map';
  next: string;
  /** The variable for the results. */
  resultVar: string;
  /** The result has results and failures; otherwise it is the list of results. */
  detailed: boolean;
  items: readonly Json[];
  /** The path of a computed list in the context. */
  list?: readonly string[];
  keys: boolean;
  maxConcurrency: number;
  /** The number of failed items that the map tolerates. */
  tolerated: number;
  /** The map ends when this many results exist. */
  enough?: number;
}

export interface SubjourneyFact {
  is: 'subjourney';
  next: string;
  ref: string;
  resultVar: string;
  wholeOutcome: boolean;
  captures: boolean;
}

export interface StepFact {
  is: 'step';
  next: string;
  timeoutMs?: number;
  onTimeout?: string;
}

/** The meaning of one state in the generator's own terms, for the checks of the engine. */
export type Fact =
  | { is: 'set'; next: string; variable: string; from: string; add: number }
  | { is: 'take'; next: string; variable: string }
  | { is: 'path'; next: string; path: readonly [string, string]; from: string }
  | { is: 'swap'; next: string }
  | { is: 'attribute'; next: string; name: string; from: string }
  | { is: 'choice'; over: string; above: readonly { above: number; next: string }[]; otherwise?: string }
  /** A choice of the compensation, whose condition is checked by the calls that follow. */
  | { is: 'undo-choice' }
  | { is: 'timer'; next: string; ms?: number; until?: number; perItem?: true }
  | { is: 'xml'; next: string; valid: boolean; resultVar: string }
  | { is: 'succeed'; outputVar?: string }
  | { is: 'fail'; code: string }
  | StepFact
  | HttpFact
  | EffectFact
  | ParallelFact
  | MapFact
  | SubjourneyFact;

/** Undoes the effect of one call, if it was made. */
export interface Undo {
  /** The state that made the call. */
  call: string;
  /** The map whose items make the call, if any. */
  map?: string;
}
