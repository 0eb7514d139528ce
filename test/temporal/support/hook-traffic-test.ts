import { setTimeout as sleep } from 'node:timers/promises';
import { expect, inject, it } from 'vitest';
import { httpGateway } from './gateway.js';
import { collecting, eachOnce, sendTraffic, trafficJourneys } from './hook-traffic.js';
import { hookEnvironment } from './hooks.js';
import { rig } from './rig.js';
import { type WorkerProcess, workerProcess } from './worker-process.js';

/** Deliveries in random order, while the worker is killed: each reaches its run once. The soak test and the quick one differ in the number of deliveries. */
export function testHookTraffic({ deliveries, kills }: { deliveries: number; kills: number }): void {
  it(`LESS-5 ${deliveries} deliveries, the worker killed ${kills} times: each reaches its run once`, async () => {
    const rigged = await rig({ worker: false });
    const gateway = await httpGateway(
      rigged,
      trafficJourneys.map((name) => collecting(name, name === 'traffic-starting')),
      hookEnvironment(),
    );
    const environment = {
      TEMPORAL_ADDRESS: inject('temporalAddress'),
      JOURNEYMAN_TEMPORAL_TASK_QUEUE: rigged.config.temporal.taskQueue,
    };
    let worker: WorkerProcess | undefined;
    let over = false;
    const killing = async () => {
      for (let kill = 0; kill < kills && !over; kill++) {
        worker = await workerProcess(environment);
        await sleep(2_000 + Math.random() * 3_000);
        await worker.kill9();
      }
      worker = await workerProcess(environment);
    };
    try {
      const began = Date.now();
      const killed = killing();
      const { statuses, runs } = await sendTraffic(gateway, deliveries);
      const seconds = (Date.now() - began) / 1_000;
      over = true;
      await killed;
      for (const { journey, orderId } of runs) {
        const handle = rigged.client.workflow.getHandle(`${journey}/${orderId}`);
        expect(await handle.result(), orderId).toMatchObject({ phase: 'SUCCEEDED', output: eachOnce });
      }
      const ids = new Set(runs.map(({ journey, orderId }) => `${journey}/${orderId}`));
      const executions = [];
      for (const journey of trafficJourneys)
        for await (const run of rigged.client.workflow.list({ query: `JourneyName = "${journey}"` }))
          if (ids.has(run.workflowId)) executions.push(run.workflowId);
      expect(executions).toHaveLength(ids.size);
      console.log(`${deliveries} deliveries in ${seconds.toFixed(0)} s: ${JSON.stringify(statuses)}`);
    } finally {
      over = true;
      await worker?.kill9();
      await gateway.stop();
      await rigged.stop();
    }
  }, 1_200_000);
}
