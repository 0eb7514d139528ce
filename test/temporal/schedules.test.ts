import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json/value.js';
import type { TemporalSchedules } from '../../src/temporal/schedules/bindings/temporal-bindings.js';
import type { Rig } from './support/rig.js';
import { binding, counting, endedRuns, scheduleRig, until } from './support/schedules.js';

describe.concurrent('a journey that schedules runs of itself', () => {
  let rigged: Rig;
  let schedules: TemporalSchedules;
  beforeAll(async () => {
    const env = { JOURNEYMAN_LIMITS_CONTEXT_BYTES: '2000', JOURNEYMAN_LIMITS_HISTORY_EVENTS: '60' };
    ({ rigged, schedules } = await scheduleRig({ env }));
  });
  afterAll(() => rigged.stop());

  it('runs exactly maxRuns times, each from the final context of the previous run (R0-03 to R0-06, R0-08)', async () => {
    const view = await rigged.start(counting({ interval: 'PT2S', maxRuns: 5 }), { user: 'ada', n: 0 });
    expect(view).toMatchObject({ phase: 'SUCCEEDED', outcome: { output: { went: 'on' } } });
    const id = binding('ada');
    const done = await until(rigged, id, ({ record }) => record.runsExecuted >= 5);
    expect(done.record).toMatchObject({
      journeyName: 'counting',
      journeyVersion: '1.0.0',
      startStateId: 'tick',
      subjectId: 'ada',
      interval: 'PT2S',
      maxRuns: 5,
      runsExecuted: 5,
      generation: 1,
    });
    expect(done.context).toMatchObject({ user: 'ada', n: 5, seen: [0, 1, 2, 3, 4] });
    expect(done).toMatchObject({ paused: true, note: 'Exhausted: 5 of 5 runs done' });
    await sleep(4_500);
    const later = await until(rigged, id, () => true);
    expect([later.actions, later.record.runsExecuted, later.context.n]).toEqual([5, 5, 5]);

    const items = await endedRuns(rigged, id);
    expect(items.map(({ phase }) => phase)).toEqual(Array(5).fill('SUCCEEDED'));
    const { journeyId } = items[0]!;
    expect(await rigged.runs.status(journeyId)).toMatchObject({
      journeyId,
      journeyName: 'counting',
      phase: 'SUCCEEDED',
      status: { tags: ['nightly'], attributes: { subjectId: 'ada' } },
    });
    expect((await rigged.runs.result(journeyId)).outcome).toMatchObject({ output: { n: 5 } });
    const { memo } = await rigged.client.workflow.getHandle(journeyId).describe();
    expect(memo?.context).toMatchObject({ n: 5 });
    const listed = await rigged.runs.list({ subjectId: 'ada', tags: [], attributes: {}, pageSize: 10 });
    expect(listed.items.some(({ journeyId: id }) => id === journeyId)).toBe(true);
  });

  it('without startAt starts the first run at once and the next on the grid (R0-02)', async () => {
    await rigged.start(counting({ interval: 'PT3S', maxRuns: 3 }), { user: 'atOnce', n: 0 });
    const id = binding('atOnce');
    const first = await until(rigged, id, ({ record }) => record.runsExecuted >= 1);
    expect(first.recent[0]!.startedAt - Date.parse(first.record.createdAt)).toBeLessThan(5_000);
    const done = await until(rigged, id, ({ record }) => record.runsExecuted >= 3);
    const anchor = Date.parse(done.record.startAt);
    expect(done.record.occurrences.ran).toBe(3);
    const grid = done.recent.slice(1).map(({ nominal }) => (nominal - anchor) / 3_000);
    expect(grid).toEqual(grid.map(Math.round));
    await sleep(4_000);
    expect((await until(rigged, id, () => true)).actions).toBe(3);
  });

  it('with a startAt two and a half intervals ago starts at once, then on its grid, maxRuns in total (R0-02)', async () => {
    const startAt = Math.floor((Date.now() - 10_000) / 1000) * 1000;
    const journey = counting({ interval: 'PT4S', maxRuns: 3, startAt: new Date(startAt).toISOString() });
    await rigged.start(journey, { user: 'past', n: 0 });
    const id = binding('past');
    const first = await until(rigged, id, ({ record }) => record.runsExecuted >= 1);
    expect(first.recent[0]!.startedAt - Date.parse(first.record.createdAt)).toBeLessThan(5_000);
    const done = await until(rigged, id, ({ record }) => record.runsExecuted >= 3);
    const grid = done.recent.slice(1).map(({ nominal }) => (nominal - startAt) / 4_000);
    expect(grid).toEqual(grid.map(Math.round));
    expect(grid[0]).toBeGreaterThanOrEqual(3);
    expect(done.context).toMatchObject({ n: 3 });
    await sleep(5_000);
    expect((await until(rigged, id, () => true)).actions).toBe(3);
  });

  it('waits for a startAt in the future', async () => {
    const startAt = Math.ceil((Date.now() + 9_000) / 1000) * 1000;
    await rigged.start(counting({ interval: 'PT1H', maxRuns: 1, startAt: new Date(startAt).toISOString() }), {
      user: 'ahead',
      n: 0,
    });
    const id = binding('ahead');
    expect(await until(rigged, id, () => true)).toMatchObject({ actions: 0, next: [startAt] });
    const done = await until(rigged, id, ({ record }) => record.runsExecuted >= 1);
    expect(done.recent.map(({ nominal }) => nominal)).toEqual([startAt]);
  });

  it('starts exactly at an imminent startAt', async () => {
    const users = ['soon', 'sooner', 'soonest'];
    await Promise.all(
      users.map(async (user, i) => {
        const startAt = Math.ceil((Date.now() + 200 + 500 * i) / 1000) * 1000;
        const journey = counting({ interval: 'PT1H', maxRuns: 1, startAt: new Date(startAt).toISOString() });
        await rigged.start(journey, { user, n: 0 });
        const done = await until(rigged, binding(user), ({ record }) => record.runsExecuted >= 1);
        expect(done.recent[0]!.startedAt).toBeGreaterThanOrEqual(startAt);
        expect(done.record).toMatchObject({ startAt: new Date(startAt).toISOString(), occurrences: { ran: 1 } });
      }),
    );
  });

  it('an authored failure passes its context on and counts (R0-05)', async () => {
    const after = '    after: { type: fail, errorCode: NO_MONEY, reason: Nothing left }';
    await rigged.start(counting({ name: 'failing', interval: 'PT2S', maxRuns: 2, after }), { user: 'f', n: 0 });
    const id = binding('f', 'failing');
    const done = await until(rigged, id, ({ record }) => record.runsExecuted >= 2);
    expect(done.context).toMatchObject({ n: 2 });
    const items = await endedRuns(rigged, id);
    expect(items.map(({ phase }) => phase)).toEqual(['FAILED', 'FAILED']);
  });

  it('an internal error, a timeout and a cancel count and keep the context (R0-05)', async () => {
    const broken = `    after: { type: transform, transform: { mapper: { lang: dataweave, expr: "context.n.x.y + 'a' as Number" }, target: { kind: context } }, next: end }`;
    const slow = '    after: { type: timer, timer: { duration: PT1H }, next: end }';
    const late = slow.replace('PT1H', 'PT1M');
    const timed = counting({ name: 'timed', interval: 'PT1H', maxRuns: 2, after: late }).replace(
      'spec:',
      'spec:\n  execution: { maxDurationSec: 1, onTimeout: { errorCode: SLOW, reason: Too slow } }',
    );
    const start = (name: string, text: string) => rigged.start(text, { user: name, n: 7 });
    await start('broken', counting({ name: 'broken', interval: 'PT1H', maxRuns: 2, after: broken }));
    await start('slow', counting({ name: 'slow', interval: 'PT1H', maxRuns: 2, after: slow }));
    await start('timed', timed);
    const running = await until(rigged, binding('slow', 'slow'), ({ running }) => running.length > 0);
    await rigged.runs.cancel(running.running[0]!.id);
    for (const name of ['broken', 'slow', 'timed']) {
      const done = await until(rigged, binding(name, name), ({ record }) => record.runsExecuted >= 1);
      expect([name, done.context.n, done.record.runsExecuted]).toEqual([name, 7, 1]);
      const [run] = await endedRuns(rigged, done.record.scheduleId);
      expect(await rigged.runs.status(run!.journeyId)).toMatchObject({ phase: 'FAILED' });
    }
  });

  it('a context that exceeds the limit fails its run; the previous context is kept', async () => {
    const after = `    after: { type: transform, transform: { mapper: { lang: jsonata, expr: "$merge([context, {'big': $pad(context.big, $length(context.big) + 700, 'x')}])" }, target: { kind: context } }, next: end }`;
    const journey = counting({ name: 'growing', interval: 'PT2S', maxRuns: 4, after }).replace(
      'seen: [] }',
      "seen: [], big: 'x' }",
    );
    await rigged.start(journey, { user: 'g', n: 0 });
    const id = binding('g', 'growing');
    const done = await until(rigged, id, ({ record }) => record.runsExecuted >= 4);
    expect((done.context as JsonObject & { big: string }).big.length).toBe(1401);
    const items = await endedRuns(rigged, id);
    expect(items.map(({ phase }) => phase).reverse()).toEqual(['SUCCEEDED', 'SUCCEEDED', 'FAILED', 'FAILED']);
    const { outcome } = await rigged.runs.result(items[0]!.journeyId);
    expect(outcome.error).toMatchObject({
      code: 'CONTEXT_TOO_LARGE',
      reason: expect.stringContaining('limit is 2000'),
    });
  });

  it('a terminated run counts and keeps the context; a trigger on an exhausted schedule has no effect', async ({
    expect,
  }) => {
    const after = '    after: { type: timer, timer: { duration: PT2S }, next: end }';
    await rigged.start(counting({ name: 'ended', interval: 'PT5S', maxRuns: 2, after }), { user: 't', n: 0 });
    const id = binding('t', 'ended');
    const first = await until(rigged, id, ({ running }) => running.length > 0);
    await rigged.client.workflow.getHandle(first.running[0]!.id).terminate('by hand');
    const done = await until(rigged, id, ({ record }) => record.runsExecuted >= 2);
    expect(done.context).toMatchObject({ n: 1, seen: [0] });
    expect(done.actions).toBe(2);

    await sleep(1_100);
    await rigged.client.schedule.getHandle(id).trigger();
    const triggered = await until(rigged, id, ({ actions }) => actions === 3);
    const run = triggered.recent.at(-1)!.id;
    expect(await rigged.client.workflow.getHandle(run).result()).toMatchObject({ status: 'SKIPPED' });
    expect(await schedules.show(id)).toMatchObject({ state: 'exhausted', runsExecuted: 2, lastContext: { n: 1 } });
    const skipped = async () => (await endedRuns(rigged, id)).filter((it) => it.skipped).map((it) => it.journeyId);
    await expect.poll(skipped).toEqual([run]);
  });

  it('a run that continues as new counts once and passes its context on', async () => {
    const after = `    after: { type: timer, timer: { duration: PT0.01S }, next: again }
    again:
      type: transform
      transform: { mapper: { lang: jsonata, expr: "$merge([context, {'loops': $sum([context.loops, 1])}])" }, target: { kind: context } }
      next: more
    more: { type: choice, choices: [{ when: { predicate: { lang: jsonata, expr: "context.loops % 20 != 0" } }, next: after }], default: end }`;
    const journey = counting({ name: 'long', interval: 'PT5S', maxRuns: 2, after });
    await rigged.start(journey, { user: 'c', n: 0 });
    const id = binding('c', 'long');
    const done = await until(rigged, id, ({ record }) => record.runsExecuted >= 2);
    expect(done).toMatchObject({ actions: 2, context: { n: 2, seen: [0, 1], loops: 40 } });
    const chain = rigged.client.workflow.list({ query: `WorkflowId = '${done.recent[0]!.id}'` });
    let executions = 0;
    for await (const _ of chain) executions += 1;
    expect(executions).toBeGreaterThan(1);
    expect(await endedRuns(rigged, id)).toHaveLength(2);
  });

  it('terminating the last run exhausts the schedule; a trigger has no effect', async () => {
    const after = '    after: { type: timer, timer: { duration: PT1M }, next: end }';
    await rigged.start(counting({ name: 'last', interval: 'PT1H', maxRuns: 1, after }), { user: 'l', n: 0 });
    const id = binding('l', 'last');
    const first = await until(rigged, id, ({ running }) => running.length > 0);
    await rigged.client.workflow.getHandle(first.running[0]!.id).terminate('by hand');
    await until(rigged, id, ({ running }) => running.length === 0);
    expect(await schedules.show(id)).toMatchObject({ state: 'exhausted', runsExecuted: 1, nextRunAt: null });
    await sleep(1_100);
    await rigged.client.schedule.getHandle(id).trigger();
    const triggered = await until(rigged, id, ({ actions }) => actions === 2);
    const run = triggered.recent.at(-1)!.id;
    expect(await rigged.client.workflow.getHandle(run).result()).toMatchObject({ status: 'SKIPPED' });
  });
});
