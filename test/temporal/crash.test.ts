import { setTimeout as sleep } from 'node:timers/promises';
import { NativeConnection } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type Backend, backend } from './support/backend.js';
import { type Rig, rig } from './support/rig.js';
import { type WorkerProcess, workerProcess } from './support/worker-process.js';

/** The calls' own timeouts are shorter than what the server takes to notice a dead worker. */
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
  afterAll(async () => {
    await worker?.kill9();
    await rigged.stop();
    await service.close();
  });

  it('at random points of 100 runs loses none, and no completed call is made again', async () => {
    const runs = await Promise.all(Array.from({ length: 100 }, (_, n) => rigged.start(order(service.url), { n })));
    for (const alive of [150, 700, 400, 900]) {
      worker = await workerProcess(environment);
      await sleep(alive);
      await worker.kill9();
    }
    worker = await workerProcess(environment);

    for (const { id } of runs) {
      const handle = rigged.client.workflow.getHandle(id);
      expect(await handle.result()).toMatchObject({ phase: 'SUCCEEDED', output: { ok: true } });
      const { events = [] } = await handle.fetchHistory();
      const scheduled = events?.filter((event) => event.activityTaskScheduledEventAttributes) ?? [];
      expect(scheduled.map((event) => event.activityTaskScheduledEventAttributes?.activityType?.name)).toEqual([
        'http',
        'http',
      ]);
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

  it('FLT-8 does not keep the next event of its runs for ten seconds, as the SDK would', async () => {
    // As it is built: the bundle of workflows stands beside it.
    const built = new URL('../../dist/src/temporal/worker.js', import.meta.url).href;
    const { createWorker } = (await import(built)) as typeof import('../../src/temporal/worker.js');
    const connection = await NativeConnection.connect({ address: inject('temporalAddress') });
    const next = await createWorker({ config: rigged.config, connection, activities: {} });
    expect(next.options.stickyQueueScheduleToStartTimeoutMs).toBe(3_000);
    const running = next.run();
    next.shutdown();
    await running;
    await connection.close();
  });
});
