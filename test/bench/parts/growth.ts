import type { Flow } from '../contestants/contestant.js';
import { exponent } from '../report/statistics.js';
import type { Part } from './part.js';
import { costOf, historyOf, warmUp } from './runs.js';

const steps = [10, 20, 40, 80, 160];
const flows = steps.map((count): Flow => ({ kind: 'calls', method: 'POST', count, path: '/kb' }));

/** The growth of cost with the length of a run. */
export const growth: Part = {
  name: 'growth',
  about: '10 to 160 POST calls in a row, each answered with 1 KB',
  measures: [
    { id: 'growth-bytes', title: 'history by number of calls', unit: 'bytes', sizes: 'calls' },
    { id: 'growth-bytes-exponent', title: 'history by number of calls: exponent', unit: '', digits: 3, noChart: true },
    { id: 'growth-latency', title: 'latency by number of calls', unit: 'ms', sizes: 'calls' },
    {
      id: 'growth-latency-exponent',
      title: 'latency by number of calls: exponent',
      unit: '',
      digits: 3,
      noChart: true,
    },
  ],
  async run(bench) {
    const entrants = await bench.enterAll(...(flows as [Flow, ...Flow[]]));
    await warmUp(bench, entrants, flows[0]!, 5);
    await bench.inTurn(entrants, 1, async (entrant, repeat) => {
      const { name } = entrant.contestant;
      const points: { x: number; bytes: number; ms: number }[] = [];
      for (const [i, flow] of flows.entries()) {
        const { id, latencyMs } = await costOf(bench, entrant, flow);
        points.push({ x: steps[i]!, bytes: (await historyOf(bench, id)).bytes, ms: latencyMs });
      }
      for (const { x, bytes, ms } of points) {
        bench.note('growth-bytes', name, repeat, bytes, x);
        bench.note('growth-latency', name, repeat, ms, x);
      }
      bench.note('growth-bytes-exponent', name, repeat, exponent(points.map(({ x, bytes }) => ({ x, y: bytes }))));
      bench.note('growth-latency-exponent', name, repeat, exponent(points.map(({ x, ms }) => ({ x, y: ms }))));
    });
  },
};
