import { describe, expect, it } from 'vitest';
import type { Kill } from '../../cluster/kills.js';
import { latencyPhases, quantiles, recoveries } from '../../cluster/latencies.js';
import type { LoadRun } from '../../cluster/load.js';

const run = (startedAt: number, tookMs: number, name = 'order') =>
  ({ n: 0, journey: { name }, startedAt, endedAt: startedAt + tookMs }) as unknown as LoadRun;
const kill = (at: number, readyAt: number) =>
  ({ member: { spec: { role: 'worker' } }, at, readyAt }) as unknown as Kill;

describe('Latencies of the cluster test', () => {
  const before = [run(-30_000, 9_999), ...Array.from({ length: 20 }, (_, i) => run(i * 100, 100))];
  const kills = [kill(10_000, 12_000), kill(30_000, 31_000)];

  it('are divided by the first kill and the last recovery, without the first half minute', () => {
    const phases = latencyPhases([...before, run(11_000, 300), run(60_000, 200), run(60_000, 9, 'reminder')], kills);
    expect(Object.values(phases).map((all) => all.length)).toEqual([20, 1, 1]);
    expect(quantiles(phases['after them']!)).toEqual(['200', '200', '200', '200']);
  });

  it('show how long runs were slow after each kill; a slow run counts for the last kill before its end', () => {
    const all = recoveries([...before, run(9_900, 4_000), run(10_500, 900), run(29_000, 2_500)], kills);
    expect(all.map(({ readySec, calmSec }) => [readySec, calmSec])).toEqual([
      [2, 3.9],
      [1, 1.5],
    ]);
  });
});
