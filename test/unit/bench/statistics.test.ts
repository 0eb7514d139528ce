import { expect, it } from 'vitest';
import type { Sample } from '../../bench/report/results.js';
import { exponent, figureOf, ratioOf } from '../../bench/report/statistics.js';

const samples = (contestant: Sample['contestant'], ...repeats: number[][]): Sample[] =>
  repeats.flatMap((values, repeat) => values.map((value) => ({ measure: 'latency', contestant, repeat, value })));

it('a figure is the median of the repeats, each of them the median of its samples, with their spread (issue 27)', () => {
  const all = samples('journeyman', [1, 2, 90], [5, 4, 6], [3, 3, 3]);
  expect(figureOf(all, 'journeyman')).toEqual({ median: 3, least: 2, most: 5 });
  expect(figureOf(all, 'zigflow')).toBeUndefined();
});

it('a ratio is the median of the ratios of the repeats, so that a slow repeat of both does not matter (issue 27)', () => {
  const all = [...samples('journeyman', [2], [20], [3]), ...samples('by-hand', [1], [10], [2])];
  expect(ratioOf(all, 'journeyman', 'by-hand')).toBe(2);
});

it('the exponent distinguishes linear from quadratic growth (issue 27)', () => {
  const sizes = [10, 20, 40, 80, 160];
  expect(exponent(sizes.map((x) => ({ x, y: 7 * x })))).toBeCloseTo(1, 9);
  expect(exponent(sizes.map((x) => ({ x, y: 3 * x * x })))).toBeCloseTo(2, 9);
});
