import { setTimeout as sleep } from 'node:timers/promises';
import { NativeConnection, Worker } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { type Backend, backend } from './support/backend.js';
import { bundled } from './support/encryption.js';
import { type Rig, rig } from './support/rig.js';
import { type WorkerProcess, workerProcess } from './support/worker-process.js';

/** The timeouts of the calls are shorter than the time in which the server detects a dead worker. */
const order = (url: string) => `
apiVersion: v1
kind: Journey
metadata: { name: order, version: 1.0.0 }
spec:
  lifecycle: { startMode: async }
  start: reserve
  states:
    reserve:
      type: task
      task: { kind: "httpCall:v1", method: POST, url: "${url}/reserve/\${context.n}", body: { n: 1 }, timeoutMs: 5000, resultVar: reserved }
      next: look
    look:
      type: task
      task: { kind: "httpCall:v1", method: GET, url: "${url}/look/\${context.n}", resultVar: looked }
      next: pause
    pause: { type: timer, timer: { duration: PT0.3S }, next: charge }
    charge:
      type: task
      task: { kind: "httpCall:v1", method: POST, url: "${url}/charge/\${context.n}", body: { n: 2 }, timeoutMs: 5000, resultVar: charged }
      next: checked
    checked:
      type: choice
      choices:
        - when: { predicate: { lang: jsonata, expr: "context.reserved.ok and context.looked.ok and context.charged.ok" } }
          next: done
      default: broken
    done: { type: succeed, outputVar: charged }
    broken: { type: fail, errorCode: BROKEN, reason: A call has no answer }
`;

/** A slow call, so that the caller's wait ends while another worker repeats the local call that follows. */
const slowStart = (slow: string, url: string) => `
apiVersion: v1
kind: Journey
metadata: { name: slow-start, version: 1.0.0 }
spec:
  start: hold
  states:
    hold:
      type: task
      task: { kind: "httpCall:v1", method: POST, url: "${slow}/hold", body: {}, resultVar: held }
      next: look
    look:
      type: task
      task: { kind: "httpCall:v1", method: GET, url: "${url}/look", timeoutMs: 10000, resultVar: looked }
      next: charge
    charge:
      type: task
      task: { kind: "httpCall:v1", method: POST, url: "${url}/charge", body: {}, resultVar: charged }
      next: done
    done: { type: succeed, outputVar: charged }
`;

/** Polls four times, a second apart; its condition is never met. */
const polling = (url: string) => `
apiVersion: v1
kind: Journey
metadata: { name: polling, version: 1.0.0 }
spec:
  lifecycle: { startMode: async }
  start: ask
  states:
    ask:
      type: task
      task: { kind: "httpCall:v1", method: POST, url: "${url}/poll/\${context.n}", body: {}, timeoutMs: 5000, resultVar: asked }
      poll: { until: result.body.ready default false, every: PT1S, max: 4 }
      next: done
      onError: [{ on: [POLL_EXHAUSTED], next: exhausted }, { next: exhausted }]
    done: { type: succeed }
    exhausted: { type: fail, errorCode: { expr: 'context.asked.error."type"' }, reason: It is not ready }
`;

