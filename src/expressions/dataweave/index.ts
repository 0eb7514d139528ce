import type { Json } from '../../base/json/value.js';
import { type Problem, ProblemError, problem } from '../../base/problems/problem.js';
import { cacheCompiled } from '../compile-cache.js';
import {
  type Bindings,
  type CompiledExpression,
  defaultLimits,
  type Env,
  type ExpressionEngine,
  type Limits,
} from '../expression-engine-interface.js';
import { siteMatrix } from '../sites-and-allowed-languages.js';
import type { Shape, ShapeFaults, ShapeScope } from '../value-shape.js';
import { Compiler } from './compile/compiler.js';
import { mayBeBoolean, mayBeObject } from './compile/static-type-checks.js';
import { dataWeaveShape } from './infer-shape.js';
import type { Ast } from './parse/ast.js';
import { parse } from './parse/parser.js';
import { Fault } from './runtime/evaluation-fault.js';
import { type CompiledCode, Evaluation } from './runtime/evaluation-state.js';
import { applyJsonOptions } from './runtime/json-output-options.js';
import { toJson, toJsonText } from './runtime/to-json.js';
import type { Value } from './runtime/values.js';
import { positionOf } from './source-position.js';

/** Parsing options: dialect and host bindings. */
export interface DataWeaveOptions {
  /** Default: `journey`. */
  mode?: 'strict' | 'journey';
  /** Names bound at evaluation; any other identifier is rejected (or read from `context` in journey mode). */
  bindings?: readonly string[];
  /** Allows bindings with reserved names, such as `output` in a journey. */
  bindsReserved?: true;
}

/** A compiled expression; immutable and shareable. */
export interface CompiledDataWeave extends CompiledExpression {
  readonly ast: Ast;
  evaluate(bindings: Bindings, env: Env, limits?: Limits): Json;
  /** Evaluates, and also returns the JSON text and the fuel consumed. */
  detailed(bindings: Bindings, env: Env, limits?: Limits): Detailed;
}

/** Result of an evaluation with the details that tests need. */
export interface Detailed {
  /** Plain JSON: for duplicate keys the last wins, numbers are doubles (infinite if beyond their range). */
  value: Json;
  /** JSON text as the reference engine prints it: two spaces, all digits, duplicate keys kept. */
  raw: string;
  /** Fuel consumed; deterministic. */
  fuel: number;
}

/** Parses, resolves names and checks. The result can be evaluated any number of times. */
export function compileDataWeave(source: string, options: DataWeaveOptions = {}): CompiledDataWeave {
  const bindings = new Set(options.bindings ?? []);
  const ast = parse(source, options.mode ?? 'journey', options.bindsReserved && bindings);
  const compiler = new Compiler(ast, bindings);
  const { code, mask, cost, lints } = compiler.program();
  return new Program(ast, lints, !mayBeBoolean(ast.body, mask), !mayBeObject(ast.body, mask), code, cost);
}

class Program implements CompiledDataWeave {
  constructor(
    readonly ast: Ast,
    readonly lints: CompiledDataWeave['lints'],
    readonly neverBoolean: boolean,
    readonly neverObject: boolean,
    private readonly code: CompiledCode,
    private readonly cost: number,
  ) {}

  shape(scope: ShapeScope, faults: ShapeFaults): Shape {
    return dataWeaveShape(this.ast, scope, faults);
  }

  evaluate(bindings: Bindings, env: Env, limits: Limits = defaultLimits): Json {
    const ev = new Evaluation(bindings, env, limits, this.ast.source);
    return this.guarded(ev, (value) => toJson(ev, applyJsonOptions(ev, value, this.ast.output)));
  }

  detailed(bindings: Bindings, env: Env, limits: Limits = defaultLimits): Detailed {
    const ev = new Evaluation(bindings, env, limits, this.ast.source);
    return this.guarded(ev, (given) => {
      const value = applyJsonOptions(ev, given, this.ast.output);
      const fuel = limits.fuel - ev.fuel;
      return { value: toJson(ev, value, false), raw: toJsonText(ev, value, this.ast.output.compact), fuel };
    });
  }

  private guarded<R>(ev: Evaluation, finish: (value: Value) => R): R {
    try {
      ev.charge(this.cost);
      return finish(this.code(ev, [null]));
    } catch (error) {
      throw new ProblemError(this.problem(error));
    } finally {
      ev.env.spend?.(ev.limits.fuel - Math.max(0, ev.fuel));
    }
  }

  /** Problem for the operator of the journey: code and position, without text or values of the expression. */
  private problem(error: unknown): Problem {
    if (error instanceof Fault) {
      const at =
        error.start < 0
          ? {}
          : { ...positionOf(this.ast.source, error.start), length: Math.max(1, error.end - error.start) };
      const addsText = /^'\+' does not accept .*String/.test(error.message);
      return problem(error.code, error.message, { ...at, ...(addsText && { hint: 'Join texts with ++.' }) });
    }
    if (error instanceof RangeError) return problem('DW_MAX_EVAL_TIME_EXCEEDED', 'The evaluation nests too deeply');
    if (error instanceof ProblemError) return error.problem;
    return problem('DW_ENGINE_INTERNAL_ERROR', 'Internal error in the expression engine');
  }
}

export type { Ast, Node, Span } from './parse/ast.js';
export { readExactJson } from './runtime/parse-json.js';

/** Parses `source` into a syntax tree with a span on every node; throws a ProblemError with line and column. */
export function parseDataWeave(source: string, options: DataWeaveOptions = {}): Ast {
  return parse(source, options.mode ?? 'journey');
}

/** Evaluates, and also returns the JSON text and the fuel consumed. */
export function evaluateDetailed(compiled: CompiledDataWeave, bindings: Bindings, env: Env, limits?: Limits): Detailed {
  return compiled.detailed(bindings, env, limits);
}

/** DataWeave as an ExpressionEngine, with a cache of compiled expressions. */
export const dataweave: ExpressionEngine = cacheCompiled({
  id: 'dataweave',
  sites: siteMatrix.dataweave!,
  compile: (source, { bindings, mode = 'journey' }) =>
    compileDataWeave(source, { bindings, mode, bindsReserved: true }),
});

/** Prints a syntax tree as indented text, one node per line with its position. */
export function formatAst(ast: Ast): string {
  const lines: string[] = [];
  const walk = (value: unknown, label: string, depth: number): void => {
    if (Array.isArray(value)) {
      for (const [i, item] of value.entries()) walk(item, `${label}[${i}]`, depth);
      return;
    }
    if (typeof value !== 'object' || value === null) return;
    const fields = Object.entries(value).filter(([key]) => key !== 'start' && key !== 'end' && key !== 'kind');
    const { kind = '', start } = value as { kind?: string; start?: number };
    const scalars = fields.filter(([, it]) => it !== null && typeof it !== 'object');
    const at = start === undefined ? '' : ` @${Object.values(positionOf(ast.source, start)).join(':')}`;
    const attributes = scalars.map(([key, it]) => ` ${key}=${JSON.stringify(it)}`).join('');
    lines.push(`${'  '.repeat(depth)}${label ? `${label}: ` : ''}${kind}${attributes}${at}`);
    for (const [key, it] of fields) walk(it, key, depth + 1);
  };
  walk(ast.declarations, 'header', 0);
  walk(ast.body, '', 0);
  return lines.join('\n');
}
