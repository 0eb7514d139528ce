import type { Json } from '../../json/value.js';
import { refuse } from '../../problems/problem.js';
import type { Bindings, Compiled, Env, ExpressionEngine, Limits, SiteKind } from '../expression.js';
import type { Ast } from './ast.js';

/** How to read an expression: the dialect, and the names bound from outside. */
export interface DataWeaveOptions {
  /** `journey` when left out. */
  mode?: 'strict' | 'journey';
  /** Names bound at evaluation; an identifier outside of them is refused (or read from `context` in journey mode). */
  bindings?: readonly string[];
}

/** A compiled expression; immutable, may be kept and shared. */
export interface CompiledDataWeave extends Compiled {
  readonly ast: Ast;
  evaluate(bindings: Bindings, env: Env, limits?: Limits): Json;
}

/** One evaluation with everything a test wants to know about it. */
export interface Detailed {
  /** Plain JSON: duplicate keys collapsed last-wins, numbers as doubles. */
  value: Json;
  /** The JSON text the real engine prints: two spaces, all digits, duplicate keys as they are. */
  raw: string;
  /** Deterministic cost; the same on every run. */
  fuel: number;
}

/** The syntax tree of `source`, with a span on every node; throws a ProblemError with line and column. */
export function parseDataWeave(_source: string, _options: DataWeaveOptions = {}): Ast {
  return refuse('DW_ENGINE_INTERNAL_ERROR');
}

/** The syntax tree as indented text, one node per line with its place. */
export function formatAst(_ast: Ast): string {
  return refuse('DW_ENGINE_INTERNAL_ERROR');
}

/** Parses, resolves names and checks; the result evaluates any number of times. */
export function compileDataWeave(_source: string, _options: DataWeaveOptions = {}): CompiledDataWeave {
  return refuse('DW_ENGINE_INTERNAL_ERROR');
}

/** Evaluates and reports the JSON text and the fuel besides the value. */
export function evaluateDetailed(
  _compiled: CompiledDataWeave,
  _bindings: Bindings,
  _env: Env,
  _limits?: Limits,
): Detailed {
  return refuse('DW_ENGINE_INTERNAL_ERROR');
}

const sites: ReadonlySet<SiteKind> = new Set([
  'predicate',
  'mapper',
  'statusExpr',
  'join',
  'outcome',
  'compensation',
  'error',
  'key',
  'schedule',
]);

/** DataWeave behind the interface all expression languages share; keeps compiled expressions. */
export const dataweave: ExpressionEngine = {
  id: 'dataweave',
  sites,
  compile: (source, site) =>
    compileDataWeave(source, { bindings: site.bindings, ...(site.mode ? { mode: site.mode } : {}) }),
};
