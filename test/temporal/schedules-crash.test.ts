import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { loadConfig } from '../../src/config/load-config.js';
import { connect } from '../../src/temporal/connection.js';
import { ensureNamespace } from '../../src/temporal/inspect-and-set-up-namespace.js';
import { TemporalSchedules } from '../../src/temporal/schedules/bindings/temporal-bindings.js';
import { ensureMaintenance, removeExhausted } from '../../src/temporal/schedules/daily-maintenance.js';
import { startServer } from '../../src/temporal/server/start-server.js';
import { type Backend, backend } from './support/backend.js';
import { type Rig, rig } from './support/rig.js';
import { binding, counting, until } from './support/schedules.js';
import { workerProcess } from './support/worker-process.js';

const dying = fileURLToPath(new URL('./support/dying-worker.mjs', import.meta.url));

// These tests run without a gateway.
describe.concurrent('schedules when workers die', () => {
  let service: Backend;
  const rigs: Rig[] = [];
  beforeAll(async () => {
    service = await backend(() => 900);
  });
  afterAll(async () => {
    for (const each of rigs) await each.stop();
    await service.close();
  });

  async function workerless() {
    const rigged = await rig({ worker: false });
    rigs.push(rigged);
    const { taskQueue } = rigged.config.temporal;
    const env = { TEMPORAL_ADDRESS: inject('temporalAddress'), JOURNEYMAN_TEMPORAL_TASK_QUEUE: taskQueue };
    return { rigged, taskQueue, env };
  }

  async function dies(taskQueue: string, activity: string): Promise<void> {
    const child = spawn(process.execPath, [dying, inject('temporalAddress'), taskQueue, activity], { stdio: 'ignore' });
    const [, signal] = await once(child, 'exit');
    expect(signal).toBe('SIGKILL');
  }

  const started = (rigged: Rig, journey: string, user: string) =>
    rigged.start(journey.replace('  start: plan', '  lifecycle: { startMode: async }\n  start: plan'), { user, n: 0 });

  it('kill -9 between creating a binding and recording it leaves one binding and no error', async ({ expect }) => {
    const { rigged, taskQueue, env } = await workerless();
    const { journeyId: run } = await started(rigged, counting({ name: 'twice', interval: 'PT1H', maxRuns: 3 }), 'a');
    await dies(taskQueue, 'schedule');
    const id = binding('a', 'twice');
    expect((await until(rigged, id, () => true)).record).toMatchObject({ generation: 1 });
    const worker = await workerProcess(env);
    expect(await rigged.client.workflow.getHandle(run).result()).toMatchObject({ phase: 'SUCCEEDED' });
    const { record, actions } = await until(rigged, id, ({ record }) => record.runsExecuted === 1);
    expect([record.generation, actions]).toEqual([1, 1]);
    const schedules = new TemporalSchedules(rigged.client, rigged.config);
    const listed = async () => (await schedules.list({ subjectId: 'a', journeyName: 'twice', pageSize: 9 })).items;
    await expect.poll(listed).toHaveLength(1);
    await worker.stop();
  });

  it('LESS-6 kill -9 between stopping a binding and recording it: the second attempt counts it as well', async ({
    expect,
  }) => {
    const { rigged, taskQueue, env } = await workerless();
    const stopping = counting({ name: 'stopped', interval: 'PT1H', maxRuns: 3, startAt: '2090-01-01T00:00:00Z' })
      .replace('next: say', 'next: stop')
      .replace(
        '    say:',
        `    stop:
      type: task
      task: { kind: unschedule:v1, start: tick, subjectId: { mapper: { lang: dataweave, expr: context.user } }, resultVar: out }
      next: done
    say:`,
      );
    const { journeyId: run } = await started(rigged, stopping, 's');
    await dies(taskQueue, 'unschedule');
    const worker = await workerProcess(env);
    expect(await rigged.client.workflow.getHandle(run).result()).toMatchObject({ output: { ok: true, stopped: 1 } });
    const { record, paused } = await until(rigged, binding('s', 'stopped'), () => true);
    expect([record.runsExecuted, record.maxRuns, paused]).toEqual([0, 3, true]);
    await worker.stop();
  });

  it('kill -9 between the write-back of a run and its end: the run counts once and passes its context on once', async () => {
    const { rigged, taskQueue, env } = await workerless();
    await started(rigged, counting({ name: 'once', interval: 'PT1H', maxRuns: 2 }), 'b');
    await dies(taskQueue, 'scheduleFinished');
    const id = binding('b', 'once');
    const before = await until(rigged, id, () => true);
    expect(before).toMatchObject({ record: { runsExecuted: 1 }, context: { n: 1 } });
    const worker = await workerProcess(env);
    const after = await until(rigged, id, ({ running }) => running.length === 0);
    expect(after).toMatchObject({ record: { runsExecuted: 1 }, context: { n: 1, seen: [0] }, actions: 1 });
    await worker.stop();
  });

  it('kill -9 of the worker during runs: exactly 5, each from the context of the previous one (R0-04, R0-06)', async () => {
    const { rigged, env } = await workerless();
    const after = `    after: { type: task, task: { kind: "httpCall:v1", method: POST, url: "${service.url}/pay", body: { n: 1 }, resultVar: paid }, next: end }`;
    await started(rigged, counting({ name: 'killed', interval: 'PT3S', maxRuns: 5, after }), 'c');
    const id = binding('c', 'killed');
    let worker = await workerProcess(env);
    for (const runs of [0, 2]) {
      await until(rigged, id, ({ running, record }) => running.length > 0 && record.runsExecuted >= runs).catch(
        () => undefined,
      );
      await sleep(400);
      await worker.kill9();
      worker = await workerProcess(env);
    }
    const done = await until(rigged, id, ({ record }) => record.runsExecuted >= 5);
    expect(done).toMatchObject({ actions: 5, context: { n: 5, seen: [0, 1, 2, 3, 4] }, paused: true });
    await sleep(3_500);
    expect((await until(rigged, id, () => true)).actions).toBe(5);
    await worker.stop();
  });
});

