import jsonata from 'jsonata';
import type { Json } from '../../json/value.js';
import { ProblemError, refuse } from '../../problems/problem.js';
import {
  type Bindings,
  type Compiled,
  defaultLimits,
  type Env,
  type ExpressionEngine,
  type Limits,
} from '../expression.js';
import { remembering } from '../remembering.js';
import { siteMatrix } from '../sites.js';
import { Budget, type JsonataFrame } from './budget.js';
import { unknownCalls } from './calls.js';
import { check, mayGiveBoolean, mayGiveObject, type Node, tooDeep } from './check.js';
import { positionOf } from './position.js';
import { toJson } from './result.js';
import { jsonataShape } from './shape.js';

const longestSource = 65_536;
const budgetName = '\u0000budget';

/** JSONata behind the interface all expression languages share; remembers what it compiled. */
export const jsonataEngine: ExpressionEngine = remembering({
  id: 'jsonata',
  sites: siteMatrix.jsonata!,
  compile: (source) => compileJsonata(source),
});

/** Parses and checks; the result can be evaluated any number of times, also concurrently. */
export function compileJsonata(source: string): Compiled & { readonly ast: unknown } {
  if (source.length > longestSource)
    refuse('JSONATA_UNSUPPORTED', `An expression has at most ${longestSource} characters`);
  const expression = parse(source);
  const ast = expression.ast() as Node;
  const whole = check(ast, source);
  const budgetOf = (frame: JsonataFrame) => frame.base.lookup(budgetName) as Budget;
  const hooks = expression as unknown as { assign(name: symbol, value: unknown): void };
  hooks.assign(Symbol.for('jsonata.__evaluate_entry'), (_node: unknown, _input: unknown, frame: JsonataFrame) => {
    const budget = budgetOf(frame);
    if (frame.base.depth === 1 && frame.base === frame) budget.install(frame);
    budget.enter(frame);
  });
  hooks.assign(
    Symbol.for('jsonata.__evaluate_exit'),
    (node: unknown, _input: unknown, frame: JsonataFrame, result: unknown) =>
      budgetOf(frame).leave(result, whole.has(node)),
  );
  return {
    ast,
    lints: unknownCalls(ast, source),
    neverBoolean: !mayGiveBoolean(ast),
    neverObject: !mayGiveObject(ast),
    shape: (scope, misses) => jsonataShape(ast, scope, misses),
    evaluate: (bindings, env, limits = defaultLimits) => evaluate(expression, source, bindings, env, limits),
  };
}

/** The value itself where JSONata is synchronous, as its build for the workflow sandbox is; else a promise of it. */
function evaluate(
  expression: jsonata.Expression,
  source: string,
  bindings: Bindings,
  env: Env,
  limits: Limits,
): Json | Promise<Json> {
  const budget = new Budget(env, limits);
  const finish = (value: unknown): Json => toJson(value, limits);
  const failed = (error: unknown): never => fail(error, source);
  const paid = (): void => env.spend?.(budget.takeSpent());
  try {
    const value: unknown = expression.evaluate(bindings, { ...bindings, [budgetName]: budget });
    if (!(value instanceof Promise)) return finish(value);
    return value.then(finish).catch(failed).finally(paid);
  } catch (error) {
    return failed(error);
  } finally {
    paid();
  }
}

function fail(error: unknown, source: string): never {
  if (error instanceof ProblemError) throw error;
  const { code, position } = error as { code?: unknown; position?: number };
  if (code === 'D1011' || code === 'D2014' || code === 'D2015' || error instanceof RangeError) {
    refuse('JSONATA_LIMIT_EXCEEDED', 'The expression made a value larger than allowed', positionOf(source, position));
  }
  // JSONata's own message quotes values; its code says as much without them.
  return refuse('JSONATA_EVALUATION_ERROR', reasonOf(code), {
    ...positionOf(source, position),
    ...(typeof code === 'string' ? { jsonataCode: code } : {}),
  });
}

function parse(source: string): jsonata.Expression {
  try {
    return jsonata(source, { sequence: 1_000_000 });
  } catch (error) {
    if (error instanceof RangeError) tooDeep();
    const { code, position, message } = error as { code?: unknown; position?: number; message?: unknown };
    return refuse('JSONATA_PARSE_ERROR', typeof message === 'string' ? message : 'Syntax error', {
      ...positionOf(source, position ?? 1),
      ...(typeof code === 'string' ? { jsonataCode: code } : {}),
    });
  }
}

function reasonOf(code: unknown): string {
  if (typeof code !== 'string') return 'The expression failed';
  if (code === 'D3137') return 'The expression called $error';
  if (code === 'D3141') return 'An assertion of the expression does not hold';
  if (code.startsWith('T')) return 'A value has the wrong type for an operation';
  return 'An operation of the expression failed';
}
