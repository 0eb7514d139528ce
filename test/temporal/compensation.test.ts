import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { type Backend, backend } from './support/backend.js';
import { valuesOf } from './support/encryption.js';
import { type Rig, rig } from './support/rig.js';
import { type WorkerProcess, workerProcess } from './support/worker-process.js';

const dying = fileURLToPath(new URL('./support/dying-at-outcome.mjs', import.meta.url));

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
  let doomed: ChildProcess | undefined;
  beforeAll(async () => {
    service = await backend(() => 100);
    rigged = await rig({ worker: false });
  });
  afterAll(async () => {
    doomed?.kill('SIGKILL');
    await worker?.kill9();
    await rigged.stop();
    await service.close();
  });

  const environment = () => ({
    TEMPORAL_ADDRESS: inject('temporalAddress'),
    JOURNEYMAN_TEMPORAL_TASK_QUEUE: rigged.config.temporal.taskQueue,
  });

  /** Runs a worker that dies when some of the runs have their outcome; returns those runs. */
  async function diesAtOutcome(runs: Iterable<string>): Promise<string[]> {
    const child = spawn(process.execPath, [dying, rigged.config.temporal.taskQueue, ...runs], {
      env: { ...process.env, JOURNEYMAN_HTTP_EGRESS_ALLOW_LOOPBACK: 'true', ...environment() },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    doomed = child;
    const [said, [, signal]] = await Promise.all([text(child.stdout), once(child, 'close')]);
    expect(signal).toBe('SIGKILL');
    return said.trim().split('\n');
  }

  it('happens exactly once for 20 runs whose worker dies before and during the compensation', async () => {
    const runs = await Promise.all(
      Array.from({ length: 20 }, (_, n) => rigged.start(order(service.url, n % 2 === 0 ? 'sync' : 'async'), { n })),
    );
    const seen = (what: string) => service.seen.filter(({ path }) => path.startsWith(`/${what}/`)).length;
    const unharmed = new Set(runs.map(({ journeyId }) => journeyId));
    // Each of the 20 loses its worker at that point, some more than once.
    for (let workers = 1; unharmed.size > 0; workers++) {
      expect(workers, 'workers that died').toBeLessThanOrEqual(60);
      for (const id of await diesAtOutcome(unharmed)) unharmed.delete(id);
    }
    for (const [what, least] of [
      ['refund', 8],
      ['tell', 4],
    ] as const) {
      worker = await workerProcess(environment());
      await eventually(
        () => seen(what),
        (calls) => calls >= least,
        { pauseMs: 5 },
      );
      await worker.kill9();
    }
    worker = await workerProcess(environment());

    for (const [n, { journeyId }] of runs.entries()) {
      // The status has the outcome while the compensation is started; the result, once the run has closed.
      const { outcome } = await eventually(
        () => rigged.runs.result(journeyId),
        () => true,
      );
      expect(outcome).toMatchObject({ phase: 'FAILED', error: { code: 'NO_STOCK' } });
      const other = `${journeyId}-compensation`;
      if (n % 2 === 0) {
        expect(outcome?.compensation).toEqual({ mode: 'sync', phase: 'SUCCEEDED' });
        expect(await callsOf(rigged, journeyId)).toEqual(['charge', 'refund', 'tell']);
      } else {
        expect(outcome?.compensation).toEqual({ mode: 'async', journeyId: other });
        const view = await ended(rigged, other);
        expect(view).toMatchObject({ phase: 'SUCCEEDED', journeyName: 'compensated' });
        expect(view.status.attributes).toEqual({ parentJourneyId: journeyId });
        expect(await callsOf(rigged, journeyId)).toEqual(['charge']);
        expect(await callsOf(rigged, other)).toEqual(['refund', 'tell']);
      }
      for (const what of ['charge', 'refund', 'tell']) {
        const requests = service.seen.filter(({ path }) => path === `/${what}/${n}`);
        expect([...new Set(requests.map(({ key }) => key))], `${what} ${n}`).toHaveLength(1);
      }
    }
    expect(await worker.stop()).toBe(0);
  });
});

/** The states whose calls the run has requested, in order. A call that was lost with its worker is requested again. */
async function callsOf({ client }: Rig, id: string): Promise<string[]> {
  const { events } = await client.workflow.getHandle(id).fetchHistory();
  const asked = (events ?? []).filter((event) => event.activityTaskScheduledEventAttributes);
  const summaries = await valuesOf(
    client,
    asked.map(({ userMetadata }) => userMetadata!.summary!),
  );
  const states = summaries.map((summary) => String(summary).split(' ')[0]!);
  return states.filter((state, i) => state !== states[i - 1]);
}

async function ended({ runs }: Rig, id: string) {
  return await eventually(
    () => runs.status(id),
    ({ phase }) => phase !== 'RUNNING',
  );
}
