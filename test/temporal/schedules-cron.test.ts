import { ScheduleOverlapPolicy } from '@temporalio/client';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { ProblemError } from '../../src/base/problems/problem.js';
import { bindingCadence } from '../../src/schedules/bindings/binding-record.js';
import { enumerate, isCoalesced, nextAfter } from '../../src/schedules/cadence/occurrences.js';
import { transitions } from '../../src/schedules/cadence/zone-transitions.js';
import { type BindingSnapshot, bindingSchedule } from '../../src/temporal/schedules/bindings/binding-schedule.js';
import type { TemporalSchedules } from '../../src/temporal/schedules/bindings/temporal-bindings.js';
import { extendBindings } from '../../src/temporal/schedules/daily-maintenance.js';
import { msNumberToTs, tsToMs } from '../../src/temporal/sdk-internals.js';
import type { Rig } from './support/rig.js';
import { type Counting, createSchedule, endedRuns, scheduleRig, until } from './support/schedules.js';

const minute = 60_000;
const day = 1440 * minute;
const codeOf = (error: unknown) => (error instanceof ProblemError ? error.problem.code : String(error));
const iso = (time: number) => new Date(time).toISOString();

/** The next change of a zone's clock by this number of hours. */
function change(zone: string, hours: number): number {
  for (const { at, before, after } of transitions(zone, Date.now(), Date.now() + 400 * day))
    if (after - before === hours * 60 * minute) return at;
  throw new Error(`no such change in ${zone}`);
}

