import { randomUUID } from 'node:crypto';
import { cpus } from 'node:os';
import type { JsonObject } from '../../src/json/value.js';
import { load } from '../../src/language/load.js';
import { prepared } from '../support/prepared.js';
import { backend } from '../temporal/support/backend.js';
import { compareApi } from './api.js';
import { median } from './clock.js';
import { cpuMs } from './processes.js';
import { startBench } from './stack.js';

const repeats = 5;
const runsPerRepeat = Number(process.env.BENCH_RUNS ?? 30);

const tenTasks = (method: string, base: string): string => {
  const body = (i: number) => (method === 'GET' ? '' : `, body: { mapper: { lang: dataweave, expr: "{ i: ${i} }" } }`);
  const states = Array.from(
    { length: 10 },
    (_, i) =>
      `    call${i}: { type: task, task: { kind: "httpCall:v1", method: ${method}, url: "${base}/${i}"${body(i)}, resultVar: r${i} }, next: ${i < 9 ? `call${i + 1}` : 'check'} }`,
  );
  const ok = Array.from({ length: 10 }, (_, i) => `context.r${i}.ok`).join(' and ');
  return `apiVersion: v1
kind: Journey
metadata: { name: ten-${method.toLowerCase()}, version: 1.0.0 }
spec:
  lifecycle: { startMode: async }
  start: call0
  states:
${states.join('\n')}
    check: { type: choice, choices: [{ when: { predicate: { lang: dataweave, expr: "${ok}" } }, next: done }], default: failed }
    done: { type: succeed }
    failed: { type: fail, errorCode: FAILED, reason: A call failed }
`;
};

const pureStates = `apiVersion: v1
kind: Journey
metadata: { name: pure, version: 1.0.0 }
spec:
  lifecycle: { startMode: async }
  start: add
  states:
    add: { type: transform, transform: { mapper: { lang: dataweave, expr: "context ++ { n: context.n + 1 }" }, target: { kind: context } }, next: more }
    more: { type: choice, choices: [{ when: { predicate: { lang: dataweave, expr: "context.n < 500" } }, next: add }], default: done }
    done: { type: succeed }
`;

const definitionOf = (text: string) => {
  const { definition, findings } = load({ text });
  if (!definition) throw new Error(JSON.stringify(findings));
  return definition;
};

const bench = await startBench();
const { server, taskQueue, client, runs, ours, handWritten } = bench;
const service = await backend();

interface Sample {
  latencyMs: number;
  workerMs: number;
  serverMs: number;
}

/** One way to run a flow: how to start it, and the worker that pays for it. */
interface Contender {
  start: () => Promise<string>;
  workerPid: number;
}

/** One run: its latency, and the CPU it cost. */
async function measure({ start, workerPid }: Contender): Promise<Sample> {
  const [worker, served, began] = [cpuMs(workerPid), cpuMs(server.pid), performance.now()];
  await client.workflow.getHandle(await start()).result();
  return {
    latencyMs: performance.now() - began,
    workerMs: cpuMs(workerPid) - worker,
    serverMs: cpuMs(server.pid) - served,
  };
}

/** The contenders take turns run by run, so that a slow moment of the machine meets all of them alike. */
async function batch<C extends Contender[]>(...contenders: C): Promise<{ [K in keyof C]: Sample }> {
  const samples: Sample[][] = contenders.map(() => []);
  for (let i = 0; i < runsPerRepeat; i++) {
    for (const [who, contender] of contenders.entries()) samples[who]!.push(await measure(contender));
  }
  return samples.map(summary) as { [K in keyof C]: Sample };
}

/** Median latency, and mean CPU per run: the CPU clock ticks too coarsely for a single run. */
function summary(samples: Sample[]): Sample {
  const mean = (pick: (sample: Sample) => number) => samples.reduce((sum, it) => sum + pick(it), 0) / samples.length;
  return {
    latencyMs: median(samples.map((it) => it.latencyMs)),
    workerMs: mean((it) => it.workerMs),
    serverMs: mean((it) => it.serverMs),
  };
}

