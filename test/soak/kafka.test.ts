import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Outcome } from '../../src/engine/outcome.js';
import { cpuMs } from '../bench/processes.js';
import { eventually } from '../support/eventually.js';
import { KafkaTopic } from '../support/kafka-topic.js';
import { type Service, startKafka } from '../support/services.js';
import { handling, lineOf, PipelineRig } from '../temporal/support/pipelines.js';
import { rig } from '../temporal/support/rig.js';
import { type WorkerProcess, workerProcess } from '../temporal/support/worker-process.js';

const events = Number(process.env.EVENTS ?? 100_000);
const kills = Number(process.env.KILLS ?? 5);
const unmatched = Number(process.env.UNMATCHED ?? 5_000);
const batch = 500;

let rigged: PipelineRig;
let kafka: Service;
let worker: WorkerProcess;
let serverPid: number;
const start = () =>
  workerProcess({
    TEMPORAL_ADDRESS: rigged.rig.config.temporal.address!,
    JOURNEYMAN_TEMPORAL_TASK_QUEUE: rigged.rig.config.temporal.taskQueue,
    JOURNEYMAN_KAFKA_BROKERS: kafka.address,
  });
beforeAll(async () => {
  rigged = new PipelineRig(await rig({ worker: false }));
  kafka = await startKafka();
  const [, port] = rigged.rig.config.temporal.address!.split(':');
  const listed = execFileSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' });
  serverPid = Number(new RegExp(`^ *(\\d+) \\S+ server start-dev .*--port ${port}\\b`, 'm').exec(listed)![1]);
  worker = await start();
});
afterAll(async () => {
  await worker.stop();
  await rigged.rig.stop();
  await kafka.stop();
});

/** The numbers that the journeys of a pipeline received. */
async function consumed(name: string): Promise<number[]> {
  const { workflow } = rigged.rig.client;
  const found: number[] = [];
  for await (const { workflowId } of workflow.list({ query: `JourneyTags = 'pipelineName=${name}'` })) {
    const { output } = (await workflow.getHandle(workflowId).result()) as Outcome;
    found.push(...(output as { seen: number[] }).seen);
  }
  return found;
}

it(`GAP-19 ${events} records of a Kafka source, the worker killed ${kills} times`, async () => {
  const name = 'soak';
  const topic = await KafkaTopic.create(kafka.address, name, 4);
  await topic.write(Array.from({ length: events }, (_, n) => ({ n, text: 'x'.repeat(80) })));
  const document = lineOf(name, { consumer: 'prepare: { lang: dataweave, expr: "events.orders" }' })
    .replace('orders: {}', `orders: { source: { kafka: { topic: ${name}, group: ${name} } } }`)
    .replace('event.payload', '{ id: events map $.payload.n }')
    .concat(`  policy: { window: ${batch} }\n`);
  const began = Date.now();
  await rigged.deploy(document);
  const tenth = events / 10;
  const gone = { cpu: 0 };
  const used = () => ({ at: Date.now(), worker: gone.cpu + cpuMs(worker.pid), server: cpuMs(serverPid) });
  let before = used();
  let done = 0;
  const lines = ['backlog  events/s  worker CPU ms/event  server CPU ms/event  killed'];
  for (let part = 1; part <= 10; part++) {
    // Every other tenth has kills; the others give undisturbed figures.
    const isKilled = part % 2 === 0 && part / 2 <= kills;
    const isDone = (goal: number) => (it: Awaited<ReturnType<typeof rigged.pipelines.show>>) => {
      const { orders } = it.topics;
      done = orders!.source!.taken - orders!.pending - orders!.reserved;
      return done >= goal;
    };
    const from = done;
    if (isKilled) {
      await rigged.until(name, isDone(tenth * (part - 0.5)), 1_800_000);
      gone.cpu += cpuMs(worker.pid);
      await worker.kill9();
      worker = await start();
    }
    await rigged.until(name, isDone(tenth * part), 1_800_000);
    const now = used();
    const rate = (done - from) / ((now.at - before.at) / 1000);
    const cpu = [now.worker - before.worker, now.server - before.server].map((ms) => (ms / (done - from)).toFixed(2));
    lines.push([events - from, rate.toFixed(0), ...cpu, isKilled ? 'yes' : ''].join('  '));
    before = now;
  }
  const seconds = (Date.now() - began) / 1000;
  const { counts, status, topics } = await rigged.pipelines.show(name);
  console.log(
    `${lines.join('\n')}\n${events} events, ${counts.committed} runs, ${kills} kills, ${seconds.toFixed(0)} s, ${(events / seconds).toFixed(0)} events/s`,
  );
  const seen = await eventually(
    () => consumed(name),
    (all) => all.length >= events,
  );
  expect(seen.length).toBe(events);
  expect(new Set(seen).size).toBe(events);
  expect({ status, counts }).toMatchObject({ status: 'running', counts: { failed: 0, suspended: 0 } });
  expect(topics.orders!.source).toMatchObject({ taken: events, lag: 0, lost: 0 });
  const committed = await eventually(
    () => topic.committed(name),
    (all) => all.reduce((sum, it) => sum + it, 0) === events,
  );
  expect(committed).toHaveLength(4);
  await topic.close();
}, 7_200_000);

