import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { TemporalSchedules } from '../../src/temporal/schedules/bindings/temporal-bindings.js';
import type { Rig } from './support/rig.js';
import { ahead, binding, counting, createSchedule, endedRuns, scheduleRig, until } from './support/schedules.js';
import { temporalCli } from './support/temporal-cli.js';

/** A journey that stops schedules of `journey` for a user. */
const stopping = (journey: string) => `
apiVersion: v1
kind: Journey
metadata: { name: stop-${journey}, version: 1.0.0 }
spec:
  start: stop
  states:
    stop:
      type: task
      task:
        kind: unschedule:v1
        journey: ${journey}
        start: tick
        subjectId: { mapper: { lang: dataweave, expr: context.user } }
        resultVar: stopped
      next: done
    done: { type: succeed, outputVar: stopped }
`;

describe('LESS-6 unschedule:v1', () => {
  let rigged: Rig;
  let schedules: TemporalSchedules;
  beforeAll(async () => {
    ({ rigged, schedules } = await scheduleRig());
  });
  afterAll(() => rigged.stop());
  const later = ahead();
  const stop = async (journey: string, user: string, caller?: string) =>
    (await rigged.start(stopping(journey), { user }, caller ? { caller: `key:${caller}`, ownSchedules: true } : {}))
      .outcome?.output;
  const listed = async (subjectId: string) => (await schedules.list({ subjectId, pageSize: 50 })).items;

  it('stops schedules of every version, including added and paused ones, once; new ones can replace them', async () => {
    const plan = (more: object, version = '1.0.0') =>
      rigged.start(
        counting({ name: 'many', interval: 'PT1H', maxRuns: 3, startAt: later, ...more }).replace('1.0.0', version),
        { user: 'm', n: 0 },
      );
    await plan({});
    await plan({ onExisting: 'addAnother' });
    await plan({}, '2.0.0');
    await expect.poll(async () => (await listed('m')).length).toBe(3);
    await schedules.pause(binding('m', 'many'), 'the customer asked', 'Ada');
    expect(await stop('many', 'm')).toEqual({ ok: true, stopped: 3 });
    expect(await stop('many', 'm')).toEqual({ ok: true, stopped: 0 });
    const view = await schedules.show(binding('m', 'many'));
    expect(view).toMatchObject({
      state: 'exhausted',
      runsExecuted: 0,
      maxRuns: 3,
      nextRunAt: null,
      note: expect.stringMatching(/^Stopped by .*: 0 of 3 runs done$/),
      drift: [],
      log: [{ what: 'stopped by a journey' }, { by: 'Ada' }],
    });
    await expect.poll(async () => (await listed('m')).map(({ state }) => state)).toEqual(Array(3).fill('exhausted'));
    await expect(schedules.resume(view.scheduleId, 'again', 'Ada')).rejects.toMatchObject({
      problem: { code: 'SCHEDULE_EXHAUSTED' },
    });
    expect((await plan({})).phase).toBe('SUCCEEDED');
    expect(await schedules.show(view.scheduleId)).toMatchObject({ state: 'active', generation: 2, nextRunAt: later });
  });

  it('an operator can continue a stopped one with a larger maxRuns', async () => {
    const id = await createSchedule(rigged, 'resumed', { interval: 'PT1H', maxRuns: 3, startAt: later });
    expect(await stop('resumed', 'resumed')).toEqual({ ok: true, stopped: 1 });
    expect(await schedules.update(id, { maxRuns: 4 }, 'Ada')).toMatchObject({ state: 'active', nextRunAt: later });
  });

  it('does not affect schedules of other owners; a run started by an operator stops those of all', async () => {
    const plan = (caller: string) =>
      rigged.start(
        counting({ name: 'owned', interval: 'PT1H', maxRuns: 3, startAt: later }),
        { user: 'o', n: 0 },
        { caller: `key:${caller}`, ownSchedules: true },
      );
    await plan('ada');
    await plan('bob');
    await plan('cyd');
    await expect.poll(async () => (await listed('o')).length).toBe(3);
    expect(await stop('owned', 'o', 'ada')).toEqual({ ok: true, stopped: 1 });
    const states = async () =>
      Object.fromEntries((await listed('o')).map(({ owner, state }) => [owner, state] as const));
    await expect.poll(states).toEqual({ 'key:ada': 'exhausted', 'key:bob': 'active', 'key:cyd': 'active' });
    expect(await stop('owned', 'o', 'eve')).toEqual({ ok: true, stopped: 0 });
    expect(await stop('owned', 'o')).toEqual({ ok: true, stopped: 2 });
  });

  it('a run that stops its own schedule counts, passes its context on, and is the last', async () => {
    const after = `
    after: { type: choice, choices: [{ when: { predicate: { lang: dataweave, expr: context.n == 2 } }, next: halt }], default: end }
    halt:
      type: task
      task: { kind: unschedule:v1, start: tick, subjectId: { mapper: { lang: dataweave, expr: context.user } }, resultVar: stopped }
      next: end`;
    const id = await createSchedule(rigged, 'self', { interval: 'PT2S', maxRuns: 9, after });
    const done = await until(rigged, id, ({ record }) => record.runsExecuted === 2);
    expect(done).toMatchObject({
      paused: true,
      context: { n: 2, seen: [0, 1], stopped: { ok: true, stopped: 1 } },
      record: { runsExecuted: 2, maxRuns: 9 },
    });
    const runs = await endedRuns(rigged, id);
    expect(runs.map(({ phase }) => phase)).toEqual(['SUCCEEDED', 'SUCCEEDED']);
    expect(await schedules.show(id)).toMatchObject({
      state: 'exhausted',
      runsExecuted: 2,
      occurrences: { ran: 2, missed: 0, overlapped: 0 },
    });
    await expect(schedules.runNow(id, 'again')).rejects.toMatchObject({ problem: { code: 'SCHEDULE_EXHAUSTED' } });
  });

  it('a stopped one without its record stays stopped after a repair', async () => {
    const id = await createSchedule(rigged, 'stopped-and-mended', { interval: 'PT1H', maxRuns: 3 });
    await until(rigged, id, ({ record, running }) => record.runsExecuted === 1 && running.length === 0);
    expect(await stop('stopped-and-mended', 'stopped-and-mended')).toEqual({ ok: true, stopped: 1 });
    const at = ['--address', inject('temporalAddress'), '--schedule-id', id];
    const action = [
      '--workflow-id',
      id,
      '--type',
      'stopped-and-mended',
      '--task-queue',
      rigged.config.temporal.taskQueue,
    ];
    execFileSync(await temporalCli(), ['schedule', 'update', ...at, '--interval', '30d', ...action]);
    await schedules.repair(id, 'Ada');
    expect(await schedules.show(id)).toMatchObject({ state: 'exhausted', runsExecuted: 1, nextRunAt: null });
  });
});
