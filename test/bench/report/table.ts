import type { ContestantName } from '../contestants/contestant.js';
import type { Measure } from '../parts/part.js';
import type { Sample } from './results.js';
import { type Figure, figureOf, ratioOf } from './statistics.js';

/** Contestants as columns, with their headings. */
export const columns: Readonly<Record<ContestantName, string>> = {
  journeyman: 'Journeyman',
  'by-hand': 'by hand',
  interpreter: 'small interpreter',
  zigflow: 'Zigflow',
};

const heading = ['', ...Object.values(columns), 'ratio to by hand', 'aim'];

/** A table of measures without empty columns. */
export function tableOf(measures: readonly Measure[], samples: readonly Sample[]): string[][] {
  const rows = measures.flatMap((it) => rowsOf(it, samples));
  const used = heading.map((_, i) => i === 0 || rows.some((row) => row[i] !== ''));
  return [heading, ...rows].map((row) => row.filter((_, i) => used[i]));
}

/** The rows of a measure: one, or one for each size. */
function rowsOf(measure: Measure, samples: readonly Sample[]): string[][] {
  const own = samples.filter((it) => it.measure === measure.id);
  const sizes = [...new Set(own.map(({ at }) => at))];
  return sizes.map((size) =>
    row(
      measure,
      own.filter(({ at }) => at === size),
      size,
    ),
  );
}

function row(measure: Measure, samples: readonly Sample[], size?: number): string[] {
  const unit = measure.unit === '' ? '' : `, ${measure.unit}`;
  const title = `${measure.title}${size === undefined ? '' : ` (${size} ${measure.sizes})`}${unit}`;
  const figures = (Object.keys(columns) as ContestantName[]).map((it) => shown(measure, figureOf(samples, it)));
  const ratio = ratioOf(samples, 'journeyman', 'by-hand');
  return [title, ...figures, ratio?.toFixed(2) ?? '', aimOf(measure)];
}

function aimOf({ aim, better }: Measure): string {
  if (aim === undefined) return '';
  return `${better === 'more' ? 'at least' : 'at most'} ${aim}`;
}

/** The median, and the minimum and maximum of the repeats if they differ. */
function shown({ digits = 0 }: Measure, figure: Figure | undefined): string {
  if (!figure) return '';
  const [middle, least, most] = [figure.median, figure.least, figure.most].map((it) => number(it, digits));
  return least === most ? middle! : `${middle} (${least}–${most})`;
}

/** A number with thousands separators. */
export function number(value: number, digits: number): string {
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** Rows in columns, for a terminal. */
export function aligned(rows: readonly string[][]): string {
  const widths = rows[0]!.map((_, i) => Math.max(...rows.map((row) => row[i]!.length)));
  return rows
    .map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths[i]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Rows as a Markdown table. */
export function markdown([head, ...rows]: readonly string[][]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head!), line(head!.map((_, i) => (i === 0 ? '---' : '---:'))), ...rows.map(line)].join('\n');
}
