import { randomUUID } from 'node:crypto';
import { cpus } from 'node:os';
import { load } from '../../src/language/load.js';
import { itemsOf, mapJourney } from '../support/map-journey.js';
import { prepared } from '../support/prepared.js';
import { backend } from '../temporal/support/backend.js';
import { median } from './clock.js';
import { cpuMs } from './processes.js';
import { startBench } from './stack.js';

/** Few enough for one history of either: a workflow by hand has no fresh execution. */
const items = Number(process.env.BENCH_ITEMS ?? 500);
const repeats = Number(process.env.BENCH_RUNS ?? 5);
const of = itemsOf(items);

const bench = await startBench();
const { server, taskQueue, client, runs, ours, handWritten } = bench;
const service = await backend();

interface Cost {
  ms: number;
  workerMs: number;
  serverMs: number;
  events: number;
}

async function measure(start: () => Promise<string>, workerPid: number): Promise<Cost> {
  const [worker, served, began] = [cpuMs(workerPid), cpuMs(server.pid), performance.now()];
  const id = await start();
  await client.workflow.getHandle(id).result();
  const ms = performance.now() - began;
  const cost = { ms, workerMs: cpuMs(workerPid) - worker, serverMs: cpuMs(server.pid) - served };
  // Until visibility knows them all; a fresh execution counts with those before it.
  const { runId } = await client.workflow.getHandle(id).describe();
  for (;;) {
    const executions = [];
    for await (const run of client.workflow.list({ query: `WorkflowId = "${id}"` })) executions.push(run);
    if (executions.some((run) => run.runId === runId && run.closeTime))
      return { ...cost, events: executions.reduce((sum, { historyLength = 0 }) => sum + historyLength, 0) };
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

console.log(`flow                 measure          journey  by hand  ratio`);
for (const [method, atOnce] of [
  ['POST', 10],
  ['GET', 10],
  ['GET', 1],
] as const) {
  const { definition } = load({ text: mapJourney(service.url, method, atOnce) });
  const mine = async () => (await runs.start({ ...prepared(definition!, { of }), mode: 'async', caller: 'bench' })).id;
  const theirs = async () => {
    const workflowId = randomUUID();
    const args = [method, service.url, of, atOnce];
    await client.workflow.start('eachItem', { workflowId, taskQueue: `${taskQueue}-hand`, args });
    return workflowId;
  };
  const costs: { mine: Cost; theirs: Cost }[] = [];
  for (let i = 0; i <= repeats; i++) {
    const pair = { mine: await measure(mine, ours.pid), theirs: await measure(theirs, handWritten.pid) };
    if (i > 0) costs.push(pair);
  }
  const line = (what: string, pick: (cost: Cost) => number) => {
    const [a, b] = [median(costs.map((it) => pick(it.mine))), median(costs.map((it) => pick(it.theirs)))];
    const flow = `${items} ${method}, ${atOnce} at once`.padEnd(20);
    console.log(
      `${flow} ${what.padEnd(16)} ${a.toFixed(2).padStart(7)}  ${b.toFixed(2).padStart(7)}  ${(a / b).toFixed(2)}`,
    );
  };
  line('events per item', (it) => it.events / items);
  line('ms per item', (it) => it.ms / items);
  line('worker CPU ms', (it) => it.workerMs / items);
  line('server CPU ms', (it) => it.serverMs / items);
}
console.log(
  `\n${repeats} alternated runs, medians; Node ${process.version}, server ${server.version}, ${cpus().length} cores`,
);

await service.close();
await bench.stop();
