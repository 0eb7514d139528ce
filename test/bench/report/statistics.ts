import { median } from '../clock.js';
import type { ContestantName } from '../contestants/contestant.js';
import type { Sample } from './results.js';

/** A figure: the median, minimum and maximum of its repeats. */
export interface Figure {
  median: number;
  least: number;
  most: number;
}

/** One value for each repeat: the median of its samples. */
export function byRepeat(samples: readonly Sample[]): number[] {
  const repeats = [...new Set(samples.map((it) => it.repeat))].sort((a, b) => a - b);
  return repeats.map((repeat) => median(samples.filter((it) => it.repeat === repeat).map(({ value }) => value)));
}

/** The figure of a contestant; undefined if it was not measured. */
export function figureOf(samples: readonly Sample[], contestant: ContestantName): Figure | undefined {
  const values = byRepeat(samples.filter((it) => it.contestant === contestant));
  if (values.length === 0) return undefined;
  return { median: median(values), least: Math.min(...values), most: Math.max(...values) };
}

/** The ratio of two contestants: the median of the ratios of their repeats. */
export function ratioOf(samples: readonly Sample[], a: ContestantName, b: ContestantName): number | undefined {
  const [of, to] = [a, b].map((name) => byRepeat(samples.filter((it) => it.contestant === name)));
  const ratios = of!.slice(0, to!.length).map((value, i) => value / to![i]!);
  return ratios.length === 0 ? undefined : median(ratios);
}

/** The exponent b of y = a · x^b through points, by least squares of their logarithms. */
export function exponent(points: readonly { x: number; y: number }[]): number {
  const logs = points.map(({ x, y }) => [Math.log(x), Math.log(y)] as const);
  const mean = (pick: 0 | 1) => logs.reduce((sum, it) => sum + it[pick], 0) / logs.length;
  const [mx, my] = [mean(0), mean(1)];
  const rise = logs.reduce((sum, [x, y]) => sum + (x - mx) * (y - my), 0);
  return rise / logs.reduce((sum, [x]) => sum + (x - mx) ** 2, 0);
}
