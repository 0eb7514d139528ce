import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type Backend, backend } from './support/backend.js';
import { type Rig, rig } from './support/rig.js';
import { type WorkerProcess, workerProcess } from './support/worker-process.js';

const order = (url: string, mode: 'sync' | 'async') => `
apiVersion: v1
kind: Journey
metadata: { name: compensated, version: 1.0.0 }
spec:
  lifecycle: { startMode: async }
  start: charge
  states:
    charge:
      type: task
      task: { kind: "httpCall:v1", method: POST, url: "${url}/charge/\${context.n}", body: { n: 1 }, timeoutMs: 5000, resultVar: charge }
      next: sold
    sold: { type: fail, errorCode: NO_STOCK, reason: Sold out }
  compensation:
    mode: ${mode}
    start: refund
    states:
      refund:
        type: task
        task: { kind: "httpCall:v1", method: POST, url: "${url}/refund/\${context.n}", body: { n: 1 }, timeoutMs: 5000, resultVar: refund }
        next: tell
      tell:
        type: task
        task: { kind: "httpCall:v1", method: POST, url: "${url}/tell/\${context.n}", body: { n: 1 }, timeoutMs: 5000, resultVar: told }
        next: done
      done: { type: succeed }
`;

describe('compensation', () => {
  let rigged: Rig;
  let service: Backend;
  let worker: WorkerProcess | undefined;
  beforeAll(async () => {
    service = await backend(() => 100);
    rigged = await rig({ worker: false });
  });
  afterAll(async () => {
    await worker?.kill9();
    await rigged.stop();
    await service.close();
  });

  it('happens exactly once when workers die between outcome and compensation', async () => {
    const environment = {
      TEMPORAL_ADDRESS: inject('temporalAddress'),
      JOURNEYMAN_TEMPORAL_TASK_QUEUE: rigged.config.temporal.taskQueue,
    };
    const runs = await Promise.all(
      Array.from({ length: 20 }, (_, n) => rigged.start(order(service.url, n % 2 === 0 ? 'sync' : 'async'), { n })),
    );
    const seen = (what: string) => service.seen.filter(({ path }) => path.startsWith(`/${what}/`)).length;
    // Each worker dies a little after some of the runs have come to their end, the last while compensations run.
    for (const [what, least] of [
      ['charge', 5],
      ['charge', 15],
      ['refund', 8],
      ['tell', 4],
    ] as const) {
      worker = await workerProcess(environment);
      while (seen(what) < least) await sleep(5);
      await sleep(110);
      await worker.kill9();
    }
    worker = await workerProcess(environment);

    for (const [n, { id }] of runs.entries()) {
      await ended(rigged, id);
      const { outcome } = await rigged.runs.result(id);
      expect(outcome).toMatchObject({ phase: 'FAILED', error: { code: 'NO_STOCK' } });
      if (n % 2 === 0) expect(outcome?.compensation).toEqual({ mode: 'sync', phase: 'SUCCEEDED' });
      else {
        expect(outcome?.compensation).toEqual({ mode: 'async', journeyId: `${id}-compensation` });
        const other = await ended(rigged, `${id}-compensation`);
        expect(other).toMatchObject({ phase: 'SUCCEEDED', journeyName: 'compensated' });
        expect(other.status.attributes).toEqual({ parentJourneyId: id });
      }
      for (const what of ['charge', 'refund', 'tell']) {
        const requests = service.seen.filter(({ path }) => path === `/${what}/${n}`);
        expect([...new Set(requests.map(({ key }) => key))], `${what} ${n}`).toHaveLength(1);
      }
    }
    expect(await worker.stop()).toBe(0);
  }, 180_000);
});

async function ended({ runs }: Rig, id: string) {
  for (;;) {
    const view = await runs.status(id);
    if (view.phase !== 'RUNNING') return view;
    await sleep(50);
  }
}