it(`GAP-18 a matching pair among ${unmatched} unmatched events in each topic`, async () => {
  const name = 'joined';
  const document = `
apiVersion: v1
kind: Pipeline
metadata: { name: ${name}, version: 1.0.0 }
spec:
  topics:
    orders: { correlate: { by: { lang: dataweave, expr: event.payload } } }
    payments: { correlate: { by: { lang: dataweave, expr: event.payload } } }
  consumers:
    work: { topics: [orders, payments], journey: handle, input: { mapper: { lang: dataweave, expr: "{ id: event.id }" } } }
`;
  await rigged.deploy(document, [handling('handle')]);
  let pairs = 0;
  const publish = (topic: string, key: number) => rigged.publish(name, `${topic[0]}${key}`, key as never, topic);
  const measure = async (count: number) => {
    const before = { worker: cpuMs(worker.pid), server: cpuMs(serverPid) };
    const took: number[] = [];
    for (let i = 0; i < count; i++) {
      const key = 1_000_000 + pairs;
      const at = performance.now();
      await publish('orders', key);
      await publish('payments', key);
      pairs += 1;
      await eventually(
        () => rigged.pipelines.runs(name, { pageSize: 1 }),
        ({ items: [last] }) => last?.reservations[0]?.id === `o${key}` && last.status === 'committed',
        { pauseMs: 10 },
      );
      took.push(performance.now() - at);
    }
    const { worker: workerMs, server } = before;
    const cpu = [cpuMs(worker.pid) - workerMs, cpuMs(serverPid) - server].map((ms) => (ms / count).toFixed(0));
    took.sort((a, b) => a - b);
    return `median ${took[Math.floor(count / 2)]!.toFixed(0)} ms, worker CPU ${cpu[0]} ms, server CPU ${cpu[1]} ms`;
  };
  await measure(10);
  console.log(`a pair without unmatched events: ${await measure(30)}`);
  for (let from = 0; from < unmatched; from += 500)
    await Promise.all(
      Array.from({ length: 500 }, async (_, i) => {
        await publish('orders', 2 * (from + i));
        await publish('payments', 2 * (from + i) + 1);
      }),
    );
  const { topics } = await rigged.until(name, ({ active }) => active === undefined);
  expect(topics).toMatchObject({ orders: { pending: unmatched }, payments: { pending: unmatched } });
  console.log(`a pair among ${unmatched} unmatched events in each topic: ${await measure(30)}`);
  expect((await rigged.pipelines.show(name)).counts).toMatchObject({ committed: 70, failed: 0, suspended: 0 });
}, 1_800_000);
