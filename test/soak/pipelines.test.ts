import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Outcome } from '../../src/engine/outcome.js';
import { handling, lineOf, PipelineRig } from '../temporal/support/pipelines.js';
import { rig } from '../temporal/support/rig.js';
import { type WorkerProcess, workerProcess } from '../temporal/support/worker-process.js';

/** The product's worker, in a process that is killed. */
let rigged: PipelineRig;
let worker: WorkerProcess;
const start = () =>
  workerProcess({
    TEMPORAL_ADDRESS: rigged.rig.config.temporal.address!,
    JOURNEYMAN_TEMPORAL_TASK_QUEUE: rigged.rig.config.temporal.taskQueue,
  });
beforeAll(async () => {
  rigged = new PipelineRig(await rig({ worker: false }));
  worker = await start();
});
afterAll(async () => {
  await worker.stop();
  await rigged.rig.stop();
});

const kills = 5;

/** The ids that each journey of a pipeline received, as reported by the journeys. */
async function consumed(name: string): Promise<string[]> {
  const { workflow } = rigged.rig.client;
  const found: string[] = [];
  for await (const { workflowId } of workflow.list({ query: `JourneyTags = 'pipelineName=${name}'` })) {
    const { output } = (await workflow.getHandle(workflowId).result()) as Outcome;
    found.push(...(output as { seen: string[] }).seen);
  }
  return found;
}

/** Interventions with Temporal's tools, which are unaware of pipelines, at bad moments. */
async function disturb(name: string): Promise<void> {
  if (Math.random() < 0.7) return await rigged.reset(`pipeline.${name}`, 4, { reapply: Math.random() < 0.5 });
  await rigged.entity(name).terminate('to see');
  await rigged.deploy(listing(name), [handling('handle')]);
}

/** Its journeys return their events. */
const listing = (name: string, consumer = '') =>
  lineOf(name, { consumer }).replace('event.payload', '{ id: events map $.id }');

/** Fails unless each event was consumed exactly once without manual decisions. */
async function expectConsumed(name: string, ids: readonly string[]): Promise<void> {
  // Visibility lists ended runs a moment later.
  let seen: string[] = [];
  for (let look = 0; look < 20 && seen.length < ids.length; look++, await sleep(500)) seen = await consumed(name);
  expect(seen.length).toBe(ids.length);
  expect(new Set(seen)).toEqual(new Set(ids));
  const { status, counts } = await rigged.pipelines.show(name);
  expect({ status, counts }).toMatchObject({ status: 'running', counts: { failed: 0, suspended: 0 } });
}

/** Publishes events, kills the worker repeatedly while they are consumed, and counts. */
async function soak(name: string, events: number, consumer: string): Promise<void> {
  await rigged.deploy(listing(name, consumer), [handling('handle')]);
  const began = Date.now();
  const ids = Array.from({ length: events }, (_, i) => `e${i}`);
  let published = 0;
  const publishing = Promise.all(
    Array.from({ length: 50 }, async (_, lane) => {
      for (let i = lane; i < events; i += 50) {
        // A caller whose worker died retries with the same id.
        for (let done = false; !done; )
          done = await rigged.publish(name, ids[i]!, { n: i }).then(
            () => true,
            () => false,
          );
        published += 1;
      }
    }),
  );
  for (let kill = 1; kill <= kills; kill++) {
    const goal = Math.floor((events * kill) / (kills + 2));
    await rigged.until(name, ({ topics }) => published - topics.orders!.pending >= goal, 600_000);
    await worker.kill9();
    worker = await start();
  }
  await publishing;
  await rigged.until(name, ({ topics }) => topics.orders!.pending + topics.orders!.reserved === 0, 600_000);
  const seconds = (Date.now() - began) / 1000;
  const { counts } = await rigged.pipelines.show(name);
  console.log(
    `${name}: ${events} events, ${counts.committed} runs, ${kills} kills, ${seconds.toFixed(0)} s, ${(events / seconds).toFixed(0)} events/s`,
  );
  await expectConsumed(name, ids);
}

it('2,000 events one at a time, each consumed exactly once', () => soak('one-by-one', 2_000, ''), 1_200_000);

it(
  '10,000 events, 25 at a time, each consumed exactly once',
  () =>
    soak(
      'by-25',
      10_000,
      'prepare: { lang: dataweave, expr: "events.orders[0 to (min([25, sizeOf(events.orders)]) - 1)]" }',
    ),
  1_200_000,
);

it('600 events, reset or terminated 30 times while they are consumed, each consumed exactly once', async () => {
  const name = 'disturbed';
  await rigged.deploy(listing(name), [handling('handle')]);
  const ids: string[] = [];
  for (let times = 0, seen = 0; times < 30; times++) {
    const more = Array.from({ length: 20 }, (_, i) => `e${times}-${i}`);
    for (const id of more) await rigged.entity(name).signal('publish', { topic: 'orders', id, payload: {} });
    ids.push(...more);
    const { counts } = await rigged.until(name, (it) => it.counts.committed > seen, 60_000);
    seen = counts.committed + Math.floor(Math.random() * 4);
    await sleep(Math.random() * 300);
    await disturb(name);
  }
  await rigged.committed(name, ids.length, 120_000);
  await expectConsumed(name, ids);
}, 600_000);
