import { expect, it } from 'vitest';
import type { Json } from '../../../../src/base/json/value.js';
import { type Problem, ProblemError } from '../../../../src/base/problems/problem.js';
import { compileDataWeave, type DataWeaveOptions } from '../../../../src/expressions/dataweave/index.js';
import {
  type Bindings,
  defaultLimits,
  type Env,
  type Limits,
} from '../../../../src/expressions/expression-engine-interface.js';

/** An expression and its result, or the code of its problem. */
export type Case = readonly [expression: string, expected: Json | { code: string }];

export const env: Env = {
  now: Date.UTC(2025, 2, 14, 15, 9, 26, 535),
  uuid: () => '00000000-0000-4000-8000-000000000001',
  random: () => 0.5,
};

const order: Bindings = {
  context: {
    id: 'A-1',
    total: 12.5,
    note: null,
    lines: [
      { sku: 'pen', n: 2 },
      { sku: 'ink', n: 5 },
    ],
    ship: { city: 'Oslo', zip: '0150' },
  },
  payload: { ok: true },
};

/** Evaluates with a small order as the context. */
export function evaluate(source: string, options: DataWeaveOptions = {}, limits: Limits = defaultLimits): Json {
  const mode = options.mode ?? 'strict';
  const bindings = options.bindings ?? Object.keys(order);
  return compileDataWeave(source, { mode, bindings }).evaluate(order, env, limits);
}

/** The problem of an expression, from compilation or evaluation. */
export function problemOf(source: string, options: DataWeaveOptions = {}, limits: Limits = defaultLimits): Problem {
  try {
    evaluate(source, options, limits);
  } catch (error) {
    if (error instanceof ProblemError) return error.problem;
    throw error;
  }
  throw new Error(`no problem: ${source}`);
}

function isCode(value: Json | { code: string }): value is { code: string } {
  return typeof value === 'object' && value !== null && 'code' in value && String(value.code).startsWith('DW_');
}

/** One test per case. */
export function cases(table: readonly Case[], options: DataWeaveOptions = {}): void {
  it.each(table.map(([source, expected]) => ({ source, expected })))('$source', ({ source, expected }) => {
    if (isCode(expected)) expect(problemOf(source, options).code).toBe(expected.code);
    else expect(evaluate(source, options)).toEqual(expected);
  });
}
