import type { Flow } from '../contestants/contestant.js';
import type { Part } from './part.js';
import { costOf, historyOf } from './runs.js';

const items = 500;
const flow: Flow = { kind: 'each', items, atOnce: 10 };

/** A call for each item of a list. */
export const map: Part = {
  name: 'map',
  about: 'a POST for each of 500 items, 10 at once',
  measures: [
    { id: 'map-time', title: 'map of 500 items: time per item', unit: 'ms', digits: 2 },
    { id: 'map-worker', title: 'map of 500 items: worker CPU per item', unit: 'ms', digits: 2 },
    { id: 'map-events', title: 'map of 500 items: events per item', unit: 'events', digits: 2, noChart: true },
  ],
  async run(bench) {
    const entrants = await bench.enterAll(flow);
    for (const entrant of entrants) await bench.run(entrant, flow);
    await bench.inTurn(entrants, 1, async (entrant, repeat) => {
      const { name } = entrant.contestant;
      const { id, latencyMs, workerMs } = await costOf(bench, entrant, flow);
      bench.note('map-time', name, repeat, latencyMs / items);
      bench.note('map-worker', name, repeat, workerMs / items);
      bench.note('map-events', name, repeat, (await historyOf(bench, id)).events / items);
    });
  },
};
