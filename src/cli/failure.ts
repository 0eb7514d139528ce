import { safeLines } from '../app/terminal.js';
import { type Finding, type Problem, ProblemError } from '../problems/problem.js';

/** Prints what stopped a command, with every finding and the hint. */
export function reportFailure(error: unknown): void {
  if (!(error instanceof ProblemError)) {
    console.error(safeLines(error instanceof Error ? (error.stack ?? error.message) : String(error)));
    return;
  }
  const { code, title, detail, hint, errors = [] } = error.problem;
  // Where there are findings, the detail only repeats them.
  console.error(safeLines(`${code}: ${errors.length > 0 ? title : (detail ?? title)}`));
  for (const finding of errors) {
    const { code: kind, message, hint: help } = finding;
    console.error(safeLines(`  ${placeOf(finding, error.problem)}  ${kind}  ${message}${help ? ` (${help})` : ''}`));
  }
  if (hint !== undefined) console.error(safeLines(`  ${hint}`));
}

/** A variable, a line of a file, or a place in what was asked for. */
function placeOf({ variable, line, column, pointer }: Finding & { variable?: string }, { instance }: Problem): string {
  if (variable !== undefined) return variable;
  if (line === undefined) return pointer || (instance ?? '-');
  return `${instance === undefined ? '' : `${instance}:`}${line}:${column ?? 1}`;
}
