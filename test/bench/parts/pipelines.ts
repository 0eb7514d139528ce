import { setTimeout as sleep } from 'node:timers/promises';
import { definitionHash } from '../../../src/library/read-journeys.js';
import { loadPipeline } from '../../../src/pipelines/read/load-pipeline.js';
import { TemporalPipelines } from '../../../src/temporal/pipelines/temporal-pipelines.js';
import type { Bench } from '../bench.js';
import { handWritten } from '../contestants/hand-written.js';
import { configOf, journeyman } from '../contestants/journeyman.js';
import { definitionOf } from '../contestants/journeys.js';
import type { Part } from './part.js';
import { byCallers } from './runs.js';

const definition = definitionOf(`apiVersion: v1
kind: Journey
metadata: { name: handle, version: 1.0.0 }
spec:
  start: say
  states:
    say: { type: transform, transform: { expr: "{ seen: context.id }", resultVar: out }, next: done }
    done: { type: succeed, outputVar: out }
`);
const document = (name: string) => `apiVersion: v1
kind: Pipeline
metadata: { name: ${name}, version: 1.0.0 }
spec:
  topics: { orders: {} }
  policy: { history: 200 }
  consumers:
    work: { topics: [orders], journey: handle, input: { expr: "{ id: event.id }" } }
`;

/** A queue of events with unique names. */
interface Queue {
  start(name: string): Promise<unknown>;
  publish(name: string, id: string): Promise<unknown>;
  /** The end time of each event, by id. */
  ended(name: string): Promise<Map<string, number>>;
}

const kinds = ['journeyman', 'by-hand'] as const;
type Queues = Record<(typeof kinds)[number], Queue>;

/** A pipeline compared to a hand-written entity workflow with one child for each event. */
export const pipelines: Part = {
  name: 'pipelines',
  about: 'a pipeline with one consumer; by hand an entity workflow with one child for each event',
  apart: true,
  measures: [
    { id: 'pipeline-latency', title: 'pipeline: published to consumed', unit: 'ms', digits: 1, aim: 1.2 },
    {
      id: 'pipeline-rate',
      title: 'pipeline: 150 events published at once',
      unit: 'events/s',
      digits: 1,
      better: 'more',
    },
  ],
  async run(bench) {
    const ours = await bench.enter(journeyman, []);
    const theirs = await bench.enter(handWritten, []);
    const service = new TemporalPipelines(bench.client, configOf(ours.site));
    const queues: Queues = {
      journeyman: { ...pipelineQueue(service), publish: (name, id) => service.publish(name, eventOf(id)) },
      'by-hand': handWrittenQueue(bench, theirs.site.taskQueue),
    };
    await compareLatencies(bench, queues);
    await compareRates(bench, queues);
  },
};

const eventOf = (id: string) => ({ topic: 'orders', id, payload: { n: 1 } });

function pipelineQueue(service: TemporalPipelines): Omit<Queue, 'publish'> {
  const entry = { definition, hash: definitionHash(definition) };
  const journeys = { find: () => entry, names: () => ['handle'] };
  return {
    async start(name) {
      const { definition: pipeline, findings } = loadPipeline({ text: document(name) }, { journeys });
      if (!pipeline) throw new Error(JSON.stringify(findings));
      await service.deploy({ definition: pipeline, hash: definitionHash(pipeline) }, 'bench');
    },
    async ended(name) {
      const { items } = await service.runs(name, { pageSize: 200 });
      return new Map(items.map(({ reservations, endedAt }) => [reservations[0]!.id, Date.parse(endedAt!)]));
    },
  };
}

function handWrittenQueue({ client }: Bench, taskQueue: string): Queue {
  return {
    start: (name) => client.workflow.start('queue', { workflowId: name, taskQueue }),
    publish: (name, id) =>
      client.workflow.getHandle(name).executeUpdate('publish', { args: [{ id, payload: { n: 1 } }] }),
    ended: async (name) => new Map(await client.workflow.getHandle(name).query<[string, number][]>('ended')),
  };
}

const [warmUps, events] = [5, 20];

/** From publishing to the end of the event's run, one event at a time. */
async function compareLatencies(bench: Bench, queues: Queues): Promise<void> {
  const published = { journeyman: new Map<string, number>(), 'by-hand': new Map<string, number>() };
  const publish = async (kind: (typeof kinds)[number], id: string) => {
    published[kind].set(id, Date.now());
    await queues[kind].publish(`latency-${kind}`, id);
    await sleep(120);
  };
  for (const kind of kinds) await queues[kind].start(`latency-${kind}`);
  for (const kind of kinds) for (let i = 0; i < warmUps; i++) await publish(kind, `warm-${i}`);
  await bench.inTurn(kinds, events, async (kind, repeat) => {
    await publish(kind, `${repeat}-${published[kind].size}`);
  });
  for (const kind of kinds)
    for (const [id, endedAt] of await queues[kind].ended(`latency-${kind}`)) {
      if (id.startsWith('warm')) continue;
      bench.note('pipeline-latency', kind, Number(id.split('-')[0]), endedAt - published[kind].get(id)!);
    }
}

const batch = 150;

/** Events per second when many are published at once. */
async function compareRates(bench: Bench, queues: Queues): Promise<void> {
  await bench.inTurn(kinds, 1, async (kind, repeat) => {
    const [name, queue] = [`many-${kind}-${repeat}`, queues[kind]];
    await queue.start(name);
    const began = Date.now();
    let next = 0;
    // A server accepts ten concurrent updates of one workflow.
    await byCallers(8, batch, () => queue.publish(name, `e${next++}`));
    let ended = new Map<string, number>();
    for (; ended.size < batch; await sleep(100)) ended = await queue.ended(name);
    bench.note('pipeline-rate', kind, repeat, (batch * 1000) / (Math.max(...ended.values()) - began));
  });
}
