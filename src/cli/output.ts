import { type Output, type Paint, safe } from '../app/terminal.js';

/** Rows with aligned columns; the last column is not padded. Cells may hold anybody's text. */
export function table(given: readonly (readonly string[])[], style: Style = (cell) => cell): string {
  const rows = given.map((row) => row.map(safe));
  const widths: number[] = [];
  for (const row of rows) for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, cell.length);
  const padding = (cell: string, column: number) => ' '.repeat(Math.max(0, (widths[column] ?? 0) - cell.length));
  const line = (row: readonly string[], at: number) =>
    row.map((cell, i) => style(cell, at) + (i === row.length - 1 ? '' : padding(cell, i))).join('  ');
  return rows.map((row, at) => line(row, at).trimEnd()).join('\n');
}

/** How a cell of a table is shown; it does not change its width. */
export type Style = (cell: string, row: number) => string;

/** A bold header, and words for a state in their colours. */
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

/** Bytes as people read them. */
export function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** Something that takes a while. */
export interface Step {
  readonly message: string;
  readonly bytes?: number;
  readonly total?: number;
}

/** Shows one thing at a time: in a terminal a line that changes in place, elsewhere a line per message. */
export class ProgressLine {
  #message = '';
  #began = 0;
  #drawn = false;

  constructor(
    private readonly output: Output,
    private readonly now: () => number = Date.now,
  ) {}

  update(step: Step): void {
    const isNew = step.message !== this.#message;
    if (isNew) [this.#message, this.#began] = [step.message, this.now()];
    if (this.output.isTTY === true) {
      this.output.write(`\r\u001b[K${this.#render(step).slice(0, (this.output.columns ?? 80) - 1)}`);
      this.#drawn = true;
    } else if (isNew) {
      this.output.write(`${step.message} …\n`);
    }
  }

  /** Removes the line; what comes next starts at the margin. */
  clear(): void {
    if (this.#drawn) this.output.write('\r\u001b[K');
    [this.#message, this.#drawn] = ['', false];
  }

  #render({ message, bytes, total }: Step): string {
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
