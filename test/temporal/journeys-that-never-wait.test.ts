import { readFileSync } from 'node:fs';
import { Worker } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { bundled } from './support/encryption.js';
import { type Rig, rig } from './support/rig.js';
import { type WorkerProcess, workerProcess } from './support/worker-process.js';

const document = (spec: string) => `
apiVersion: v1
kind: Journey
metadata: { name: endless, version: 1.0.0 }
spec:
  lifecycle: { startMode: async }
${spec}`;

/** Nested races of an immediate branch and an hour. */
function nested(depth: number): string {
  const inner = depth === 0 ? '{ type: succeed }' : nested(depth - 1).replace(/ }$/, ', next: e }');
  return `{ type: parallel, parallel: { branches: [{ name: a, start: t, states: { t: ${inner}, e: { type: succeed } } }, { name: b, start: t, states: { t: { type: timer, timer: { duration: PT1H }, next: e }, e: { type: succeed } } }], join: { strategy: anyOf } } }`;
}

/** Subjourneys that each call the next one twice. */
function doubling(levels: number): string {
  const lines = Array.from({ length: levels }, (_, i) => {
    const call = (next: string) => `{ type: subjourney, subjourney: { ref: s${i + 1} }, next: ${next} }`;
    return `    s${i}: { start: a, states: { a: ${call('b')}, b: ${call('c')}, c: { type: succeed } } }`;
  });
  return [...lines, `    s${levels}: { start: c, states: { c: { type: succeed } } }`].join('\n');
}

const loop = (state: string) => document(`  start: f\n  states:\n    f: ${state.replace(/ }$/, ', next: f }')}\n`);

const endless: Record<string, string> = {
  'nested races': loop(nested(16)),
  'zero timers': loop('{ type: timer, timer: { duration: PT0S } }'),
  'plain branches': loop(
    '{ type: parallel, parallel: { branches: [{ name: a, start: t, states: { t: { type: succeed } } }, { name: b, start: t, states: { t: { type: succeed } } }], join: { strategy: allOf } } }',
  ),
  'predicates over a large context': document(`
  start: f
  states:
    f: { type: choice, choices: [{ when: { predicate: { lang: jsonata, expr: "context.n = 1" } }, next: f }], default: f }
`),
};

const heavy = document(`
  subjourneys:
${doubling(10)}
  start: a
  states:
    a: { type: subjourney, subjourney: { ref: s0 }, next: done }
    done: { type: succeed }
`);

const small = readFileSync(new URL('../../specs/hello.journey.yaml', import.meta.url), 'utf8');

describe('a worker with journeys that never wait', () => {
  let rigged: Rig;
  let worker: WorkerProcess;
  beforeAll(async () => {
    rigged = await rig({ worker: false });
    worker = await workerProcess({
      TEMPORAL_ADDRESS: inject('temporalAddress'),
      JOURNEYMAN_TEMPORAL_TASK_QUEUE: rigged.config.temporal.taskQueue,
    });
  });
  afterAll(async () => {
    // It would have no output if a journey had killed it.
    expect(await worker.stop()).toBe(0);
    await rigged.stop();
  });

  it.each(Object.keys(endless))('FLT-3 survives %s', async (name) => {
    const many = Array.from({ length: 3_000 }, (_, i) => [`k${i}`, { text: 'x'.repeat(60), list: [i, i] }]);
    const body = name.includes('large') ? { n: 1, big: Object.fromEntries(many) } : {};
    const { journeyId } = await rigged.start(endless[name]!, body);
    const handle = rigged.client.workflow.getHandle(journeyId);
    await expect(handle.result()).rejects.toMatchObject({ cause: { type: 'STEP_LIMIT_EXCEEDED' } });
    const history = await handle.fetchHistory();
    await Worker.runReplayHistory(bundled(rigged.config), history, journeyId);
    const { events } = history;
    expect(events?.filter((event) => event.workflowTaskFailedEventAttributes)).toEqual([]);
    const tasks = events?.filter((event) => event.workflowTaskCompletedEventAttributes) ?? [];
    // Its computation is split into several tasks.
    expect(tasks.length).toBeGreaterThanOrEqual(5);
  });

  it('FLT-5 serves a start before earlier runs with long computations', async () => {
    const runs = await Promise.all(Array.from({ length: 12 }, () => rigged.start(heavy)));
    expect(await rigged.start(small, { name: 'Ada' })).toMatchObject({ phase: 'SUCCEEDED' });
    const views = await Promise.all(
      runs.map(({ journeyId }) => rigged.client.workflow.getHandle(journeyId).describe()),
    );
    expect(views.some(({ status }) => status.name === 'RUNNING')).toBe(true);
    for (const { journeyId } of runs)
      expect(await rigged.client.workflow.getHandle(journeyId).result()).toMatchObject({ phase: 'SUCCEEDED' });
  });
});
