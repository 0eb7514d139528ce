import { CommanderError } from 'commander';
import { type Output, type Paint, paint, safe, safeJson, safeLines } from '../app/safe-terminal-text.js';
import { type Finding, type Problem, ProblemError, problem } from '../base/problems/problem.js';
import { type CodeEntry, registry } from '../base/problems/registry.js';

/** Formats rows in aligned columns; the last column is not padded. Cells may contain untrusted text. */
export function table(given: readonly (readonly string[])[], style: Style = (cell) => cell): string {
  const rows = given.map((row) => row.map(safe));
  const widths: number[] = [];
  for (const row of rows) for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, cell.length);
  const padding = (cell: string, column: number) => ' '.repeat(Math.max(0, (widths[column] ?? 0) - cell.length));
  const line = (row: readonly string[], at: number) =>
    row.map((cell, i) => style(cell, at) + (i === row.length - 1 ? '' : padding(cell, i))).join('  ');
  return rows.map((row, at) => line(row, at).trimEnd()).join('\n');
}

/** Styles a cell of a table without changing its width. */
export type Style = (cell: string, row: number) => string;

/** A bold header, and coloured states. */
export function withHead(colours: Paint): Style {
  const words: Record<string, (text: string) => string> = {
    active: colours.green,
    enabled: colours.green,
    SUCCEEDED: colours.green,
    succeeded: colours.green,
    paused: colours.yellow,
    RUNNING: colours.yellow,
    running: colours.yellow,
    processing: colours.yellow,
    FAILED: colours.red,
    failed: colours.red,
    exhausted: colours.dim,
    disabled: colours.dim,
    deleted: colours.dim,
    skipped: colours.dim,
    coalesced: colours.dim,
  };
  return (cell, row) => (row === 0 ? colours.bold(cell) : Object.hasOwn(words, cell) ? words[cell]!(cell) : cell);
}

/** Formats a number of bytes. */
export function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** Progress of a long operation. */
export interface ProgressStep {
  readonly message: string;
  readonly bytes?: number;
  readonly total?: number;
}

/** Shows progress: a line updated in place on a terminal, one line per message elsewhere. */
export class ProgressLine {
  #message = '';
  #began = 0;
  #drawn = false;

  constructor(
    private readonly output: Output,
    private readonly now: () => number = Date.now,
  ) {}

  update(step: ProgressStep): void {
    const isNew = step.message !== this.#message;
    if (isNew) [this.#message, this.#began] = [step.message, this.now()];
    if (this.output.isTTY === true) {
      this.output.write(`\r\u001b[K${this.#render(step).slice(0, (this.output.columns ?? 80) - 1)}`);
      this.#drawn = true;
    } else if (isNew) {
      this.output.write(`${step.message} …\n`);
    }
  }

  /** Removes the line. */
  clear(): void {
    if (this.#drawn) this.output.write('\r\u001b[K');
    [this.#message, this.#drawn] = ['', false];
  }

  #render({ message, bytes, total }: ProgressStep): string {
    const seconds = Math.round((this.now() - this.#began) / 1000);
    if (bytes !== undefined && total !== undefined && total > 0) {
      const share = Math.min(1, bytes / total);
      const bar = '█'.repeat(Math.round(share * 20)).padEnd(20, '░');
      return `${message} ${bar} ${String(Math.floor(share * 100)).padStart(3)} % of ${megabytes(total)}`;
    }
    const frame = '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏'[Math.floor(this.now() / 100) % 10];
    return `${frame} ${message}${bytes ? ` ${megabytes(bytes)}` : ''} ${seconds} s`;
  }
}

/** Exit codes: failure, and wrong usage (EX_USAGE, because `eval` uses 2 and 3). */
const failed = 1;
const misused = 64;

/** Prints the error that stopped a command, with every finding and the hint, or as JSON; returns the exit code. */
export function reportFailure(error: unknown, asJson = false): number {
  if (error instanceof CommanderError) {
    // The help was requested, or was printed with the error.
    if (error.exitCode === 0) return 0;
    if (asJson) console.error(safeJson(problem('USAGE_INVALID', error.message.replace(/^error: /, '')), 2));
    return misused;
  }
  if (asJson) console.error(safeJson(asProblem(error), 2));
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
  // The detail only repeats the findings.
  console.error(`${colours.red(code)}: ${safeLines(errors.length > 0 ? title : (detail ?? title))}`);
  for (const finding of errors) {
    const { code: kind, message, hint: help } = finding;
    console.error(safeLines(`  ${placeOf(finding, it)}  ${kind}  ${message}${help ? ` (${help})` : ''}`));
  }
  if (hint !== undefined) console.error(safeLines(`  ${hint}`));
}

/** The location of a finding: a variable, a line of a file, or a pointer into the request. */
function placeOf(
  { variable, file, line, column, pointer }: Finding & { variable?: string; file?: string },
  { instance }: Problem,
): string {
  if (variable !== undefined) return variable;
  const where = file ?? instance;
  if (line === undefined) return pointer || (where ?? '-');
  return `${where === undefined ? '' : `${where}:`}${line}:${column ?? 1}`;
}
