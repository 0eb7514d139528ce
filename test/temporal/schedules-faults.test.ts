import { ScheduleOverlapPolicy } from '@temporalio/client';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { admitRun } from '../../src/temporal/schedules/bindings/admit-and-finish-runs.js';
import type { TemporalSchedules } from '../../src/temporal/schedules/bindings/temporal-bindings.js';
import { valuesOf } from './support/encryption.js';
import type { Rig } from './support/rig.js';
import { type Counting, counting, createSchedule, endedRuns, scheduleRig, until } from './support/schedules.js';

const slow = (duration: string) => `    after: { type: timer, timer: { duration: ${duration} }, next: end }`;

describe.concurrent('regressions of schedules', () => {
  let rigged: Rig;
  let schedules: TemporalSchedules;
  beforeAll(async () => {
    ({ rigged, schedules } = await scheduleRig());
  });
  afterAll(() => rigged.stop());

  const plan = (name: string, options: Counting) => createSchedule(rigged, name, options);

  it('FLT-9 only one run of an overlapping backfill runs, including runs on time', async ({ expect }) => {
    const id = await plan('filled', { interval: 'PT2S', maxRuns: 2, after: slow('PT3S') });
    await schedules.pause(id, 'so that only the backfill starts runs');
    const before = await until(rigged, id, ({ running }) => running.length === 0);
    const first = before.record.runsExecuted;
    const now = Date.now();
    const range = { start: new Date(now - 20_000), end: new Date(now + 4_000) };
    await rigged.client.schedule.getHandle(id).backfill({ ...range, overlap: ScheduleOverlapPolicy.ALLOW_ALL });
    await until(rigged, id, ({ actions, record }) => actions > before.actions + 2 && record.runsExecuted > first);
    const ran = (await endedRuns(rigged, id)).filter(({ skipped }) => !skipped);
    expect(ran.length).toBe(first + 1);
    expect(await schedules.show(id)).toMatchObject({ runsExecuted: first + 1, lastContext: { n: first + 1 } });
  });

  it('FLT-13 an immediate first run that lasts longer than the interval is counted once', async ({ expect }) => {
    const id = await plan('lasting', { interval: 'PT2S', maxRuns: 1, after: slow('PT3S') });
    const { record } = await until(rigged, id, (it) => it.record.runsExecuted === 1 && it.running.length === 0);
    expect(record.occurrences.ran).toBe(1);
    expect(record.occurrences.overlapped + record.occurrences.missed).toBeGreaterThan(0);
  });

  it('FLT-9 a manual run is skipped if the Schedule starts another between its read and its write', async ({
    expect,
  }) => {
    const id = await plan('between', { interval: 'PT5S', maxRuns: 9, after: slow('PT2S') });
    const { client } = rigged;
    let [asked, started] = [false, ''];
    const workflowService = new Proxy(client.workflowService, {
      get(target, name, receiver) {
        if (name !== 'updateSchedule' || asked) return Reflect.get(target, name, receiver);
        asked = true;
        return async (...given: Parameters<typeof target.updateSchedule>) => {
          started = (await until(rigged, id, ({ running }) => running.length > 0)).running[0]!.run;
          return await target.updateSchedule(...given);
        };
      },
    });
    const late = Object.create(client, { workflowService: { value: workflowService } });
    // If a run has already started at its read, it does not write a note: then repeat.
    for (let attempts = 1; !asked; attempts++) {
      expect(attempts, 'runs that had begun already').toBeLessThanOrEqual(50);
      const { record } = await until(rigged, id, (it) => it.record.runsExecuted > 0 && it.running.length === 0);
      const { creator, occurrences } = record;
      const hand = { scheduleId: id, creator, id: 'by-hand', run: 'by-hand', through: occurrences.through };
      const asking = { ...hand, nominal: Date.now() };
      expect(await admitRun(late, asking)).toBe(false);
    }
    const after = await until(rigged, id, (it) => it.record.accounted.includes(started));
    expect(after.record.holder).toBeUndefined();
    await schedules.delete(id);
  });

  it('FLT-9 a run reset to any point after it has counted does nothing', async ({ expect }) => {
    const id = await plan('reset', { interval: 'PT3S', maxRuns: 2, after: slow('PT0.5S') });
    await until(rigged, id, ({ paused, running }) => paused && running.length === 0);
    const { lastContext } = await schedules.show(id);
    const [last] = await endedRuns(rigged, id);
    const { workflow, workflowService } = rigged.client;
    const { runId: original } = await workflow.getHandle(last!.journeyId).describe();
    const { events } = await workflow.getHandle(last!.journeyId).fetchHistory();
    const tasks = events!.filter((event) => event.workflowTaskCompletedEventAttributes);
    // Before the first state, and after the timer.
    for (const task of [tasks[0]!, tasks.at(-2)!]) {
      const { runId } = await workflowService.resetWorkflowExecution({
        namespace: 'default',
        workflowExecution: { workflowId: last!.journeyId, runId: original },
        workflowTaskFinishEventId: task.eventId!,
        requestId: `${task.eventId}`,
        reason: 'test',
      });
      const handle = workflow.getHandle(last!.journeyId, runId);
      expect(await handle.result()).toMatchObject({ status: 'SKIPPED' });
    }
    expect(await schedules.show(id)).toMatchObject({ runsExecuted: 2, lastContext });
  });

  it('FLT-10 an upsert keeps a pause and its note, does not start a run, and reports the pause', async ({ expect }) => {
    const options = { interval: 'PT1H', maxRuns: 3, onExisting: 'upsert' };
    const id = await plan('kept', options);
    const before = await until(rigged, id, ({ record, running }) => record.runsExecuted === 1 && running.length === 0);
    await schedules.pause(id, 'fraud case 17');
    const again = await rigged.start(counting({ name: 'kept', ...options, maxRuns: 5 }), { user: 'kept', n: 70 });
    expect(again.phase).toBe('SUCCEEDED');
    const view = await schedules.show(id);
    expect(view).toMatchObject({ state: 'paused', note: 'fraud case 17', maxRuns: 5, runsExecuted: 0, generation: 2 });
    const { events } = await rigged.client.workflow.getHandle(again.journeyId).fetchHistory();
    const answer = events!.find((event) => event.activityTaskCompletedEventAttributes);
    const { result } = answer!.activityTaskCompletedEventAttributes!;
    const [said] = await valuesOf(rigged.client, result!.payloads);
    expect(said).toEqual({ scheduleId: id, paused: { note: 'fraud case 17' } });
    await schedules.resume(id, 'closed');
    const after = await until(rigged, id, () => true);
    expect(after).toMatchObject({ actions: before.actions, buffered: 0, running: [], context: { n: 70 } });
    expect(Number(after.raw.schedule!.state!.remainingActions)).toBe(5);
  });
});
