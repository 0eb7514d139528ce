import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readCadence } from '../../src/schedules/cadence/cadence-json.js';
import { countBetween } from '../../src/schedules/cadence/occurrences.js';
import type { JobRun, NewJob } from '../../src/service/jobs-interface.js';
import { journeyOf as journeyOfExecution } from '../../src/temporal/schedules/jobs/list-dispatches.js';
import { eventually } from '../support/eventually.js';
import { expectAllAccounted } from './support/accounted.js';
import {
  codeOf,
  endedRuns,
  every,
  type JobRig,
  job,
  jobRig,
  secondsAhead,
  slow,
  total,
  yearly,
} from './support/jobs.js';
import { journeyOf } from './support/rig.js';

const graceMs = 3_000;
const kinds = [
  { misfirePolicy: 'fire_once_on_recovery', allowOverlap: false },
  { misfirePolicy: 'skip_missed', allowOverlap: false },
  { misfirePolicy: 'fire_once_on_recovery', allowOverlap: true },
  { misfirePolicy: 'skip_missed', allowOverlap: true },
] as const;

let rigged: JobRig;
beforeAll(async () => {
  rigged = await jobRig({ graceMs });
  rigged.journeys.set('five', journeyOf(slow(5, 'five')));
});
afterAll(() => rigged.stop());

const show = (jobId: string) => rigged.jobs.show('main', jobId);
/** Stops a job and returns its runs, oldest first, once all have ended. */
const finished = async (jobId: string, atLeast: number): Promise<JobRun[]> => {
  await endedOrNot(jobId, atLeast);
  await rigged.jobs.change('main', jobId, (it) => ({ ...it, state: 'paused' }));
  return (await endedRuns(rigged, jobId, atLeast)).reverse();
};
const endedOrNot = (jobId: string, atLeast: number) =>
  eventually(
    async () => (await rigged.jobs.runs('main', jobId, { pageSize: 1_000 })).items.filter(({ result }) => result),
    (it) => it.length >= atLeast,
  );

/** `show` agrees with the cadence: every time until now is in one of the four categories. */
async function expectShown(schedule: NewJob['schedule'], jobId: string, since: number): Promise<void> {
  const cadence = readCadence(schedule, { now: 0, allowPast: true }).cadence!;
  const before = countBetween(cadence, since, Date.now() - 2_000);
  // A run that no worker has started yet is not counted.
  const view = await eventually(
    () => show(jobId),
    (it) => total(it) >= before,
  );
  const after = countBetween(cadence, since, Date.now());
  expect(total(view)).toBeLessThanOrEqual(after);
}

