import type { Json } from '../../../base/json/value.js';
import { type Finding, type Problem, ProblemError, problem } from '../../../base/problems/problem.js';
import { compileDataWeave, evaluateDetailed, formatAst, parseDataWeave } from '../../../expressions/dataweave/index.js';
import {
  type Bindings,
  defaultLimits,
  type Env,
  type Limits,
} from '../../../expressions/expression-engine-interface.js';
import { expressionEngine } from '../../../expressions/index.js';
import { compileJsonata } from '../../../expressions/jsonata/index.js';

export type EvalMode = 'strict' | 'journey';

/** An expression with its bindings and environment. */
export interface EvalRequest {
  lang: string;
  expr: string;
  bindings: Bindings;
  mode: EvalMode;
  env: Env;
}

/** A value with its full text, or a problem of compilation or evaluation. */
export type EvalResult =
  | { ok: true; output: Json; raw: string; lints: readonly Finding[] }
  | { ok: false; kind: 'compile' | 'runtime'; problem: Problem };

/** Limits of a command: higher than in a run, because nothing else waits for it. */
const limits: Limits = { ...defaultLimits, fuel: 25 * defaultLimits.fuel, outputBytes: 16 * defaultLimits.outputBytes };

/** Compiles and evaluates an expression. Its errors are returned, not thrown. */
export async function evaluateRequest(request: EvalRequest): Promise<EvalResult> {
  const { lang, expr, bindings, env } = request;
  let kind: 'compile' | 'runtime' = 'compile';
  try {
    expressionEngine(lang);
    if (lang === 'dataweave') {
      const compiled = compileDataWeave(expr, { mode: request.mode, bindings: Object.keys(bindings) });
      kind = 'runtime';
      const { value, raw } = evaluateDetailed(compiled, bindings, env, limits);
      return { ok: true, output: value, raw, lints: compiled.lints };
    }
    const compiled = compileJsonata(expr);
    kind = 'runtime';
    const output = await compiled.evaluate(bindings, env, limits);
    return { ok: true, output, raw: JSON.stringify(output, null, 2), lints: compiled.lints };
  } catch (error) {
    if (error instanceof ProblemError) return { ok: false, kind, problem: error.problem };
    return { ok: false, kind, problem: problem('DW_ENGINE_INTERNAL_ERROR', String(error)) };
  }
}

/** The syntax tree of an expression as text. */
export function explain({ lang, expr, bindings, mode }: Omit<EvalRequest, 'env'>): string {
  expressionEngine(lang);
  if (lang === 'dataweave') return formatAst(parseDataWeave(expr, { mode, bindings: Object.keys(bindings) }));
  return JSON.stringify(compileJsonata(expr).ast, null, 2);
}
