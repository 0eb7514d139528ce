import type { Flow } from '../contestants/contestant.js';
import { rssMb } from '../processes.js';
import type { Part } from './part.js';
import { byCallers } from './runs.js';

const flow: Flow = { kind: 'calls', method: 'POST', count: 3, path: '' };
const [callers, warmUps, runs] = [50, 30, 150];

/** A new worker: its start, many concurrent callers, and its memory afterwards. */
export const load: Part = {
  name: 'load',
  about: 'a fresh worker: time to its first run, 3 POST at 50 callers, memory afterwards',
  measures: [
    { id: 'load-cold', title: 'cold worker to its first run', unit: 's', digits: 2, aim: 1.3 },
    { id: 'load-rate', title: '3 POST at 50 callers', unit: 'runs/s', digits: 1, better: 'more', aim: 0.97 },
    { id: 'load-rss', title: 'memory of a worker after load', unit: 'MB', aim: 1.15 },
  ],
  async run(bench) {
    // Bundles exist and files are cached before a start is measured.
    for (const entrant of await bench.enterAll(flow)) await entrant.worker.kill();
    await bench.inTurn(bench.contestants(flow), 1, async (contestant, repeat) => {
      const site = bench.site();
      const note = (measure: string, value: number) => bench.note(measure, contestant.name, repeat, value);
      const first = await bench.start(contestant, site, flow);
      const began = performance.now();
      const ended = bench.result(first).then(() => note('load-cold', (performance.now() - began) / 1000));
      const [entrant] = await Promise.all([bench.enter(contestant, [flow], site), ended]);
      await byCallers(callers, warmUps, () => bench.run(entrant, flow));
      const loaded = performance.now();
      await byCallers(callers, runs, () => bench.run(entrant, flow));
      note('load-rate', (runs * 1000) / (performance.now() - loaded));
      note('load-rss', rssMb(entrant.worker.pid));
      await entrant.worker.kill();
    });
  },
};
