import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { emptyAccount } from '../../src/schedules/occurrence-counts.js';
import { changeJob } from '../../src/temporal/schedules/jobs/job-schedule.js';
import { eventually } from '../support/eventually.js';
import { expectAllAccounted } from '../temporal/support/accounted.js';
import { endedRuns, type JobRig, job, jobRig, total } from '../temporal/support/jobs.js';

let rigged: JobRig;
beforeAll(async () => {
  rigged = await jobRig();
});
afterAll(() => rigged.stop());

const missed = 500;

it(`R3-44: ${missed} missed occurrences with allowOverlap cause one run`, async () => {
  const { client, config } = rigged.rigged;
  await rigged.stopDispatching();
  // A Schedule after a long outage of the server, which starts a run for each missed time.
  const schedule = { type: 'cron', expression: '* * * * *', timezone: 'UTC' };
  const { jobId } = await rigged.jobs.create(job({ schedule, allowOverlap: true }), 'a');
  const end = Date.now();
  const start = end - missed * 60_000;
  const id = { orchestratorId: 'main', jobId, key: randomUUID() };
  await changeJob(client, config.temporal.taskQueue, id, ({ record }) => ({
    record: { ...record, account: { ...emptyAccount(start), coalesced: 0 } },
  }));
  await client.schedule
    .getHandle(jobId)
    .backfill([{ start: new Date(start), end: new Date(end), overlap: 'ALLOW_ALL' }]);
  const waiting = () => rigged.dispatcher.queue({ orchestratorId: 'main', phase: 'incoming', pageSize: 1_000 });
  await eventually(waiting, ({ items }) => items.filter((it) => it.jobId === jobId).length >= missed, {
    limitMs: 120_000,
  });
  await rigged.startDispatching();
  await eventually(
    async () => (await rigged.jobs.runs('main', jobId, { pageSize: 1_000 })).items,
    (it) => it.length >= missed && it.every(({ result }) => result),
    { limitMs: 300_000 },
  );
  await rigged.jobs.change('main', jobId, (it) => ({ ...it, state: 'paused' }));
  const runs = await endedRuns(rigged, jobId, missed);
  const counts = expectAllAccounted(schedule, runs);
  // Occurrences of the last minute, and those due meanwhile, are not late.
  expect(counts.run).toBeLessThanOrEqual(8);
  expect(counts.coalesced).toBeGreaterThanOrEqual(missed - 10);
  expect(Object.keys(counts).sort()).toEqual(['coalesced', 'run']);
  // Lists are ordered by close time; the newest is the one with the latest time.
  const newest = runs.reduce((a, b) => (a.triggeredAt > b.triggeredAt ? a : b));
  expect(newest.result?.outcome).toBe('succeeded');
  const view = await rigged.jobs.show('main', jobId);
  expect(view.occurrences.coalesced).toBe(counts.coalesced);
  expect(total(view)).toBeGreaterThanOrEqual(runs.length);
});