describe('schedules when the server dies', () => {
  it('kill -9 of the server between runs: exactly 5, each from the previous one, every occurrence accounted for (R0-04, R0-06)', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'journeyman-killed-'));
    const env = { JOURNEYMAN_SERVER_DATA_DIR: dataDir, JOURNEYMAN_SERVER_PORT: '0', JOURNEYMAN_SERVER_UI_PORT: '0' };
    const first = await startServer(loadConfig({ env }));
    const port = first.address.split(':').at(-1)!;
    const config = loadConfig({ env: { ...env, JOURNEYMAN_SERVER_PORT: port } });
    const connected = await connect(config, { address: first.address });
    await ensureNamespace(connected.connection, 'default');
    await connected.close();
    const rigged = await rig({ address: first.address });
    try {
      await rigged.start(counting({ interval: 'PT2S', maxRuns: 5 }), { user: 'k', n: 0 });
      const id = binding('k');
      await until(rigged, id, ({ record, running }) => record.runsExecuted >= 2 && running.length === 0);
      process.kill(first.pid, 'SIGKILL');
      await first.exited;
      // The server is already dead; this releases the data directory.
      await first.stop();
      await sleep(5_000);
      const second = await startServer(config);
      try {
        expect(second.address).toBe(first.address);
        const done = await until(rigged, id, ({ record }) => record.runsExecuted >= 5);
        expect(done).toMatchObject({ actions: 5, context: { n: 5, seen: [0, 1, 2, 3, 4] }, paused: true });
        const { through, ran, missed, overlapped } = done.record.occurrences;
        // The first run started at once, and represents all times until the binding was created.
        const { startAt, createdAt } = done.record;
        const dueUntil = (text: string) => Math.floor((Date.parse(text) - Date.parse(startAt)) / 2_000);
        const due = 1 + dueUntil(through) - dueUntil(createdAt);
        expect(ran + missed + overlapped).toBe(due);
        expect(ran).toBe(5);
        expect(missed + overlapped).toBeGreaterThanOrEqual(1);
        await expectTidied(rigged, id);
      } finally {
        await rigged.stop();
        await second.stop();
      }
    } finally {
      await first.stop();
      rmSync(dataDir, { recursive: true, force: true });
    }
  });
});

/** An exhausted schedule is kept for some time, then removed. On this server, because it removes those of the whole server. */
async function expectTidied(rigged: Rig, id: string): Promise<void> {
  const { client, config } = rigged;
  const schedules = new TemporalSchedules(client, config);
  await expect.poll(async () => (await schedules.list({ state: 'exhausted', pageSize: 9 })).items.length).toBe(1);
  const day = 86_400_000;
  expect(await removeExhausted(client, 30, Date.now() + 29 * day)).toBe(0);
  expect((await schedules.show(id)).state).toBe('exhausted');
  await until(rigged, id, ({ running }) => running.length === 0);
  expect(await removeExhausted(client, 30, Date.now() + 31 * day)).toBe(1);
  await expect.poll(async () => (await schedules.list({ pageSize: 9 })).items).toEqual([]);
  await ensureMaintenance(client, { ...config, schedules: { keepExhaustedDays: 7 } });
  const handle = client.schedule.getHandle('journeyman-maintenance');
  expect((await handle.describe()).state.note).toContain('7 days');
  await ensureMaintenance(client, config);
  await ensureMaintenance(client, config);
  expect((await handle.describe()).state.note).toContain('30 days');
  await handle.trigger();
  await expect.poll(async () => (await handle.describe()).info.recentActions.length).toBeGreaterThan(0);
  const [started] = (await handle.describe()).info.recentActions;
  expect(await client.workflow.getHandle(started!.action.workflow.workflowId).result()).toEqual({ removed: 0 });
}
