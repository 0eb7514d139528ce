import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { bundled } from './support/encryption.js';
import { type Rig, rig } from './support/rig.js';
import { type WorkerProcess, workerProcess } from './support/worker-process.js';

const document = (spec: string) => `
apiVersion: v1
kind: Journey
metadata: { name: late, version: 1.0.0 }
spec:
  lifecycle: { startMode: async }
${spec}`;

const ask = (more = '') =>
  `{ type: wait, wait: { channel: manual, input: { schema: { type: object } }${more} }, next: done }`;

const dueSec = 8;

/** Each is due after eight seconds, and then fails with LATE. */
const journeys: Record<string, string> = {
  'a wait’s timeout': document(`
  start: ask
  states:
    ask: ${ask(`, timeoutSec: ${dueSec}, onTimeout: late`)}
    late: { type: fail, errorCode: LATE, reason: Nobody came in time }
    done: { type: succeed }
`),
  'the deadline': document(`
  execution: { maxDurationSec: ${dueSec}, onTimeout: { errorCode: LATE, reason: It took too long } }
  start: ask
  states:
    ask: ${ask()}
    done: { type: succeed }
`),
  'a timer in a race': document(`
  start: race
  states:
    race:
      type: parallel
      parallel:
        join: { strategy: anyOf }
        branches:
          - { name: person, start: ask, states: { ask: ${ask()}, done: { type: succeed } } }
          - { name: clock, start: nap, states: { nap: { type: timer, timer: { duration: PT${dueSec}S }, next: late }, late: { type: fail, errorCode: LATE, reason: Too late } } }
`),
};

const names = Object.keys(journeys);

describe('FLT-2 input that arrives while no worker runs', () => {
  let rigged: Rig;
  let environment: Record<string, string>;
  let worker: WorkerProcess;
  // One run of each journey.
  const submitted: string[] = [];
  const late: string[] = [];
  const early: string[] = [];
  let answers: Promise<unknown>[];

  const handle = (id: string) => rigged.client.workflow.getHandle(id);
  const events = async (id: string) => (await handle(id).fetchHistory()).events ?? [];
  const all = (ids: string[], key: 'timerStartedEventAttributes' | 'timerFiredEventAttributes') =>
    vi.waitUntil(
      async () => {
        const histories = await Promise.all(ids.map(events));
        return histories.every((history) => history.some((event) => event[key]));
      },
      { timeout: 60_000, interval: 100 },
    );

  beforeAll(async () => {
    rigged = await rig({ worker: false });
    environment = {
      TEMPORAL_ADDRESS: inject('temporalAddress'),
      JOURNEYMAN_TEMPORAL_TASK_QUEUE: rigged.config.temporal.taskQueue,
    };
    worker = await workerProcess(environment);
    const groups = [submitted, late, early];
    await Promise.all(
      groups.flatMap((ids) =>
        names.map(async (name) => {
          ids.push((await rigged.start(journeys[name]!)).journeyId);
        }),
      ),
    );
    await all(groups.flat(), 'timerStartedEventAttributes');
    await worker.kill9();
    await Promise.all(early.map((id) => handle(id).signal('ask', {})));
    await all(groups.flat(), 'timerFiredEventAttributes');
    await Promise.all(late.map((id) => handle(id).signal('ask', {})));
    answers = submitted.map((id) =>
      rigged.runs
        .submit({ id, stepId: 'ask', payload: {}, caller: 'test', headers: {} })
        .catch((error: unknown) => error),
    );
    // They should arrive before the worker starts; those that arrive after it are late too.
    await sleep(500);
    worker = await workerProcess(environment);
  });
  afterAll(async () => {
    await worker?.kill9();
    await rigged.stop();
  });

  /** The outcomes of runs after a worker has started again. */
  async function outcomes(ids: string[]) {
    return await Promise.all(
      ids.map(async (id) => {
        await handle(id)
          .result()
          .catch(() => undefined);
        return (await rigged.runs.result(id)).outcome;
      }),
    );
  }

  it(`an update arrives late after ${names.join(', ')}`, async () => {
    expect((await outcomes(submitted)).map(({ error }) => error?.code)).toEqual(['LATE', 'LATE', 'LATE']);
    for (const answer of await Promise.all(answers))
      expect(answer).toMatchObject({ problem: { code: 'STEP_NOT_ACTIVE', status: 409 } });
  });

  it('a plain signal keeps the SDK’s order: it is handled before the timers of its workflow task', async () => {
    const ids = [...late, ...early];
    const ended = await outcomes(ids);
    for (const [i, id] of ids.entries()) {
      const { phase, error } = ended[i]!;
      expect(phase, error?.reason).toBe('SUCCEEDED');
      await Worker.runReplayHistory(bundled(rigged.config), await handle(id).fetchHistory(), id);
    }
  });
});
