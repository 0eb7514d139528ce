import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { load } from '../../src/language/load.js';
import { definitionHash } from '../../src/library/journeys.js';
import { loadPipeline } from '../../src/pipelines/read/load.js';
import { connect } from '../../src/temporal/connection.js';
import { TemporalPipelines } from '../../src/temporal/pipelines/pipelines.js';
import { median } from './clock.js';
import { startBench } from './stack.js';

/** A pipeline next to an entity workflow by hand, with one child for each event, on one server, in turn. */
const journey = `apiVersion: v1
kind: Journey
metadata: { name: handle, version: 1.0.0 }
spec:
  start: say
  states:
    say: { type: transform, transform: { mapper: { lang: dataweave, expr: "{ seen: context.id }" }, target: { kind: var }, resultVar: out }, next: done }
    done: { type: succeed, outputVar: out }
`;
const document = (name: string) => `apiVersion: v1
kind: Pipeline
metadata: { name: ${name}, version: 1.0.0 }
spec:
  topics: { orders: {} }
  policy: { history: 200 }
  consumers:
    work: { topics: [orders], journey: handle, input: { mapper: { lang: dataweave, expr: "{ id: event.id }" } } }
`;

const folder = mkdtempSync(join(tmpdir(), 'bench-pipelines-'));
const bench = await startBench({ JOURNEYMAN_SPECS: folder, JOURNEYMAN_SERVER_DATA_DIR: folder });
const { config, taskQueue } = bench;
const { client, close } = await connect(config);
const pipelines = new TemporalPipelines(client, config);

/** One of the two, under a name of its own. */
interface Queue {
  start(name: string): Promise<void>;
  publish(name: string, id: string): Promise<unknown>;
  /** When each event was over, by its id. */
  ended(name: string): Promise<Map<string, number>>;
}

const definition = load({ text: journey }).definition!;
const entry = { definition, hash: definitionHash(definition) };

const kinds: Record<'pipeline' | 'by hand', Queue> = {
  pipeline: {
    start: async (name) => {
      const journeys = { find: () => entry, names: () => ['handle'] };
      const { definition: pipeline, findings } = loadPipeline({ text: document(name) }, { journeys });
      if (!pipeline) throw new Error(JSON.stringify(findings));
      await pipelines.deploy({ definition: pipeline, hash: definitionHash(pipeline) }, 'bench');
    },
    publish: (name, id) => pipelines.publish(name, { topic: 'orders', id, payload: { n: 1 } }),
    ended: async (name) => {
      const { items } = await pipelines.runs(name, { pageSize: 200 });
      return new Map(items.map(({ reservations, endedAt }) => [reservations[0]!.id, Date.parse(endedAt!)]));
    },
  },
  'by hand': {
    start: async (name) => {
      await client.workflow.start('queue', { workflowId: name, taskQueue: `${taskQueue}-hand` });
    },
    publish: (name, id) =>
      client.workflow.getHandle(name).executeUpdate('publish', { args: [{ id, payload: { n: 1 } }] }),
    ended: async (name) => new Map(await client.workflow.getHandle(name).query<[string, number][]>('ended')),
  },
};
const names = Object.keys(kinds) as (keyof typeof kinds)[];

const rounds = Number(process.env.BENCH_ROUNDS ?? 100);

/** From publishing to the end of the event's run, one event at a time. */
async function latencies(): Promise<void> {
  for (const kind of names) await kinds[kind].start(`latency-${names.indexOf(kind)}`);
  const published: Record<string, Map<string, number>> = { pipeline: new Map(), 'by hand': new Map() };
  for (let i = 0; i < rounds; i++)
    for (const kind of names) {
      published[kind]!.set(`e${i}`, Date.now());
      await kinds[kind].publish(`latency-${names.indexOf(kind)}`, `e${i}`);
      await sleep(150);
    }
  const found: number[][] = [];
  for (const kind of names) {
    const ended = await kinds[kind].ended(`latency-${names.indexOf(kind)}`);
    // The first ones are also the first that their worker sees.
    const took = [...published[kind]!].slice(5).map(([id, at]) => ended.get(id)! - at);
    found.push(took);
    console.log(`  ${kind.padEnd(10)} median ${median(took)} ms, p99 ${p99(took)} ms, ${took.length} events`);
  }
  console.log(`  ratio of medians ${(median(found[0]!) / median(found[1]!)).toFixed(2)} (aim 1.2)`);
}

const batch = 150;
const stretches = 5;

/** Events a second, when many are published at once. */
async function throughput(): Promise<void> {
  const rates: number[][] = [[], []];
  for (let stretch = 0; stretch < stretches; stretch++)
    for (const [k, kind] of names.entries()) {
      const name = `many-${k}-${stretch}`;
      await kinds[kind].start(name);
      const began = Date.now();
      // A server takes ten updates of one workflow at once.
      await Promise.all(
        Array.from({ length: 8 }, async (_, lane) => {
          for (let i = lane; i < batch; i += 8) await kinds[kind].publish(name, `e${i}`);
        }),
      );
      let ended = new Map<string, number>();
      for (; ended.size < batch; await sleep(100)) ended = await kinds[kind].ended(name);
      rates[k]!.push((batch * 1000) / (Math.max(...ended.values()) - began));
    }
  for (const [k, kind] of names.entries())
    console.log(
      `  ${kind.padEnd(10)} ${median(rates[k]!).toFixed(1)} events/s (${rates[k]!.map((it) => it.toFixed(0)).join(', ')})`,
    );
  console.log(`  time for an event, ratio of medians ${(median(rates[1]!) / median(rates[0]!)).toFixed(2)} (aim 1.2)`);
}

function p99(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.99))]!;
}

console.log('Published to consumed, one event at a time');
await latencies();
console.log(`${batch} events published at once`);
await throughput();
await close();
await bench.stop();
rmSync(folder, { recursive: true, force: true });
