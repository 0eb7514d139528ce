import { setTimeout as sleep } from 'node:timers/promises';
import { ScheduleOverlapPolicy } from '@temporalio/client';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { ProblemError } from '../../src/base/problems/problem.js';
import { finishRun } from '../../src/temporal/schedules/bindings/admit-and-finish-runs.js';
import { bindingSchedule } from '../../src/temporal/schedules/bindings/binding-schedule.js';
import { createBinding } from '../../src/temporal/schedules/bindings/create-binding.js';
import type { TemporalSchedules } from '../../src/temporal/schedules/bindings/temporal-bindings.js';
import { removeExhausted } from '../../src/temporal/schedules/daily-maintenance.js';
import type { JourneyInput } from '../../workflows/journey/workflow-contract.js';
import { journeyOf, type Rig } from './support/rig.js';
import { ahead, binding, counting, createSchedule, endedRuns, scheduleRig, until } from './support/schedules.js';

const hour = 3_600_000;
const slow = (duration: string) => `    after: { type: timer, timer: { duration: ${duration} }, next: end }`;

describe.concurrent('runs and schedules that are terminated or created by others', () => {
  let rigged: Rig;
  let schedules: TemporalSchedules;
  beforeAll(async () => {
    ({ rigged, schedules } = await scheduleRig());
  });
  afterAll(() => rigged.stop());

  /** A binding whose first run is due after this delay in milliseconds (default: an hour), and the next a day later. */
  async function plan(name: string, { maxRuns = 3, inMs = hour, n = 0, after = slow('PT3S') }): Promise<string> {
    return await createSchedule(rigged, name, { interval: 'P1D', maxRuns, startAt: ahead(inMs), after }, n);
  }

  it('a terminated manual run counts before the next scheduled one, even if the schedule is not read', async ({
    expect,
  }) => {
    const [one, two] = await Promise.all([
      plan('unseen', { maxRuns: 1, inMs: 9_000 }),
      plan('unseen-two', { maxRuns: 2, inMs: 9_000 }),
    ]);
    const terminate = async (id: string) => {
      const { executionId } = await schedules.runNow(id, 'r');
      await until(rigged, id, ({ record }) => record.holder?.id === executionId);
      await rigged.client.workflow.getHandle(executionId).terminate('by hand');
    };
    await Promise.all([terminate(one), terminate(two)]);
    await sleep(11_000);
    const ran = async (id: string) => (await endedRuns(rigged, id)).filter(({ skipped }) => !skipped);
    expect(await ran(one)).toHaveLength(1);
    expect(await schedules.show(one)).toMatchObject({ runsExecuted: 1, state: 'exhausted', lastContext: { n: 0 } });
    const done = await until(rigged, two, ({ record }) => record.runsExecuted === 2);
    expect(done).toMatchObject({ paused: true, context: { n: 1 } });
    expect(done.record.holder).toBeUndefined();
    expect(await ran(two)).toHaveLength(2);
  });

  it('a run does not write to a schedule that was deleted and recreated', async ({ expect }) => {
    const id = await plan('again', {});
    const { executionId } = await schedules.runNow(id, 'r');
    await schedules.delete(id);
    expect(await plan('again', { n: 100 })).toBe(id);
    await rigged.client.workflow.getHandle(executionId).result();
    expect(await schedules.show(id)).toMatchObject({ runsExecuted: 0, generation: 1, lastContext: { n: 100 } });
  });

  it('a change of a concurrently deleted schedule fails with SCHEDULE_UNKNOWN', async ({ expect }) => {
    const code = (error: unknown) => (error instanceof ProblemError ? error.problem.code : String(error));
    const id = await plan('gone', {});
    const changed = bindingSchedule(rigged.client, id).change('k', async ({ record }) => {
      await schedules.delete(id);
      return { record, remaining: 3 };
    });
    expect(await changed.catch(code)).toBe('SCHEDULE_UNKNOWN');
    await plan('gone', {});
    const all = [1, 2, 3].flatMap(() => [schedules.delete(id), schedules.pause(id, 'late').then(() => undefined)]);
    const answers = await Promise.all(all.map((answer) => answer.catch(code)));
    expect(answers.filter((answer) => answer !== undefined && answer !== 'SCHEDULE_UNKNOWN')).toEqual([]);
  });

  it('a run started on an exhausted schedule does not count against a raised bound', async ({ expect }) => {
    const [creator, startAt] = ['c', '2090-01-01T00:00:00.000Z'];
    const input = { definition: journeyOf(counting({})), info: { environment: 'test', config: {} }, limits: {} };
    const memo = { links: true, cancellable: true, tags: [], definition: '' };
    const { scheduleId: id } = await createBinding(
      rigged.client,
      {
        ...{ journeyName: 'raised', journeyVersion: '1.0.0', startStateId: 'tick', subjectId: null },
        ...{ startAt, interval: 'P1D', maxRuns: 1, onExisting: 'fail', creator, context: {} },
      },
      { input: input as unknown as JourneyInput, memo, taskQueue: 'nobody-is-there' },
    );
    const at = Date.now();
    const finished = { scheduleId: id, creator, id: 'r', run: 'r', nominal: at, startedAt: at, handsOn: false };
    await finishRun(rigged.client, { ...finished, result: 'SUCCEEDED' });
    await rigged.client.schedule.getHandle(id).trigger(ScheduleOverlapPolicy.SKIP);
    const { running } = await until(rigged, id, (seen) => seen.running.length === 1);
    await schedules.update(id, { maxRuns: 2 });
    await rigged.client.workflow.getHandle(running[0]!.id).terminate();
    const after = await until(rigged, id, (seen) => seen.running.length === 0);
    expect(Number(after.raw.schedule!.state!.remainingActions)).toBe(1);
    const view = await schedules.show(id);
    expect(view).toMatchObject({ state: 'active', runsExecuted: 1, nextRuns: [startAt] });
  });

  it('a schedule whose last run was terminated is listed as exhausted after a read or maintenance', async ({
    expect,
  }) => {
    const end = async (name: string) => {
      const id = await plan(name, { maxRuns: 1, inMs: -hour, after: slow('PT1M') });
      const { running } = await until(rigged, id, (seen) => seen.running.length > 0);
      await rigged.client.workflow.getHandle(running[0]!.id).terminate('by hand');
      await until(rigged, id, (seen) => seen.running.length === 0);
      return id;
    };
    const listed = async (journeyName: string) =>
      (await schedules.list({ journeyName, state: 'exhausted', pageSize: 10 })).items.map(({ note }) => note);
    const note = 'Exhausted: 1 of 1 run done';
    const id = await end('looked-at-last');
    expect(await schedules.show(id)).toMatchObject({ state: 'exhausted', runsExecuted: 1, note });
    await expect.poll(() => listed('looked-at-last')).toEqual([note]);
    await rigged.client.schedule.getHandle(id).unpause('by hand');
    expect(await schedules.show(id)).toMatchObject({ state: 'exhausted', note });
    expect(await until(rigged, id, () => true)).toMatchObject({ paused: true });
    await end('tidied-last');
    const tidied = async () => [await removeExhausted(rigged.client, 30, Date.now()), await listed('tidied-last')];
    await expect.poll(tidied).toEqual([0, [note]]);
  });

  it('a run that the Schedule does not track counts as active', async ({ expect }) => {
    const id = await plan('unfollowed', {});
    const handle = rigged.client.schedule.getHandle(id);
    await handle.trigger(ScheduleOverlapPolicy.ALLOW_ALL);
    const { record } = await until(rigged, id, (seen) => seen.record.holder !== undefined);
    expect((await schedules.show(id)).activeRuns).toEqual([record.holder!.id]);
    await expect(schedules.runNow(id, 'r')).rejects.toThrow(`The run ${record.holder!.id} is active.`);
    await expect(schedules.update(id, { maxRuns: 1 })).resolves.toMatchObject({ state: 'active', nextRuns: [] });
    await until(rigged, id, (seen) => seen.paused && seen.running.length === 0);
    expect(await schedules.show(id)).toMatchObject({ state: 'exhausted', runsExecuted: 1, lastContext: { n: 1 } });
  });

  it('runs that start within the same second have different ids', async ({ expect }) => {
    const startAt = '2090-01-01T00:00:00Z';
    await rigged.start(counting({ name: 'hasty', interval: 'P1D', maxRuns: 9, startAt }), { user: 'hasty', n: 0 });
    const id = binding('hasty', 'hasty');
    const ids = new Set<string>();
    for (let i = 1; i <= 8; i++) {
      ids.add((await schedules.runNow(id, `r${i}`)).executionId);
      await until(rigged, id, ({ running, record }) => running.length === 0 && record.runsExecuted === i);
    }
    expect(ids.size).toBe(8);
  });
});
