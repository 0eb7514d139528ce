import { setTimeout as sleep } from 'node:timers/promises';
import type { Bench } from '../bench.js';
import type { Contestant, Flow } from '../contestants/contestant.js';
import type { Part } from './part.js';
import { parked } from './runs.js';

const waiting: Flow = { kind: 'wait' };
const runs = 5;
/** Time between two kills: replacements of killed workers do not start at once. */
const apartMs = 2_500;

/** A worker is killed and replaced at once. Most of the time passes until the server gives its tasks to another worker. */
export const recovery: Part = {
  name: 'recovery',
  about: 'from `kill -9` of the worker, replaced at once, until its runs have ended',
  measures: [
    { id: 'recovery-waiting', title: 'recovery of waiting runs', unit: 's', digits: 2 },
    { id: 'recovery-calling', title: 'recovery of runs in a call', unit: 's', digits: 2 },
  ],
  async run(bench) {
    for (let repeat = 0; repeat < bench.repeats; repeat++) {
      const kills = bench.contestants(waiting).map(async (contestant, i) => {
        await sleep(i * apartMs);
        await recover(bench, contestant, repeat);
      });
      // All of them end before an error of one stops the server.
      for (const outcome of await Promise.allSettled(kills)) if (outcome.status === 'rejected') throw outcome.reason;
    }
  },
};

async function recover(bench: Bench, contestant: Contestant, repeat: number): Promise<void> {
  const path = `/slow/${contestant.name}-${repeat}`;
  const calling: Flow = { kind: 'calls', method: 'POST', count: 1, path };
  const entrant = await bench.enter(contestant, [waiting, calling]);
  const start = (flow: Flow) =>
    Promise.all(Array.from({ length: runs }, () => bench.start(contestant, entrant.site, flow)));
  const waits = await start(waiting);
  for (const id of waits) await parked(bench, id);
  const calls = await start(calling);
  for (let i = 0; bench.service.calls(path) < runs; i++) {
    if (i === 10_000) throw new Error(`${contestant.title} makes no calls`);
    await sleep(1);
  }
  await entrant.worker.kill();
  const killed = performance.now();
  const took = async (ids: string[], measure: string) => {
    await Promise.all(ids.map((id) => bench.result(id)));
    bench.note(measure, contestant.name, repeat, (performance.now() - killed) / 1000);
  };
  const [next] = await Promise.all([
    bench.enter(contestant, [waiting, calling], entrant.site),
    ...waits.map((id) => bench.client.workflow.getHandle(id).signal('approve', {})),
    took(waits, 'recovery-waiting'),
    took(calls, 'recovery-calling'),
  ]);
  await next.worker.kill();
}
