import { setTimeout as sleep } from 'node:timers/promises';
import type { Flow } from '../contestants/contestant.js';
import { rssMb } from '../processes.js';
import type { Part } from './part.js';
import { byCallers, parked } from './runs.js';

const flow: Flow = { kind: 'wait' };
const [warmUps, runs] = [50, 400];

/** Memory of runs that wait in a worker's cache. */
export const parkedRuns: Part = {
  name: 'parked',
  about: 'memory of a worker per run that waits for a submission',
  measures: [{ id: 'parked-memory', title: 'memory per parked run', unit: 'KB', aim: 1.05 }],
  async run(bench) {
    await bench.inTurn(bench.contestants(flow), 1, async (contestant, repeat) => {
      const entrant = await bench.enter(contestant, [flow]);
      const park = async () => await parked(bench, await bench.start(contestant, entrant.site, flow));
      await byCallers(20, warmUps, park);
      await sleep(1_000);
      const before = rssMb(entrant.worker.pid);
      await byCallers(20, runs, park);
      await sleep(1_000);
      bench.note('parked-memory', contestant.name, repeat, ((rssMb(entrant.worker.pid) - before) * 1024) / runs);
      await entrant.worker.kill();
    });
  },
};