describe.concurrent('a cron binding', () => {
  let rigged: Rig;
  let schedules: TemporalSchedules;
  beforeAll(async () => {
    ({ rigged, schedules } = await scheduleRig());
  });
  afterAll(() => rigged.stop());

  const plan = (name: string, options: Counting, n?: number) => createSchedule(rigged, name, options, n);

  /** The times at which the server would start a schedule, after `after` and up to `until`. */
  async function matching(scheduleId: string, after: number, end: number): Promise<number[]> {
    const { startTime } = await rigged.client.workflowService.listScheduleMatchingTimes({
      namespace: rigged.client.options.namespace,
      scheduleId,
      startTime: msNumberToTs(after),
      endTime: msNumberToTs(end),
    });
    return startTime.map((time) => tsToMs(time));
  }

  it('does not start at once; its times follow the cron, also across clock changes (R0-02, SCH-D9)', async ({
    expect,
  }) => {
    const id = await plan('cron-rome', { cron: '30 2 * * *', timezone: 'Europe/Rome', maxRuns: 500 });
    const { record, actions, next } = await until(rigged, id, () => true);
    expect([actions, record.cron, record.timezone, record.interval]).toEqual([
      0,
      '30 2 * * *',
      'Europe/Rome',
      undefined,
    ]);
    const cadence = bindingCadence(record);
    expect(next).toEqual(enumerate(cadence, Date.now(), { count: next.length }));
    for (const at of [change('Europe/Rome', 1), change('Europe/Rome', -1)]) {
      const found = (await matching(id, at - 3 * day, at + 3 * day)).filter((time) => !isCoalesced(cadence, time));
      expect(found).toEqual(enumerate(cadence, at - 3 * day, { until: at + 3 * day }));
    }
    const view = await schedules.show(id);
    expect(view).toMatchObject({
      cron: '30 2 * * *',
      timezone: 'Europe/Rome',
      interval: null,
      cadence: 'every day at 02:30 Europe/Rome',
      nextRunAt: iso(next[0]!),
      occurrences: { ran: 0, missed: 0, overlapped: 0 },
      drift: [],
    });
    const listed = async () => (await schedules.list({ subjectId: 'cron-rome', pageSize: 9 })).items[0];
    await expect.poll(listed).toMatchObject({ cadence: view.cadence, nextRunAt: view.nextRunAt, state: 'active' });
  });

  it('has no occurrences before startAt; a manual run counts and does not change the next time', async ({ expect }) => {
    const startAt = Math.ceil(Date.now() / day) * day + 40 * day + 12 * 60 * minute;
    const id = await plan('cron-ahead', { cron: '0 0 * * *', timezone: 'UTC', maxRuns: 3, startAt: iso(startAt) });
    const view = await schedules.show(id);
    expect([view.startAt, view.nextRunAt, view.drift]).toEqual([iso(startAt), iso(startAt + day / 2), []]);
    expect(await matching(id, Date.now(), startAt)).toEqual([]);
    await schedules.runNow(id, 'early');
    await until(rigged, id, ({ record }) => record.runsExecuted === 1);
    expect(await schedules.show(id)).toMatchObject({ nextRunAt: view.nextRunAt, runsExecuted: 1, drift: [] });
  });

  it('runs on time, counts, and is exhausted after maxRuns (R0-05, R0-06)', async ({ expect }) => {
    const id = await plan('cron-minute', { cron: '* * * * *', maxRuns: 1, timezone: 'Asia/Kathmandu' });
    const done = await until(rigged, id, ({ record }) => record.runsExecuted === 1, 90_000);
    expect(done).toMatchObject({ actions: 1, paused: true, context: { n: 1 }, note: 'Exhausted: 1 of 1 run done' });
    const { startAt, atOnce, occurrences } = done.record;
    expect(occurrences).toMatchObject({ ran: 1, missed: 0, overlapped: 0 });
    // If the next slot is imminent, wait until its run has started.
    const slot = Math.ceil(Date.parse(startAt) / minute) * minute;
    const { nominal, startedAt } = done.recent[0]!;
    expect(atOnce ? startedAt : nominal).toBeGreaterThanOrEqual(slot);
    if (!atOnce) expect(nominal).toBe(slot);
  });

  it('closes the run of a repeated local time as coalesced, without counting it (SCH-D9)', async ({ expect }) => {
    const zone = 'America/New_York';
    const id = await plan('cron-twice', { cron: '30 1 * * *', timezone: zone, maxRuns: 9 });
    const at = change(zone, -1);
    const [first, second] = [at - 30 * minute, at + 30 * minute];
    expect(await matching(id, first - minute, second)).toEqual([first, second]);
    const backfill = (start: number, end: number) =>
      rigged.client.schedule
        .getHandle(id)
        .backfill({ start: new Date(start), end: new Date(end), overlap: ScheduleOverlapPolicy.BUFFER_ALL });
    // On that day Temporal counts it as one of the remaining runs; that is corrected.
    await bindingSchedule(rigged.client, id).change('test count', ({ record }) => ({ record, remaining: 3 }));
    await backfill(second - minute, second);
    const isRestored = ({ raw }: BindingSnapshot) => Number(raw.schedule?.state?.remainingActions) === 9;
    expect((await until(rigged, id, isRestored)).record.runsExecuted).toBe(0);
    const [coalesced] = await endedRuns(rigged, id);
    expect(coalesced).toMatchObject({ scheduledAt: iso(second), skipped: true });
    const { outcome } = await rigged.runs.result(coalesced!.journeyId);
    expect(outcome).toMatchObject({ phase: 'SUCCEEDED', status: 'COALESCED' });
    await backfill(first - minute, second);
    await until(rigged, id, ({ actions, running }) => actions === 3 && running.length === 0);
    const runs = await endedRuns(rigged, id);
    expect(runs.map(({ scheduledAt, skipped = false }) => `${scheduledAt} ${skipped}`).sort()).toEqual(
      [`${iso(first)} false`, `${iso(second)} true`, `${iso(second)} true`].sort(),
    );
    const after = await until(rigged, id, () => true);
    expect([after.record.runsExecuted, after.context.n]).toEqual([1, 1]);
    expect((await schedules.show(id)).drift).toEqual([]);
  });

  it('runs once directly after a clock change that skips its time', async ({ expect }) => {
    const zone = 'America/Los_Angeles';
    const id = await plan('cron-gap', { cron: '15,45 2 * * *', timezone: zone, maxRuns: 9 });
    const at = change(zone, 1);
    expect(await matching(id, at - 60 * minute, at + 120 * minute)).toEqual([at]);
  });

  it('changes from an interval to a cron and back without starting a run (R3-54)', async ({ expect }) => {
    const ahead = iso(Math.ceil(Date.now() / day) * day + day);
    const id = await plan('cron-changed', { interval: 'P1D', maxRuns: 5, startAt: ahead });
    expect(await schedules.update(id, { cron: '0 2 * * *' }).catch(codeOf)).toBe('SCHEDULE_INVALID');
    const cron = await schedules.update(id, { cron: '0 2 * * sun', timezone: 'Europe/Berlin' }, 'ada');
    expect(cron).toMatchObject({ interval: null, cron: '0 2 * * sun', timezone: 'Europe/Berlin', drift: [] });
    expect(cron.log[0]).toMatchObject({ by: 'ada', what: 'set cron 0 2 * * sun, timezone Europe/Berlin' });
    const { record } = await until(rigged, id, () => true);
    expect(cron.nextRunAt).toBe(iso(nextAfter(bindingCadence(record), Date.now())!));
    const tokyo = await schedules.update(id, { timezone: 'Asia/Tokyo', maxRuns: 7 });
    expect(tokyo).toMatchObject({ cron: '0 2 * * sun', timezone: 'Asia/Tokyo', maxRuns: 7, drift: [] });
    const back = await schedules.update(id, { interval: 'P1W' });
    expect(back).toMatchObject({ interval: 'P1W', cron: null, timezone: null, nextRunAt: ahead, drift: [] });
    expect((await until(rigged, id, () => true)).actions).toBe(0);
  });

  it('onExisting: fail rejects, upsert replaces an interval with a cron, addAnother adds one (R0-02)', async ({
    expect,
  }) => {
    const name = 'cron-existing';
    const ahead = iso(Math.ceil(Date.now() / 1000) * 1000 + day);
    const id = await plan(name, { interval: 'P1D', maxRuns: 5, startAt: ahead });
    const times = { cron: '0 4 * * *', timezone: 'Asia/Tokyo', maxRuns: 2 };
    await expect(plan(name, times)).rejects.toThrow('SCHEDULE_ALREADY_EXISTS');
    await plan(name, { ...times, onExisting: 'upsert' }, 3);
    const replaced = await schedules.show(id);
    expect(replaced).toMatchObject({
      cron: '0 4 * * *',
      interval: null,
      generation: 2,
      lastContext: { n: 3 },
      drift: [],
    });
    await plan(name, { ...times, cron: '0 5 * * *', onExisting: 'addAnother' });
    const cadences = async () => (await schedules.list({ subjectId: name, pageSize: 9 })).items.map((it) => it.cadence);
    await expect
      .poll(async () => (await cadences()).sort())
      .toEqual(['every day at 04:00 Asia/Tokyo', 'every day at 05:00 Asia/Tokyo']);
  });

  it('HOME-6 shows changed times as drift, also in a list, and repairs them', async ({ expect }) => {
    const id = await plan('cron-drifted', { cron: '0 3 * * *', timezone: 'Europe/Rome', maxRuns: 5 });
    await bindingSchedule(rigged.client, id).change('test drift', ({ record }) => ({
      record,
      times: { spec: { calendars: [{ hour: 12 }] } },
    }));
    expect((await schedules.show(id)).drift).toMatchObject([expect.stringContaining('03:00 Europe/Rome')]);
    const listed = async () =>
      (await schedules.list({ journeyName: 'cron-drifted', pageSize: 10 })).items.map(({ state, drift }) => [
        state,
        drift.length,
      ]);
    await expect.poll(listed).toEqual([['active', 1]]);
    const repaired = await schedules.repair(id, 'ada');
    expect(repaired).toMatchObject({ changed: true, drift: [] });
    await expect.poll(listed).toEqual([['active', 0]]);
    const { record, next } = await until(rigged, id, () => true);
    expect(next[0]).toBe(nextAfter(bindingCadence(record), Date.now()));
  });

  it('has its listed times extended by maintenance', async ({ expect }) => {
    const zone = 'America/Chicago';
    const id = await plan('cron-extended', { cron: '30 2 * * *', timezone: zone, maxRuns: 500 });
    const jump = change(zone, 1);
    const [before, after] = [jump - 60 * minute, jump + 60 * minute];
    // Simulates years later: the listed dates have passed.
    const { startAt } = await until(rigged, id, () => true).then(({ raw }) => ({
      startAt: new Date(tsToMs(raw.schedule?.spec?.startTime)),
    }));
    const spec = { calendars: [{ hour: 2, minute: 30 }], timezone: zone, startAt };
    await bindingSchedule(rigged.client, id).change('test years', ({ record }) => ({
      record,
      times: { spec, completeUntil: Date.now() + 30 * day },
    }));
    expect(await matching(id, before, after)).toEqual([]);
    const extendedTimes = async () => {
      await extendBindings(rigged.client, Date.now());
      return await matching(id, before, after);
    };
    // It may take a moment to appear in visibility.
    await expect.poll(extendedTimes).toEqual([jump]);
    const { record, raw } = await until(rigged, id, () => true);
    expect(Date.parse(record.writtenUntil!)).toBeGreaterThan(Date.now() + 4 * 365 * day);
    expect(tsToMs(raw.schedule?.spec?.startTime)).toBe(startAt.getTime());
  });
});
