import { XMLValidator } from 'fast-xml-parser';
import { describe, expect, it } from 'vitest';
import { barChart } from '../../bench/report/bar-chart.js';
import { lineChart } from '../../bench/report/line-chart.js';
import type { Sample } from '../../bench/report/results.js';
import { tableOf } from '../../bench/report/table.js';

const latency = { id: 'post-latency', title: '10 POST: latency', unit: 'ms', digits: 1, aim: 1.05 };
const growth = { id: 'growth', title: 'history', unit: 'bytes', sizes: 'calls' };
const samples: Sample[] = [
  { measure: 'post-latency', contestant: 'journeyman', repeat: 0, value: 150 },
  { measure: 'post-latency', contestant: 'journeyman', repeat: 1, value: 170 },
  { measure: 'post-latency', contestant: 'by-hand', repeat: 0, value: 100 },
  { measure: 'post-latency', contestant: 'by-hand', repeat: 1, value: 100 },
  { measure: 'growth', contestant: 'journeyman', repeat: 0, value: 1_000, at: 10 },
  { measure: 'growth', contestant: 'journeyman', repeat: 0, value: 16_000, at: 160 },
];
const of = (measure: string) => samples.filter((it) => it.measure === measure);

describe('charts (issue 27)', () => {
  it.each([
    ['bars', barChart(latency, of('post-latency'))],
    ['lines', lineChart(growth, of('growth'))],
  ])('%s are a valid document with colours for light and dark', (_, svg) => {
    expect(XMLValidator.validate(svg)).toBe(true);
    expect(svg).toContain('prefers-color-scheme:dark');
    expect(svg).not.toMatch(/NaN|undefined|Infinity/);
  });

  it('a bar has a length proportional to its median', () => {
    const widths = [...barChart(latency, of('post-latency')).matchAll(/<rect x="\d+".*? width="([\d.]+)"/g)];
    const [ours, theirs] = widths.map(([, width]) => Number(width));
    expect(ours! / theirs!).toBeCloseTo(1.7, 2);
  });
});

it('tables show median, spread, ratio and aim, and omit contestants without figures (issue 27)', () => {
  expect(tableOf([latency, growth], samples)).toEqual([
    ['', 'Journeyman', 'by hand', 'ratio to by hand', 'aim'],
    ['10 POST: latency, ms', '170.0 (150.0–170.0)', '100.0', '1.70', 'at most 1.05'],
    ['history (10 calls), bytes', '1,000', '', '', ''],
    ['history (160 calls), bytes', '16,000', '', '', ''],
  ]);
});
