import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { testHookTraffic } from './support/hook-traffic-test.js';
import { type Rig, rig } from './support/rig.js';
import { signalSender as sender, signalShop as shop } from './support/signal-journeys.js';
import { type WorkerProcess, workerProcess } from './support/worker-process.js';

const newKey = () => `order-${randomUUID().slice(0, 8)}`;

testHookTraffic({ deliveries: 100, kills: 1 });

describe('LESS-7 signal:v1 when a worker dies', () => {
  let rigged: Rig;
  let environment: Record<string, string>;
  let worker: WorkerProcess | undefined;
  beforeAll(async () => {
    rigged = await rig({ worker: false });
    environment = {
      TEMPORAL_ADDRESS: inject('temporalAddress'),
      JOURNEYMAN_TEMPORAL_TASK_QUEUE: rigged.config.temporal.taskQueue,
    };
  });
  afterAll(async () => {
    await worker?.kill9();
    await rigged.stop();
  });

  it('each signal arrives once', async () => {
    const keys = Array.from({ length: 30 }, newKey);
    const async = { mode: 'async' as const };
    for (const orderId of keys) await rigged.start(shop, { orderId }, async);
    const senders = keys.flatMap((orderId) => [
      rigged.start(sender('again'), { orderId, body: { amount: 2 } }, async),
      rigged.start(sender('paid'), { orderId, body: { amount: 1 } }, async),
    ]);
    const started = await Promise.all(senders);
    for (const alive of [300, 900, 500]) {
      worker = await workerProcess(environment);
      await sleep(alive);
      await worker.kill9();
    }
    worker = await workerProcess(environment);
    for (const { journeyId } of started)
      expect(await rigged.client.workflow.getHandle(journeyId).result()).toMatchObject({ output: { ok: true } });
    for (const orderId of keys) {
      const handle = rigged.client.workflow.getHandle(`signal-shop/${orderId}`);
      expect(await handle.result()).toMatchObject({ output: [1, 2] });
      const { events = [] } = await handle.fetchHistory();
      const accepted = (events ?? []).filter((it) => it.workflowExecutionUpdateAcceptedEventAttributes);
      expect(accepted).toHaveLength(2);
    }
  });
});
