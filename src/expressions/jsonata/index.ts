import jsonata from 'jsonata';
import { emptyObject, type Json } from '../../base/json/value.js';
import { ProblemError, refuse } from '../../base/problems/problem.js';
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
import { EvaluationBudget, isFunction, type JsonataFrame } from './evaluation-budget.js';
import { jsonataShape } from './infer-shape.js';
import {
  checkJsonata,
  type JsonataNode,
  mayBeBooleanNode,
  mayBeObjectNode,
  refuseTooDeep,
  tokenPosition,
  unknownCalls,
} from './static-checks.js';

const longestSource = 65_536;
const budgetName = '\u0000budget';

/** JSONata as an ExpressionEngine, with a cache of compiled expressions. */
export const jsonataEngine: ExpressionEngine = cacheCompiled({
  id: 'jsonata',
  sites: siteMatrix.jsonata!,
  compile: (source) => compileJsonata(source),
});

/** Parses and checks an expression. The result can be evaluated any number of times, also concurrently. */
export function compileJsonata(source: string): CompiledExpression & { readonly ast: unknown } {
  if (source.length > longestSource)
    refuse('JSONATA_UNSUPPORTED', `An expression has at most ${longestSource} characters`);
  const expression = parse(source);
  const ast = expression.ast() as JsonataNode;
  const whole = checkJsonata(ast, source);
  const budgetOf = (frame: JsonataFrame) => frame.base.lookup(budgetName) as EvaluationBudget;
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
    neverBoolean: !mayBeBooleanNode(ast),
    neverObject: !mayBeObjectNode(ast),
    shape: (scope, faults) => jsonataShape(ast, scope, faults),
    evaluate: (bindings, env, limits = defaultLimits) => evaluate(expression, source, bindings, env, limits),
  };
}

/** Evaluates synchronously if the JSONata build is synchronous, as in the workflow sandbox; returns a promise otherwise. */
function evaluate(
  expression: jsonata.Expression,
  source: string,
  bindings: Bindings,
  env: Env,
  limits: Limits,
): Json | Promise<Json> {
  const budget = new EvaluationBudget(env, limits);
  const finish = (value: unknown): Json => resultJson(value, limits);
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
    refuse(
      'JSONATA_LIMIT_EXCEEDED',
      'The expression created a value larger than allowed',
      tokenPosition(source, position),
    );
  }
  // JSONata's message quotes values; its code is just as specific without them.
  return refuse('JSONATA_EVALUATION_ERROR', reasonOf(code), {
    ...tokenPosition(source, position),
    ...(typeof code === 'string' ? { jsonataCode: code } : {}),
  });
}

function parse(source: string): jsonata.Expression {
  try {
    return jsonata(source, { sequence: 1_000_000 });
  } catch (error) {
    if (error instanceof RangeError) refuseTooDeep();
    const { code, position, message } = error as { code?: unknown; position?: number; message?: unknown };
    return refuse('JSONATA_PARSE_ERROR', typeof message === 'string' ? message : 'Syntax error', {
      ...tokenPosition(source, position ?? 1),
      ...(typeof code === 'string' ? { jsonataCode: code } : {}),
    });
  }
}

function reasonOf(code: unknown): string {
  if (typeof code !== 'string') return 'The expression failed';
  if (code === 'D3137') return 'The expression called $error';
  if (code === 'D3141') return 'An assertion in the expression failed';
  if (code.startsWith('T')) return 'A value has the wrong type for an operation';
  return 'An operation in the expression failed';
}

/** Converts the result to plain JSON: nothing shared with the bindings, no prototypes, limited in size. */
function resultJson(value: unknown, limits: Limits): Json {
  let bytes = 0;
  const spend = (amount: number) => {
    bytes += amount;
    if (bytes > limits.outputBytes) refuse('JSONATA_LIMIT_EXCEEDED', 'The result is larger than allowed');
  };
  const convert = (it: unknown, depth: number): Json => {
    if (depth > limits.depth) refuse('JSONATA_LIMIT_EXCEEDED', 'The result nests too deeply');
    switch (typeof it) {
      case 'string':
        spend(it.length + 2);
        return it;
      case 'number':
        if (!Number.isFinite(it))
          refuse('JSONATA_EVALUATION_ERROR', 'The result contains a number that JSON cannot represent');
        spend(8);
        return it;
      case 'boolean':
        spend(5);
        return it;
      case 'object':
        break;
      case 'undefined':
        spend(4);
        return null;
      default:
        return refuse('JSONATA_EVALUATION_ERROR', 'The result is or contains a function');
    }
    if (it === null) {
      spend(4);
      return null;
    }
    if (Array.isArray(it)) {
      spend(2);
      return it.map((item) => convert(item, depth + 1));
    }
    if (isFunction(it)) refuse('JSONATA_EVALUATION_ERROR', 'The result is or contains a function');
    spend(2);
    const out = emptyObject();
    for (const [key, item] of Object.entries(it)) {
      if (item === undefined) continue;
      spend(key.length + 4);
      out[key] = convert(item, depth + 1);
    }
    return out;
  };
  return convert(value, 0);
}
