import { compileDataWeave, evaluateDetailed, formatAst, parseDataWeave } from '../expressions/dataweave/index.js';
import { type Bindings, defaultLimits, type Env, type Limits } from '../expressions/expression.js';
import { expressionEngine } from '../expressions/index.js';
import { compileJsonata } from '../expressions/jsonata/index.js';
import type { Json } from '../json/value.js';
import { type Finding, type Problem, ProblemError, problem } from '../problems/problem.js';

export type Mode = 'strict' | 'journey';

/** One expression to evaluate, with everything it depends on. */
export interface Request {
  lang: string;
  expr: string;
  bindings: Bindings;
  mode: Mode;
  env: Env;
}

/** The result: a value with its full text, or a problem and whether the expression was refused or failed. */
export type Answer =
  | { ok: true; output: Json; raw: string; lints: readonly Finding[] }
  | { ok: false; kind: 'compile' | 'runtime'; problem: Problem };

/** A command holds up nobody else, so it may take longer than an expression in a run. */
const limits: Limits = { ...defaultLimits, fuel: 25 * defaultLimits.fuel, outputBytes: 16 * defaultLimits.outputBytes };

/** Compiles and evaluates; never throws for anything an expression can cause. */
export async function answer(request: Request): Promise<Answer> {
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
export function explain({ lang, expr, bindings, mode }: Omit<Request, 'env'>): string {
  expressionEngine(lang);
  if (lang === 'dataweave') return formatAst(parseDataWeave(expr, { mode, bindings: Object.keys(bindings) }));
  return JSON.stringify(compileJsonata(expr).ast, null, 2);
}
