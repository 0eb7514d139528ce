import type { ContestantName } from '../contestants/contestant.js';
import type { Measure } from '../parts/part.js';
import type { Sample } from './results.js';
import { figureOf } from './statistics.js';
import { colour, drawing, line, round, text, width } from './svg.js';
import { columns } from './table.js';

const [left, right, top, bottom, height] = [52, 112, 56, 34, 260];

interface Series {
  name: ContestantName;
  points: { size: number; value: number }[];
}

/** A line for each contestant over the size of the flow; both axes are logarithmic, so a straight line is a power. */
export function lineChart(measure: Measure, samples: readonly Sample[]): string {
  const sizes = [...new Set(samples.map(({ at }) => at!))].sort((a, b) => a - b);
  const all = (Object.keys(columns) as ContestantName[]).map((name) => seriesOf(name, sizes, samples));
  const series = all.filter(({ points }) => points.length > 0);
  const values = series.flatMap(({ points }) => points.map(({ value }) => value));
  const ticks = ticksAround(Math.min(...values), Math.max(...values));
  const x = scale(sizes[0]!, sizes.at(-1)!, left, width - right);
  const y = scale(ticks[0]!, ticks.at(-1)!, height - bottom, top);
  const parts = [
    ...ticks.flatMap((tick) => [
      line(left, y(tick), width - right, y(tick), 'grid'),
      text(left - 6, y(tick) + 4, short(tick), 'end dim'),
    ]),
    ...sizes.map((size) => text(x(size), height - bottom + 18, String(size), 'middle dim')),
    ...series.map((it) => curve(it, x, y)),
    ...labels(series, y).map(({ name, at }) => text(width - right + 8, at + 4, columns[name], '', colour(name))),
  ];
  const note = `${measure.unit} by ${measure.sizes}, both logarithmic; less is better`;
  return drawing(measure.title, note, height, parts);
}

function seriesOf(name: ContestantName, sizes: readonly number[], samples: readonly Sample[]): Series {
  const points = sizes.flatMap((size) => {
    const figure = figureOf(
      samples.filter(({ at }) => at === size),
      name,
    );
    return figure ? [{ size, value: figure.median }] : [];
  });
  return { name, points };
}

type Scale = (value: number) => number;

function scale(least: number, most: number, from: number, to: number): Scale {
  return (value) => from + ((to - from) * Math.log(value / least)) / Math.log(most / least);
}

function curve({ name, points }: Series, x: Scale, y: Scale): string {
  const path = points.map(({ size, value }) => `${round(x(size))} ${round(y(value))}`).join('L');
  const dots = points.map(({ size, value }) => `<circle cx="${round(x(size))}" cy="${round(y(value))}" r="3"/>`);
  return `<g fill="${colour(name)}"><path d="M${path}" fill="none" stroke="${colour(name)}" stroke-width="2"/>${dots.join('')}</g>`;
}

/** Names at the ends of their lines, at least a line of text apart. */
function labels(series: readonly Series[], y: Scale): { name: ContestantName; at: number }[] {
  const placed: { name: ContestantName; at: number }[] = [];
  const ends = series.map(({ name, points }) => ({ name, at: y(points.at(-1)!.value) })).sort((a, b) => a.at - b.at);
  for (const { name, at } of ends) placed.push({ name, at: Math.max(at, (placed.at(-1)?.at ?? -15) + 15) });
  return placed;
}

/** 1, 2 and 5 times powers of ten, from below the minimum to above the maximum; only powers if there would be many. */
function ticksAround(least: number, most: number): number[] {
  const steps = most / least > 100 ? [1] : [1, 2, 5];
  const all = Array.from({ length: 12 }, (_, power) => steps.map((step) => step * 10 ** power)).flat();
  const from = all.findLastIndex((it) => it <= least);
  const to = all.findIndex((it) => it >= most);
  return all.slice(Math.max(0, from), to + 1);
}

function short(value: number): string {
  if (value >= 1e6) return `${value / 1e6} M`;
  return value >= 1e3 ? `${value / 1e3} k` : String(value);
}