describe('a worker that dies', () => {
  let rigged: Rig;
  let service: Backend;
  let environment: Record<string, string>;
  let worker: WorkerProcess | undefined;
  beforeAll(async () => {
    service = await backend(() => 150);
    rigged = await rig({ worker: false });
    environment = {
      TEMPORAL_ADDRESS: inject('temporalAddress'),
      JOURNEYMAN_TEMPORAL_TASK_QUEUE: rigged.config.temporal.taskQueue,
    };
  });
  const runOf = async (journey: string): Promise<{ id: string }> => {
    const query = `TaskQueue = '${rigged.config.temporal.taskQueue}' AND WorkflowType = '${journey}'`;
    const find = async () => {
      for await (const { workflowId } of rigged.client.workflow.list({ query })) return workflowId;
      return undefined;
    };
    return { id: (await eventually(find, (it) => it !== undefined))! };
  };
  afterAll(async () => {
    await worker?.kill9();
    await rigged.stop();
    await service.close();
  });

  it('at random points of 100 runs does not lose runs or repeat completed calls', async () => {
    const runs = await Promise.all(Array.from({ length: 100 }, (_, n) => rigged.start(order(service.url), { n })));
    for (const alive of [150, 700, 400, 900]) {
      worker = await workerProcess(environment);
      await sleep(alive);
      await worker.kill9();
    }
    worker = await workerProcess(environment);

    for (const { journeyId } of runs) {
      const handle = rigged.client.workflow.getHandle(journeyId);
      expect(await handle.result()).toMatchObject({ phase: 'SUCCEEDED', output: { ok: true } });
      const { events = [] } = await handle.fetchHistory();
      // A call that was lost with its worker is requested again; each completes once.
      const count = (what: 'Scheduled' | 'Completed' | 'TimedOut') =>
        events?.filter((event) => event[`activityTask${what}EventAttributes`]).length ?? 0;
      expect(count('Completed')).toBe(2);
      expect(count('Scheduled') - count('TimedOut')).toBe(2);
    }
    for (const path of new Set(service.seen.map((request) => request.path))) {
      const requests = service.seen.filter((request) => request.path === path);
      const keys = new Set(requests.map(({ key }) => key));
      expect(keys.size, path).toBe(1);
      if (requests[0]?.method === 'POST') expect([...keys][0]).toMatch(/^[\w-]{22}\/(reserve|charge)#\d+$/);
      else expect([...keys][0]).toBeUndefined();
    }
    expect(await worker.stop()).toBe(0);
  });

  it('LESS-9 during a poll preserves its rounds and idempotency keys', async () => {
    const runs = await Promise.all(Array.from({ length: 20 }, (_, n) => rigged.start(polling(service.url), { n })));
    for (const alive of [700, 1_500, 900]) {
      worker = await workerProcess(environment);
      await sleep(alive);
      await worker.kill9();
    }
    worker = await workerProcess(environment);
    for (const [n, { journeyId }] of runs.entries()) {
      await expect(rigged.client.workflow.getHandle(journeyId).result()).rejects.toMatchObject({
        cause: { type: 'POLL_EXHAUSTED' },
      });
      const keys = new Set(service.seen.filter(({ path }) => path === `/poll/${n}`).map(({ key }) => key));
      const ask = `${journeyId}/ask#1`;
      expect(keys).toEqual(new Set([ask, `${ask}~2`, `${ask}~3`, `${ask}~4`]));
    }
    expect(await worker.stop()).toBe(0);
  });

  it('during a local call, as the caller’s wait for the start ends, leaves a replayable run', async () => {
    const slow = await backend(() => 8_000);
    let looks = 0;
    const other = await backend((path) => (path === '/look' && looks++ === 0 ? 60_000 : 20));
    worker = await workerProcess(environment);
    const started = rigged.start(slowStart(slow.url, other.url));
    await eventually(
      () => looks,
      (it) => it === 1,
    );
    const { id } = await runOf('slow-start');
    const handle = rigged.client.workflow.getHandle(id);
    const count = async (what: 'workflowTaskCompleted' | 'workflowTaskTimedOut') =>
      (await handle.fetchHistory()).events?.filter((event) => event[`${what}EventAttributes`]).length;
    // The worker's heartbeat extends the task of the local call: the call begins in one task and ends in another.
    await eventually(
      () => count('workflowTaskCompleted'),
      (it) => it === 2,
      { pauseMs: 50 },
    );
    await worker.kill9();
    worker = await workerProcess(environment);
    expect(await handle.result()).toMatchObject({ phase: 'SUCCEEDED', output: { ok: true } });
    expect(await started).toMatchObject({ journeyId: id });
    const history = await handle.fetchHistory();
    const at = (what: 'timerFired' | 'markerRecorded') =>
      history.events!.findIndex((event) => event[`${what}EventAttributes`]);
    expect(await count('workflowTaskTimedOut')).toBeGreaterThan(0);
    expect(at('timerFired')).toBeGreaterThan(0);
    expect(at('markerRecorded')).toBeGreaterThan(at('timerFired'));
    await Worker.runReplayHistory(bundled(rigged.config), history, id);
    expect(await worker.stop()).toBe(0);
    await slow.close();
    await other.close();
  });

  it('FLT-8 does not delay the next event of its runs by ten seconds, as the SDK would', async () => {
    // The built version, because the workflow bundle is next to it.
    const built = new URL('../../dist/src/temporal/worker/create-worker.js', import.meta.url).href;
    const { createWorker } = (await import(built)) as typeof import('../../src/temporal/worker/create-worker.js');
    const connection = await NativeConnection.connect({ address: inject('temporalAddress') });
    const next = await createWorker({ config: rigged.config, connection, activities: {} });
    expect(next.options.stickyQueueScheduleToStartTimeoutMs).toBe(3_000);
    const running = next.run();
    next.shutdown();
    await running;
    await connection.close();
  });
});
