import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { CallPattern } from '../../src/scenarios/call-pattern.js';
import { ScriptedBackend } from '../../src/scenarios/scripted-backend.js';
import { Simulation } from '../../src/scenarios/virtual/simulation.js';
import { flushPromises, VirtualClock } from '../../src/scenarios/virtual/virtual-clock.js';
import { VirtualEffects } from '../../src/scenarios/virtual/virtual-effects.js';
import { itemsOf, mapJourney, mapped } from '../support/map-journey.js';
import { type Backend, backend } from './support/backend.js';
import { journeyOf, type Rig, rig } from './support/rig.js';
import { type WorkerProcess, workerProcess } from './support/worker-process.js';

const of = itemsOf(120);
let rigged: Rig;
let service: Backend;
let worker: WorkerProcess | undefined;
beforeAll(async () => {
  service = await backend(() => 60);
  rigged = await rig({ worker: false, env: { JOURNEYMAN_LIMITS_HISTORY_EVENTS: '150' } });
});
afterAll(async () => {
  await worker?.kill9();
  await rigged.stop();
  await service.close();
});

/** The same journey in virtual time; each service returns the requested path. */
async function inVirtualTime() {
  const clock = new VirtualClock(Date.UTC(2026, 0, 1));
  const rules = of.map((item) => ({
    calls: CallPattern.parse(`POST https://service.test/${item}`)!,
    replies: [{ status: 200, headers: {}, body: { ok: true, path: `/${item}` }, afterMs: 60 }],
  }));
  const effects = new VirtualEffects(clock, new ScriptedBackend(rules));
  const definition = journeyOf(mapJourney('https://service.test', 'POST'));
  const simulation = new Simulation(definition, { of }, { clock, effects });
  await flushPromises();
  await simulation.toEnd();
  return simulation.outcome;
}

it('R15-MAP has the same outcome on a real server as in virtual time, across continue-as-new and worker crashes', async () => {
  const environment = {
    TEMPORAL_ADDRESS: inject('temporalAddress'),
    JOURNEYMAN_TEMPORAL_TASK_QUEUE: rigged.config.temporal.taskQueue,
  };
  const { journeyId } = await rigged.start(mapJourney(service.url, 'POST'), { of });
  const handle = rigged.client.workflow.getHandle(journeyId);
  const first = (await handle.describe()).runId;
  const calls = async (count: number) => {
    await expect.poll(() => service.seen.length, { timeout: 120_000 }).toBeGreaterThan(count);
  };
  for (const count of [10, 60]) {
    worker = await workerProcess(environment);
    await calls(count);
    await worker.kill9();
  }
  worker = await workerProcess(environment);
  await calls(100);
  const { status } = await rigged.runs.status(journeyId);
  const [map] = status.activeStates;
  if (map) expect(map).toMatchObject({ state: 'each', type: 'map', items: { total: 120, failed: 0 } });

  const outcome = await handle.result();
  expect(outcome).toMatchObject({ phase: 'SUCCEEDED', output: mapped(of) });
  const { output, ...virtual } = (await inVirtualTime())!;
  expect(outcome).toMatchObject({ output, ...virtual });
  expect((await handle.describe()).runId).not.toBe(first);
  for (const item of of) {
    const keys = service.seen.filter(({ path }) => path === `/${item}`).map(({ key }) => key);
    expect(new Set(keys).size, item).toBe(1);
    expect(keys[0]).toBe(`${journeyId}/each#1.${item.slice(1)}/call#1`);
  }
}, 400_000);

it('R15-MAP a cancel reaches the items in flight, and the remaining ones do not start', async () => {
  worker ??= await workerProcess({
    TEMPORAL_ADDRESS: inject('temporalAddress'),
    JOURNEYMAN_TEMPORAL_TASK_QUEUE: rigged.config.temporal.taskQueue,
  });
  const slow = await backend(() => 60_000);
  const { journeyId } = await rigged.start(mapJourney(slow.url, 'POST'), { of });
  await expect.poll(() => slow.seen.length, { timeout: 90_000 }).toBe(8);
  await rigged.runs.cancel(journeyId);
  await expect.poll(async () => (await rigged.runs.status(journeyId)).phase, { timeout: 90_000 }).toBe('FAILED');
  expect((await rigged.runs.result(journeyId)).outcome).toMatchObject({ terminationKind: 'Cancel' });
  expect(slow.seen.length).toBe(8);
  await slow.close();
});