describe('occurrences while no worker is running', () => {
  it('SCH-D1, SCH-D13, R3-44: both policies, with and without overlap: every occurrence is accounted for exactly once', async () => {
    await rigged.stopDispatching();
    const since = Date.now();
    const schedule = every(2, since);
    const made = await Promise.all(kinds.map((kind) => rigged.jobs.create(job({ schedule, ...kind }), 'a')));
    const waiting = await eventually(
      () => rigged.dispatcher.queue({ orchestratorId: 'main', phase: 'incoming', pageSize: 100 }),
      ({ items }) => items.filter(({ jobId }) => jobId === made[2]!.jobId).length >= 4,
    );
    // Targets are reached only through their queue, which has no worker, so none runs, although journeys could (R3-33, R3-36).
    const ids = made.map(({ jobId }) => jobId);
    const ours = waiting.items.filter(({ jobId }) => ids.includes(jobId!));
    for (const { phase, result, executionId, journeyId } of ours) {
      expect({ phase, result, journeyId }).toEqual({ phase: 'incoming', result: null, journeyId: null });
      expect(await codeOf(rigged.runs(await journeyOfExecution(rigged.rigged.client, executionId)))).toBe(
        'RUN_UNKNOWN',
      );
    }
    await rigged.startDispatching();
    const [once, none, onceBeside, noneBeside] = await Promise.all([
      finished(made[0]!.jobId, 3),
      finished(made[1]!.jobId, 3),
      finished(made[2]!.jobId, 7),
      finished(made[3]!.jobId, 7),
    ]);

    // One run at a time: one late run for all missed occurrences.
    const [late, next] = once!;
    expect(late?.result?.outcome).toBe('succeeded');
    const lateFor = (reason: string) =>
      (late?.result?.occurrences ?? []).filter((it) => it.reason === reason).reduce((sum, { count }) => sum + count, 0);
    // A busy server may create the Schedule only after its first time.
    expect(lateFor('run')).toBe(1);
    expect(lateFor('missed')).toBeGreaterThanOrEqual(2);
    expect(next?.result).toMatchObject({ outcome: 'succeeded' });
    expect(expectAllAccounted(schedule, once!).run).toBe(once!.length);

    const [skipped] = none!;
    expect(skipped?.result).toMatchObject({ outcome: 'skipped', reason: { code: 'MISSED' } });
    expect(skipped?.journeyId).toBeNull();
    // If the machine stalls, others may be late too, but nothing else.
    const inTime = none!.filter(({ result }) => result?.reason?.code !== 'MISSED');
    expect(inTime.length).toBeGreaterThanOrEqual(1);
    for (const { result } of inTime) expect(result?.outcome).toBe('succeeded');
    expect(expectAllAccounted(schedule, none!).run).toBe(inTime.length);

    // With overlap, each time has its run, and the late ones share one.
    const coalesced = onceBeside!.filter(({ result }) => result?.outcome === 'coalesced');
    expect(coalesced.length).toBeGreaterThanOrEqual(1);
    const lastCoalesced = coalesced.at(-1)!.triggeredAt;
    expect(onceBeside!.some((it) => it.result?.outcome === 'succeeded' && it.triggeredAt > lastCoalesced)).toBe(true);
    expect(expectAllAccounted(schedule, onceBeside!)).toMatchObject({
      coalesced: coalesced.length,
      run: onceBeside!.length - coalesced.length,
    });

    const missed = noneBeside!.filter(({ result }) => result?.reason?.code === 'MISSED');
    expect(missed.length).toBeGreaterThanOrEqual(1);
    const accounted = expectAllAccounted(schedule, noneBeside!);
    expect(accounted.run).toBe(noneBeside!.length - missed.length);
    expect(accounted.missed).toBeGreaterThanOrEqual(missed.length);

    for (const { jobId } of made) await expectShown(schedule, jobId, since);
    const audited = rigged.audit.filter(({ event }) => event.startsWith('scheduler.misfire')).map((it) => it.event);
    expect(new Set(audited)).toEqual(new Set(['scheduler.misfire.fire_once', 'scheduler.misfire.skip_missed']));
  });

  it('a late run recovers even if all later occurrences were during a pause', async () => {
    await rigged.stopDispatching();
    const schedule = every(2);
    const { jobId } = await rigged.jobs.create(job({ schedule, allowOverlap: true }), 'a');
    const first = await eventually(
      async () => (await rigged.jobs.runs('main', jobId, { pageSize: 10 })).items,
      (it) => it.length === 1,
    );
    await rigged.jobs.change('main', jobId, (it) => ({ ...it, state: 'paused' }));
    const there = (await rigged.jobs.runs('main', jobId, { pageSize: 10 })).items.length;
    await sleep(graceMs + 2_500);
    await rigged.startDispatching();
    const runs = (await endedRuns(rigged, jobId, there)).reverse();
    expect(first).toHaveLength(1);
    expect(runs.at(-1)?.result).toMatchObject({ outcome: 'succeeded' });
    expect(runs.filter(({ result }) => result?.outcome === 'succeeded')).toHaveLength(1);
  });
});

describe.concurrent('long runs', () => {
  it('R3-46, SCH-D13, SCH-D14: runs do not overlap; occurrences during a slow run count as overlapped and do not run late', async () => {
    const since = Date.now();
    const schedule = every(2, since);
    const targetAction = { type: 'workflow_start', workflowId: 'five' } as const;
    const alone = await rigged.jobs.create(job({ schedule, targetAction }), 'a');
    const beside = await rigged.jobs.create(job({ schedule, targetAction, allowOverlap: true }), 'a');
    await eventually(
      () => show(beside.jobId),
      ({ activeRuns }) => activeRuns.length >= 2,
    );
    await eventually(
      () => show(alone.jobId),
      (it) => it.occurrences.overlapped >= 2 && it.activeRuns.length === 1,
    );
    const runs = await finished(alone.jobId, 2);
    const others = await finished(beside.jobId, 2);
    for (const [i, run] of runs.entries())
      if (i > 0) expect(Date.parse(run.startedAt)).toBeGreaterThanOrEqual(Date.parse(runs[i - 1]!.endedAt!));
    const counts = expectAllAccounted(schedule, runs);
    expect(counts.run).toBe(runs.length);
    // Two times fall into each run; if one of them ran late there would be fewer. Those during the last run are not accounted for yet.
    expect(counts.overlapped).toBeGreaterThanOrEqual(2 * (runs.length - 1));
    // With overlap nothing is delayed. Late starts of a busy machine share one run.
    const { run, coalesced = 0, overlapped = 0 } = expectAllAccounted(schedule, others);
    expect({ started: run! + coalesced, overlapped }).toEqual({ started: others.length, overlapped: 0 });
    await expectShown(schedule, alone.jobId, since);
    await expectShown(schedule, beside.jobId, since);
  });

  it('R3-46: a failed run does not affect the next one or the account', async () => {
    const schedule = every(2);
    const targetAction = { type: 'workflow_start', workflowId: 'failing' } as const;
    const { jobId } = await rigged.jobs.create(job({ schedule, targetAction }), 'a');
    const runs = await finished(jobId, 3);
    for (const { result } of runs) expect(result).toMatchObject({ outcome: 'failed', reason: { code: 'NO_LUCK' } });
    expect(expectAllAccounted(schedule, runs).run).toBe(runs.length);
  });

  it('SCH-D9: the second occurrence of a repeated time does not run, except as the late run for later occurrences', async () => {
    const schedule = { type: 'cron', expression: '30 1 * * *', timezone: 'America/Los_Angeles' };
    const again = Date.parse('2026-11-01T09:30:00Z');
    const range = { start: new Date(again - 1_000), end: new Date(again + 1_000), overlap: 'ALLOW_ALL' as const };
    // The clock does not change now, so its time is rerun.
    const runOf = async (allowOverlap: boolean) => {
      const { jobId } = await rigged.jobs.create(job({ schedule, allowOverlap }), 'a');
      await rigged.rigged.client.schedule.getHandle(jobId).backfill([range]);
      const [run] = await endedRuns(rigged, jobId);
      await rigged.jobs.change('main', jobId, (it) => ({ ...it, schedule: yearly }));
      return run;
    };
    const beside = await runOf(true);
    expect(beside).toMatchObject({ triggeredAt: '2026-11-01T09:30:00.000Z', journeyId: null });
    expect(beside?.result).toMatchObject({ outcome: 'coalesced', reason: { code: 'REPEATED' }, occurrences: [] });
    expect((await runOf(false))?.result).toMatchObject({ outcome: 'succeeded' });
  });
});

