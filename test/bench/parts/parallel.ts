import type { Flow } from '../contestants/contestant.js';
import type { Part } from './part.js';
import { costOf, warmUp } from './runs.js';

const sizes = [3, 10, 50];
const flows = sizes.map((branches): Flow => ({ kind: 'parallel', branches }));

/** Concurrent branches. */
export const parallel: Part = {
  name: 'parallel',
  about: 'a POST in each of 3, 10 and 50 parallel branches',
  measures: [
    { id: 'parallel-latency', title: 'parallel POST: latency', unit: 'ms', digits: 1, sizes: 'branches' },
    { id: 'parallel-worker', title: 'parallel POST: worker CPU', unit: 'ms', digits: 1, sizes: 'branches' },
  ],
  async run(bench) {
    const entrants = await bench.enterAll(...(flows as [Flow, ...Flow[]]));
    await warmUp(bench, entrants, flows[1]!, 5);
    await bench.inTurn(entrants, 3, async (entrant, repeat) => {
      for (const [i, flow] of flows.entries()) {
        const cost = await costOf(bench, entrant, flow);
        bench.note('parallel-latency', entrant.contestant.name, repeat, cost.latencyMs, sizes[i]);
        bench.note('parallel-worker', entrant.contestant.name, repeat, cost.workerMs, sizes[i]);
      }
    });
  },
};
