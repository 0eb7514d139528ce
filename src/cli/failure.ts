import { CommanderError } from 'commander';
import { jsonText, paint, safeLines } from '../app/terminal.js';
import { type Finding, type Problem, ProblemError, problem } from '../problems/problem.js';
import { type CodeEntry, registry } from '../problems/registry.js';

/** Exit codes: the command could not do what it was asked, or was called wrongly (EX_USAGE: `eval` has its own 2 and 3). */
const failed = 1;
const misused = 64;

/** Prints what stopped a command, with every finding and the hint, or as JSON; returns the exit code. */
export function reportFailure(error: unknown, asJson = false): number {
  if (error instanceof CommanderError) {
    // The help was asked for, or has been printed with the error.
    if (error.exitCode === 0) return 0;
    if (asJson) console.error(jsonText(problem('USAGE_INVALID', error.message.replace(/^error: /, '')), 2));
    return misused;
  }
  if (asJson) console.error(jsonText(asProblem(error), 2));
  else if (error instanceof ProblemError) printProblem(error.problem);
  else console.error(safeLines(error instanceof Error ? (error.stack ?? error.message) : String(error)));
  return failed;
}

function asProblem(error: unknown): Problem {
  if (error instanceof ProblemError) return error.problem;
  return problem('INTERNAL', error instanceof Error ? error.message : String(error));
}

function printProblem(it: Problem): void {
  const { code, title, detail, errors = [] } = it;
  const hint = it.hint ?? (registry as Readonly<Record<string, CodeEntry>>)[code]?.hint;
  const colours = paint(process.stderr);
  // Where there are findings, the detail only repeats them.
  console.error(`${colours.red(code)}: ${safeLines(errors.length > 0 ? title : (detail ?? title))}`);
  for (const finding of errors) {
    const { code: kind, message, hint: help } = finding;
    console.error(safeLines(`  ${placeOf(finding, it)}  ${kind}  ${message}${help ? ` (${help})` : ''}`));
  }
  if (hint !== undefined) console.error(safeLines(`  ${hint}`));
}

/** A variable, a line of a file, or a place in the request. */
function placeOf({ variable, line, column, pointer }: Finding & { variable?: string }, { instance }: Problem): string {
  if (variable !== undefined) return variable;
  if (line === undefined) return pointer || (instance ?? '-');
  return `${instance === undefined ? '' : `${instance}:`}${line}:${column ?? 1}`;
}
