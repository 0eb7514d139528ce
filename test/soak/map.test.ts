import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { itemsOf, mapJourney, mapped } from '../support/map-journey.js';
import { type Backend, backend } from '../temporal/support/backend.js';
import { type Rig, rig } from '../temporal/support/rig.js';
import { type WorkerProcess, workerProcess } from '../temporal/support/worker-process.js';

const items = Number(process.env.ITEMS ?? 10_000);
const kills = Number(process.env.KILLS ?? 5);

let rigged: Rig;
let service: Backend;
let worker: WorkerProcess;
beforeAll(async () => {
  service = await backend(() => 5);
  rigged = await rig({ worker: false });
});
afterAll(async () => {
  await worker?.kill9();
  await rigged.stop();
  await service.close();
});

it(`R15-MAP ${items} items across continue-as-new, the worker killed ${kills} times`, async () => {
  const environment = {
    TEMPORAL_ADDRESS: inject('temporalAddress'),
    JOURNEYMAN_TEMPORAL_TASK_QUEUE: rigged.config.temporal.taskQueue,
  };
  const of = itemsOf(items);
  const began = Date.now();
  const { journeyId } = await rigged.start(mapJourney(service.url, 'POST', 20), { of });
  const handle = rigged.client.workflow.getHandle(journeyId);
  const result = handle.result();
  for (let kill = 0; kill < kills; kill++) {
    worker = await workerProcess(environment);
    while (service.seen.length < ((kill + 1) * items) / (kills + 1)) await sleep(200);
    await worker.kill9();
    console.log(`${service.seen.length} requests after ${((Date.now() - began) / 1_000).toFixed(0)} s: killed`);
  }
  worker = await workerProcess(environment);
  expect(await result).toMatchObject({ phase: 'SUCCEEDED', output: mapped(of) });
  const seconds = (Date.now() - began) / 1_000;

  const executions = [];
  for await (const run of rigged.client.workflow.list({ query: `WorkflowId = "${journeyId}"` }))
    executions.push(run.historyLength ?? 0);
  const keys = new Map<string, Set<string | undefined>>();
  for (const { path, key } of service.seen) keys.set(path, (keys.get(path) ?? new Set()).add(key));
  expect(keys.size).toBe(items);
  expect([...keys.values()].filter((it) => it.size > 1)).toEqual([]);
  const events = executions.reduce((sum, it) => sum + it, 0);
  console.log(
    `${items} items in ${seconds.toFixed(0)} s, ${service.seen.length} requests, ${executions.length} executions of at most ${Math.max(...executions)} events, ${(events / items).toFixed(1)} events per item`,
  );
}, 1_800_000);
