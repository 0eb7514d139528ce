import type { Json } from '../json/value.js';
import type { Finding } from '../problems/problem.js';
import type { Miss, Scope } from './shapes/select.js';
import type { Shape } from './shapes/shape.js';

/** Where in a journey an expression stands; decides which engines may serve it and what is bound. */
export type SiteKind =
  | 'predicate'
  | 'mapper'
  | 'statusExpr'
  | 'join'
  | 'outcome'
  | 'compensation'
  | 'error'
  | 'key'
  | 'schedule';

/** The site of an expression: its kind, what is bound there, and the dialect. */
export interface Site {
  kind: SiteKind;
  /** The names bound at this site, besides what the language itself defines. */
  bindings: readonly string[];
  /** `strict` does what the real engine does; `journey` (default) accepts the documented deviations. */
  mode?: 'strict' | 'journey';
}

/** What is bound for one evaluation: `context`, `payload`, `error`, `platform`, `branches`, … */
export type Bindings = Readonly<Record<string, Json>>;

/** The outside world of an expression. Everything else is pure. */
export interface Env {
  /** Milliseconds since the epoch, frozen for one evaluation. */
  now: number;
  uuid(): string;
  random(): number;
  /** Is told what an evaluation cost, so that a run can bound what it spends between two waits. */
  spend?(fuel: number): void;
  /** IANA zone for `now()` and zoneless values; UTC unless configured. */
  timezone?: string;
}

/** Deterministic bounds; recorded with a run so that a replay agrees. */
export interface Limits {
  fuel: number;
  depth: number;
  stringLength: number;
  collectionSize: number;
  outputBytes: number;
  digits: number;
}

/** The limits of an evaluation where none are configured. */
export const defaultLimits: Limits = {
  fuel: 200_000,
  depth: 256,
  stringLength: 1_000_000,
  collectionSize: 100_000,
  outputBytes: 262_144,
  digits: 1_000,
};

/** An expression that parsed, with its names resolved. Safe to keep and share between runs. */
export interface Compiled {
  /** Non-fatal remarks: accepted deviations and their standard spelling. Positions are within the expression. */
  readonly lints: readonly Finding[];
  /** True when it surely never gives true or false, so that it cannot be a predicate. */
  readonly neverBoolean?: boolean;
  /** True when it surely never gives an object. */
  readonly neverObject?: boolean;
  /** What it gives, as far as its text tells, where names stand for these; fields that cannot be there are added to `misses`. */
  shape?(scope: Scope, misses: Miss[]): Shape;
  /** The value, or a thrown ProblemError with an expression code. A promise only where the engine cannot do otherwise. */
  evaluate(bindings: Bindings, env: Env, limits?: Limits): Json | Promise<Json>;
}

/** One expression language. `compile` throws a ProblemError with line and column within the expression. */
export interface ExpressionEngine {
  readonly id: string;
  readonly sites: ReadonlySet<SiteKind>;
  compile(source: string, site: Site): Compiled;
}
