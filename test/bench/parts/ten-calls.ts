import type { Flow } from '../contestants/contestant.js';
import type { Part } from './part.js';
import { costOf, historyOf, warmUp } from './runs.js';

const [warmUps, runsPerRepeat] = [10, 12];

/** Ten sequential calls. */
function tenCalls(name: string, method: 'GET' | 'POST', about: string): Part {
  const flow: Flow = { kind: 'calls', method, count: 10, path: '' };
  return {
    name,
    about,
    measures: [
      { id: `${name}-latency`, title: `10 ${method}: latency`, unit: 'ms', digits: 1, aim: 1.05 },
      { id: `${name}-worker`, title: `10 ${method}: worker CPU`, unit: 'ms', digits: 1, aim: 1.1 },
      { id: `${name}-server`, title: `10 ${method}: server CPU`, unit: 'ms', digits: 1 },
      { id: `${name}-bytes`, title: `10 ${method}: history`, unit: 'bytes', aim: 1.15 },
      { id: `${name}-events`, title: `10 ${method}: history`, unit: 'events', noChart: true },
    ],
    async run(bench) {
      const entrants = await bench.enterAll(flow);
      await warmUp(bench, entrants, flow, warmUps);
      await bench.inTurn(entrants, runsPerRepeat, async (entrant, repeat) => {
        const { name: who } = entrant.contestant;
        const cost = await costOf(bench, entrant, flow);
        bench.note(`${name}-latency`, who, repeat, cost.latencyMs);
        bench.note(`${name}-worker`, who, repeat, cost.workerMs);
        bench.note(`${name}-server`, who, repeat, cost.serverMs);
        const history = await historyOf(bench, cost.id);
        bench.note(`${name}-bytes`, who, repeat, history.bytes);
        bench.note(`${name}-events`, who, repeat, history.events);
      });
    },
  };
}

/** Calls that are ordinary activities. */
export const post = tenCalls('post', 'POST', 'ten POST calls in a row');
/** Calls that may be repeated. */
export const get = tenCalls('get', 'GET', 'ten GET calls in a row; by hand they are local activities');