const startJourney = (text: string, body: JsonObject = {}) => {
  const definition = definitionOf(text);
  return async () => (await runs.start({ ...prepared(definition, body), mode: 'async', caller: 'bench' })).id;
};
const startHandWritten = (method: string) => async () => {
  const workflowId = randomUUID();
  await client.workflow.start('tenCalls', { workflowId, taskQueue: `${taskQueue}-hand`, args: [method, service.url] });
  return workflowId;
};

async function history(id: string): Promise<{ events: number; bytes: number }> {
  const description = await client.workflow.getHandle(id).describe();
  return {
    events: description.historyLength,
    bytes: Number(description.raw.workflowExecutionInfo?.historySizeBytes ?? 0),
  };
}

const rows: string[][] = [];
async function compare(method: 'POST' | 'GET', targets: [latency: number, events: number, cpu: string]): Promise<void> {
  const mine = { start: startJourney(tenTasks(method, service.url)), workerPid: ours.pid };
  const theirs = { start: startHandWritten(method), workerPid: handWritten.pid };
  const samples: { mine: Sample; theirs: Sample }[] = [];
  await batch(mine, theirs);
  for (let i = 0; i < repeats; i++) {
    const [a, b] = await batch(mine, theirs);
    samples.push({ mine: a, theirs: b });
  }
  const idMine = await mine.start();
  const idTheirs = await theirs.start();
  await Promise.all([idMine, idTheirs].map((id) => client.workflow.getHandle(id).result()));
  const [a, b] = [await history(idMine), await history(idTheirs)];
  const ratio = (pick: (sample: Sample) => number) => median(samples.map((it) => pick(it.mine) / pick(it.theirs)));
  const value = (side: 'mine' | 'theirs', pick: (sample: Sample) => number) =>
    median(samples.map((it) => pick(it[side]))).toFixed(1);
  const line = (what: string, pick: (sample: Sample) => number, target: string) =>
    rows.push([`10 ${method}`, what, value('mine', pick), value('theirs', pick), ratio(pick).toFixed(2), target]);
  line('latency ms', (it) => it.latencyMs, `<= ${targets[0]}`);
  rows.push([
    `10 ${method}`,
    'history events',
    String(a.events),
    String(b.events),
    (a.events / b.events).toFixed(2),
    `<= ${targets[1]}`,
  ]);
  rows.push([`10 ${method}`, 'history bytes', String(a.bytes), String(b.bytes), (a.bytes / b.bytes).toFixed(2), '']);
  line('worker CPU ms', (it) => it.workerMs, method === 'POST' ? targets[2] : '');
  line('server CPU ms', (it) => it.serverMs, method === 'GET' ? targets[2] : '');
}

await compare('POST', [1.1, 1.0, '<= 1.3']);
await compare('GET', [0.5, 0.35, '<= 0.35']);

const pure = startJourney(pureStates, { n: 0 });
const [pureSample] = await batch({ start: pure, workerPid: ours.pid });
const pureId = await pure();
await client.workflow.getHandle(pureId).result();
rows.push(['1,000 pure states', 'latency ms', pureSample.latencyMs.toFixed(1), '', '', '']);
rows.push(['1,000 pure states', 'history events', String((await history(pureId)).events), '', '', '']);

const api = await compareApi(server.address, service.url, repeats);
rows.push(['kind: Api', 'latency ms', api.mine.toFixed(2), api.theirs.toFixed(2), api.ratio.toFixed(2), '<= 1.5']);

const heading = ['flow', 'measure', 'journey', 'by hand', 'ratio', 'target'];
const widths = heading.map((_, i) => Math.max(...[heading, ...rows].map((row) => row[i]!.length)));
for (const row of [heading, ...rows])
  console.log(
    row
      .map((cell, i) => cell.padEnd(widths[i]!))
      .join('  ')
      .trimEnd(),
  );
console.log(
  `\n${repeats} repeats of ${runsPerRepeat} alternated runs, medians; Node ${process.version}, server ${server.version}, ${cpus().length} cores`,
);

await service.close();
await bench.stop();
