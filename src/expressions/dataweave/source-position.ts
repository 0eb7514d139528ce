import { ProblemError, problem } from '../../base/problems/problem.js';
import type { Code } from '../../base/problems/registry.js';

/** Line and column of an offset, both from 1. */
export function positionOf(source: string, offset: number): { line: number; column: number } {
  let line = 1;
  let lineStart = 0;
  for (let i = source.indexOf('\n'); i !== -1 && i < offset; i = source.indexOf('\n', i + 1)) {
    line++;
    lineStart = i + 1;
  }
  return { line, column: offset - lineStart + 1 };
}

/** Problem at a position of `source`, with an optional suggestion. */
export function sourceProblem(
  code: Code,
  source: string,
  start: number,
  end: number,
  detail: string,
  hint?: string,
): ProblemError {
  const { line, column } = positionOf(source, start);
  const at = { line, column, length: Math.max(1, end - start) };
  return new ProblemError(
    problem(code, `${detail} (line ${line}, column ${column})`, { ...at, ...(hint ? { hint } : {}) }),
  );
}