describe('GAP-17 counts', () => {
  it('a single missed occurrence counts as missed, with and without overlap', async () => {
    await rigged.stopDispatching();
    const schedule = { type: 'once', runAt: new Date(secondsAhead(1_000)).toISOString() };
    const policies = { schedule, misfirePolicy: 'skip_missed' } as const;
    const jobs = [
      await rigged.jobs.create(job(policies), 'a'),
      await rigged.jobs.create(job({ ...policies, allowOverlap: true }), 'a'),
    ];
    // Until a worker starts the run, its outcome is unknown.
    for (const { jobId } of jobs) {
      await eventually(
        async () => (await rigged.jobs.runs('main', jobId, { pageSize: 1 })).items,
        (it) => it[0]?.phase === 'incoming',
      );
    }
    await sleep(graceMs + 2_000);
    for (const { jobId } of jobs) expect((await show(jobId)).occurrences).toMatchObject({ ran: 0, missed: 0 });
    await rigged.startDispatching();
    for (const { jobId } of jobs) {
      const shown = await eventually(
        () => show(jobId),
        ({ state }) => state === 'disabled',
      );
      expect(shown.occurrences).toMatchObject({ ran: 0, missed: 1 });
    }
  });

  it('occurrences after a run that no worker has started are not counted yet', async () => {
    await rigged.stopDispatching();
    const { jobId } = await rigged.jobs.create(job({ schedule: every(2) }), 'a');
    await eventually(
      async () => (await rigged.jobs.runs('main', jobId, { pageSize: 1 })).items,
      (it) => it[0]?.phase === 'incoming',
    );
    await sleep(4_500);
    expect((await show(jobId)).occurrences).toMatchObject({ ran: 0, missed: 0, overlapped: 0 });
    await rigged.startDispatching();
    await finished(jobId, 1);
    expect((await show(jobId)).occurrences.ran).toBeGreaterThanOrEqual(1);
  });

  it('a deleted job has no next time in Temporal, and a Schedule deleted there is recorded as deleted', async () => {
    const {
      jobs,
      rigged: { client },
    } = rigged;
    const nextTimes = async (jobId: string) => (await client.schedule.getHandle(jobId).describe()).info.nextActionTimes;
    const one = await jobs.create(job({ schedule: every(3_600) }), 'a');
    expect(await nextTimes(one.jobId)).not.toEqual([]);
    await jobs.change('main', one.jobId, (it) => ({ ...it, state: 'deleted' }));
    expect(await nextTimes(one.jobId)).toEqual([]);
    const other = await jobs.create(job({ schedule: every(3_600), name: 'gone' }), 'a');
    const before = await show(other.jobId);
    await client.schedule.getHandle(other.jobId).delete();
    expect(await jobs.bury(before)).toBe(true);
    expect(await jobs.bury(before)).toBe(false);
    expect(await show(other.jobId)).toMatchObject({ state: 'deleted', name: 'gone', nextRunAt: null });
    expect((await show(other.jobId)).note).toMatch(/^deleted by temporal: gone/);
    expect(await nextTimes(other.jobId)).toEqual([]);
  });
});
