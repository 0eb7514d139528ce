import type { Json } from '../base/json/value.js';
import type { Finding } from '../base/problems/problem.js';
import type { Shape, ShapeFaults, ShapeScope } from './value-shape.js';

/** Kind of place that contains an expression; determines the allowed languages and the bindings. */
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

/** Site of an expression: its kind, its bindings and the dialect. */
export interface Site {
  kind: SiteKind;
  /** Names bound at this site, in addition to those of the language. */
  bindings: readonly string[];
  /** `strict` behaves like the reference engine; `journey` (default) accepts the documented deviations. */
  mode?: 'strict' | 'journey';
}

/** Values bound for one evaluation: `context`, `payload`, `error`, `platform`, `branches`, … */
export type Bindings = Readonly<Record<string, Json>>;

/** External inputs of an expression. Everything else is pure. */
export interface Env {
  /** Milliseconds since the epoch, frozen for one evaluation. */
  now: number;
  uuid(): string;
  random(): number;
  /** Receives the cost of each evaluation, so that a run can limit its work between two waits. */
  spend?(fuel: number): void;
  /** IANA zone for `now()` and values without a zone; default UTC. */
  timezone?: string;
}

/** Deterministic limits, recorded with a run so that replays agree. */
export interface Limits {
  fuel: number;
  depth: number;
  stringLength: number;
  collectionSize: number;
  outputBytes: number;
  digits: number;
}

/** Default limits of an evaluation. */
export const defaultLimits: Limits = {
  fuel: 200_000,
  depth: 256,
  stringLength: 1_000_000,
  collectionSize: 100_000,
  outputBytes: 262_144,
  digits: 1_000,
};

/** A compiled expression with resolved names. Can be cached and shared between runs. */
export interface CompiledExpression {
  /** Lints: accepted deviations and their standard spelling. Positions are relative to the expression. */
  readonly lints: readonly Finding[];
  /** True if it cannot return a Boolean, and so cannot be a predicate. */
  readonly neverBoolean?: boolean;
  /** True if it cannot return an object. */
  readonly neverObject?: boolean;
  /** Statically inferred shape of the result, given the shapes of names. Faults found on the way are added to `faults`. */
  shape?(scope: ShapeScope, faults: ShapeFaults): Shape;
  /** Returns the value, or throws a ProblemError with an expression code. Returns a promise only if the engine is asynchronous. */
  evaluate(bindings: Bindings, env: Env, limits?: Limits): Json | Promise<Json>;
}

/** An expression language. `compile` throws a ProblemError with line and column within the expression. */
export interface ExpressionEngine {
  readonly id: string;
  readonly sites: ReadonlySet<SiteKind>;
  compile(source: string, site: Site): CompiledExpression;
}
