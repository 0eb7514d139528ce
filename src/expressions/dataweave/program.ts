import type { Json } from '../../json/value.js';
import { type Problem, ProblemError, problem } from '../../problems/problem.js';
import { type Bindings, type Compiled, defaultLimits, type Env, type Limits } from '../expression.js';
import type { Miss, Scope } from '../shapes/select.js';
import type { Shape } from '../shapes/shape.js';
import { mayGiveBoolean, mayGiveObject } from './compile/check.js';
import { Compiler } from './compile/compiler.js';
import type { Ast } from './parse/ast.js';
import { parse } from './parse/parser.js';
import { jsonText, toJson } from './runtime/boundary.js';
import { Evaluation } from './runtime/evaluation.js';
import { Fault } from './runtime/fault.js';
import { shaped } from './runtime/output.js';
import type { Code } from './runtime/slots.js';
import type { Value } from './runtime/values.js';
import { dataWeaveShape } from './shape.js';
import { positionOf } from './source.js';

/** How to read an expression: the dialect, and the names bound from outside. */
export interface DataWeaveOptions {
  /** `journey` when left out. */
  mode?: 'strict' | 'journey';
  /** Names bound at evaluation; any other identifier is refused (or read from `context` in journey mode). */
  bindings?: readonly string[];
  /** A bound name is a name even where DataWeave reserves the word: so it is in a journey, whose language binds `output`. */
  bindsReserved?: true;
}

/** A compiled expression; immutable, may be kept and shared. */
export interface CompiledDataWeave extends Compiled {
  readonly ast: Ast;
  evaluate(bindings: Bindings, env: Env, limits?: Limits): Json;
  /** Evaluates, and reports the JSON text and the fuel along with the value. */
  detailed(bindings: Bindings, env: Env, limits?: Limits): Detailed;
}

/** One evaluation with everything a test wants to know about it. */
export interface Detailed {
  /** Plain JSON: duplicate keys collapsed last-wins, numbers as doubles (infinite where `raw` has one beyond them). */
  value: Json;
  /** The JSON text the real engine prints: two spaces, all digits, duplicate keys as they are. */
  raw: string;
  /** What it cost; the same every time. */
  fuel: number;
}

/** Parses, resolves names and checks; the result can be evaluated any number of times. */
export function compileDataWeave(source: string, options: DataWeaveOptions = {}): CompiledDataWeave {
  const bindings = new Set(options.bindings ?? []);
  const ast = parse(source, options.mode ?? 'journey', options.bindsReserved && bindings);
  const compiler = new Compiler(ast, bindings);
  const { code, mask, cost, lints } = compiler.program();
  return new Program(ast, lints, !mayGiveBoolean(ast.body, mask), !mayGiveObject(ast.body, mask), code, cost);
}

class Program implements CompiledDataWeave {
  constructor(
    readonly ast: Ast,
    readonly lints: CompiledDataWeave['lints'],
    readonly neverBoolean: boolean,
    readonly neverObject: boolean,
    private readonly code: Code,
    private readonly cost: number,
  ) {}

  shape(scope: Scope, misses: Miss[]): Shape {
    return dataWeaveShape(this.ast, scope, misses);
  }

  evaluate(bindings: Bindings, env: Env, limits: Limits = defaultLimits): Json {
    const ev = new Evaluation(bindings, env, limits, this.ast.source);
    return this.guarded(ev, (value) => toJson(ev, shaped(ev, value, this.ast.output)));
  }

  detailed(bindings: Bindings, env: Env, limits: Limits = defaultLimits): Detailed {
    const ev = new Evaluation(bindings, env, limits, this.ast.source);
    return this.guarded(ev, (given) => {
      const value = shaped(ev, given, this.ast.output);
      const fuel = limits.fuel - ev.fuel;
      return { value: toJson(ev, value, false), raw: jsonText(ev, value, this.ast.output.compact), fuel };
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

  /** The problem for whoever runs the journey: code and position, never text or values of the expression. */
  private problem(error: unknown): Problem {
    if (error instanceof Fault) {
      const at =
        error.start < 0
          ? {}
          : { ...positionOf(this.ast.source, error.start), length: Math.max(1, error.end - error.start) };
      return problem(error.code, error.message, at);
    }
    if (error instanceof RangeError) return problem('DW_MAX_EVAL_TIME_EXCEEDED', 'The evaluation nests too deeply');
    if (error instanceof ProblemError) return error.problem;
    return problem('DW_ENGINE_INTERNAL_ERROR', 'The expression engine met a case it does not know');
  }
}
