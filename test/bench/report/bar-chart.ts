import type { ContestantName } from '../contestants/contestant.js';
import type { Measure } from '../parts/part.js';
import type { Sample } from './results.js';
import { figureOf } from './statistics.js';
import { colour, drawing, line, round, text, width } from './svg.js';
import { columns, number } from './table.js';

const [left, right, top, rowHeight, barHeight] = [124, 76, 50, 26, 16];

/** A bar for each contestant: the median and the spread of the repeats. */
export function barChart(measure: Measure, samples: readonly Sample[]): string {
  const bars = (Object.keys(columns) as ContestantName[]).flatMap((name) => {
    const figure = figureOf(samples, name);
    return figure ? [{ name, ...figure }] : [];
  });
  const largest = Math.max(...bars.map(({ most }) => most));
  const x = (value: number) => left + ((width - left - right) * value) / largest;
  const parts = bars.flatMap(({ name, median, least, most }, i) => {
    const y = top + i * rowHeight;
    const middle = y + barHeight / 2;
    const size = `width="${round(x(median) - left)}" height="${barHeight}"`;
    return [
      text(left - 8, middle + 4, columns[name], 'end'),
      `<rect x="${left}" y="${y}" ${size} rx="2" fill="${colour(name)}"/>`,
      ...(least === most ? [] : [line(x(least), middle, x(most), middle, 'spread')]),
      text(x(Math.max(median, most)) + 8, middle + 4, number(median, measure.digits ?? 0)),
    ];
  });
  const note = `${measure.unit}, ${measure.better ?? 'less'} is better`;
  return drawing(measure.title, note, top + bars.length * rowHeight + 8, parts);
}
