import type { Client } from '@temporalio/client';
import type { DispatchMemo } from '../../../../workflows/dispatch/workflow-contract.js';
import { canonical } from '../../../base/json/value.js';
import { refuse } from '../../../base/problems/problem.js';
import type { Config } from '../../../config/config-types.js';
import { describeCadence } from '../../../schedules/cadence/describe-cadence.js';
import { enumerate, nextAfter } from '../../../schedules/cadence/occurrences.js';
import { isFinished, type JobRecord, jobCadence } from '../../../schedules/jobs/job-record.js';
import { emptyAccount } from '../../../schedules/occurrence-counts.js';
import type { JobRun, JobSummary, Jobs, JobView, ListJobs, NamedJob, NewJob } from '../../../service/jobs-interface.js';
import type { Page } from '../../../service/schedules-interface.js';
import { decodeMapFromPayloads } from '../../sdk-internals.js';
import type { ScheduleDescription } from '../describe-schedule.js';
import { listSchedules } from '../list-schedules.js';
import { isUnknown } from '../managed-schedule.js';
import { requestRunNow } from '../request-run-now.js';
import { runsOf } from '../scheduled-executions.js';
import { accountSoFar } from './job-occurrence-counts.js';
import { changeJob, type JobChange, type JobSnapshot, jobContents, jobSchedule, settleJob } from './job-schedule.js';
import { type JobEntry, jobEntries, jobQuery, jobSummary, jobView, newView, publicJob } from './list-and-view-jobs.js';
import { listDispatches, runOf } from './list-dispatches.js';

const atOnce = 20;
/** The number of times that Temporal lists. */
const timesShown = 10;
/** Tolerated clock difference: a one-off time further in the future had not passed on the server when it accepted the job. */
const clocksApartMs = 60_000;
/** Maximum number of jobs that one request may refer to. */
const mostRead = 100;

/** Rejects enabling a job without a future time. */
function refuseOver(record: JobRecord): void {
  if (record.state !== 'enabled' || nextAfter(jobCadence(record), Date.now()) !== undefined) return;
  refuse('CADENCE_IN_THE_PAST', 'All its times have passed.', {
    pointer: '/schedule',
    hint: 'Set a new schedule.',
  });
}

/** The author of changes that were made with Temporal's own tools. */
export const outside = 'temporal';

/** Jobs on Temporal. */
export class TemporalJobs implements Jobs {
  private readonly taskQueue: string;

  constructor(
    private readonly client: Client,
    { temporal }: Pick<Config, 'temporal'>,
  ) {
    this.taskQueue = temporal.taskQueue;
  }

  async create(job: NewJob, key: string): Promise<JobView> {
    const { client, taskQueue } = this;
    const { orchestratorId, jobId } = job;
    const record: JobRecord = { ...job, changes: [key], account: { ...emptyAccount(Date.now()), coalesced: 0 } };
    refuseOver(record);
    const managed = jobSchedule(client, jobId, orchestratorId);
    const contents = jobContents(taskQueue, { record, resetTimes: true });
    // The Schedule's own memo is immutable, so it survives if the action is rewritten before the first run.
    if (await managed.create(contents, { memo: { job: record } })) {
      const cadence = jobCadence(record);
      // Reading it back would cost the server half as much again as creating it.
      if (cadence.kind !== 'once' || cadence.at > Date.now() + clocksApartMs) {
        const next = enumerate(cadence, Date.now(), { count: timesShown });
        return newView({ record, note: contents.note, next });
      }
    } else if ((await managed.find())?.record.changes.at(-1) !== key)
      refuse('JOB_INVALID', 'A schedule with this id already exists.', { pointer: '/jobId' });
    const snapshot = await this.startedInTime(orchestratorId, jobId);
    const isNew = snapshot.record.changes.length === 1 && snapshot.recent.length === 0;
    return isNew ? newView(snapshot) : await jobView(client, snapshot);
  }

  /** A Schedule does not start runs that were due before it was created, so a one-off time that became due meanwhile is started here. */
  private async startedInTime(orchestratorId: string, jobId: string): Promise<JobSnapshot> {
    const managed = jobSchedule(this.client, jobId, orchestratorId);
    const snapshot = await managed.read();
    const { record, next, recent, running } = snapshot;
    const cadence = jobCadence(record);
    if (cadence.kind !== 'once' || record.state !== 'enabled') return snapshot;
    if (next.length > 0 || recent.length > 0 || running.length > 0 || cadence.at > Date.now()) return snapshot;
    const { overlapSkipped } = snapshot;
    return await managed.trigger('skip', { nominal: cadence.at, overlapSkipped });
  }

  async list(query: ListJobs): Promise<{ items: JobSummary[]; nextPageToken?: string }> {
    const filter = jobQuery(query.orchestratorId, query.state);
    const { entries, ...more } = await listSchedules(this.client, filter, query);
    const found: (JobSummary | undefined)[] = [];
    // A few at a time: each takes several requests.
    for (let i = 0; i < entries.length; i += atOnce)
      found.push(
        ...(await Promise.all(
          entries.slice(i, i + atOnce).map(({ scheduleId }) => this.listed(query.orchestratorId, scheduleId!)),
        )),
      );
    const items = found.filter((it) => it !== undefined).filter(({ state }) => !query.state || state === query.state);
    return { items, ...more };
  }

  /** A job that cannot be read does not prevent listing the others. */
  private async listed(orchestratorId: string, jobId: string): Promise<JobSummary | undefined> {
    try {
      return await jobSummary(this.client, await jobSchedule(this.client, jobId, orchestratorId).read());
    } catch (error) {
      if (isUnknown(error)) return undefined;
      const broken = await brokenSummary(this.client, orchestratorId, jobId);
      if (broken) return broken;
      throw error;
    }
  }

  /** All jobs, deleted ones included, without reading any. */
  entries(orchestratorId: string): AsyncGenerator<JobEntry> {
    return jobEntries(this.client, orchestratorId);
  }

  async named(orchestratorId: string, wanted: (job: NamedJob) => boolean): Promise<NamedJob[]> {
    const found: NamedJob[] = [];
    for await (const { jobId, name, state } of this.entries(orchestratorId))
      if (state !== 'deleted') found.push({ jobId, name, state });
    const read = new Map<string, Pick<NamedJob, 'schedule' | 'targetAction'>>();
    const asked = found.filter(wanted).slice(0, mostRead);
    for (let i = 0; i < asked.length; i += atOnce)
      await Promise.all(
        asked.slice(i, i + atOnce).map(async ({ jobId }) => {
          // Broken and deleted ones keep their names.
          const job = await jobSchedule(this.client, jobId, orchestratorId)
            .read()
            .catch(() => undefined);
          if (job) read.set(jobId, { schedule: job.record.schedule, targetAction: job.record.targetAction });
        }),
      );
    return found.map((job) => ({ ...job, ...read.get(job.jobId) }));
  }

  async show(orchestratorId: string, jobId: string): Promise<JobView> {
    return await jobView(this.client, await settleJob(this.client, this.taskQueue, orchestratorId, jobId));
  }

  async change(
    orchestratorId: string,
    jobId: string,
    decide: (record: JobRecord) => JobRecord | undefined,
    by?: string,
  ): Promise<JobView & { changed: boolean }> {
    let changed = false;
    const id = { orchestratorId, jobId };
    const snapshot = await changeJob(this.client, this.taskQueue, id, async (found) => {
      const next = decide(found.record);
      changed = next !== undefined;
      return next && { ...(await this.changeOf(found, next)), ...(by !== undefined && { by }) };
    });
    return { ...(await jobView(this.client, snapshot)), changed };
  }

  /** Closes the account if the cadence changes, or if the job is enabled or disabled, and continues from there. */
  private async changeOf(found: JobSnapshot, next: JobRecord): Promise<JobChange> {
    const before = found.record;
    const isNew = isFinished(before) && !isFinished(next);
    const retimes = isNew || canonical(before.schedule) !== canonical(next.schedule);
    if (next.state === 'enabled' && (retimes || before.state !== 'enabled')) refuseOver(next);
    const settles = retimes || isFinished(next) !== isFinished(before) || next.allowOverlap !== before.allowOverlap;
    const record = settles ? { ...next, account: await accountSoFar(this.client, found) } : next;
    const keepsNote = before.state === next.state && found.paused && found.note !== '';
    return { record, ...(retimes && { resetTimes: true }), ...(keepsNote && { note: found.note }) };
  }

  /** Replaces a job whose Schedule was deleted with Temporal's tools by a deleted job; false if the Schedule exists. */
  async bury(view: JobView): Promise<boolean> {
    const { nextRunAt: _, lastRunAt: __, lastResult: ___, cadence: ____, ...shown } = view;
    const { note: _____, nextRuns: ______, activeRuns: _______, drift: ________, occurrences, ...job } = shown;
    const now = new Date().toISOString();
    const account = { ...occurrences, through: now };
    const record: JobRecord = { ...job, state: 'deleted', updatedAt: now, changes: ['buried'], account };
    const contents = jobContents(this.taskQueue, { record, by: outside });
    return await jobSchedule(this.client, job.jobId).create(contents, { memo: { job: record } });
  }

  async repair(orchestratorId: string, jobId: string): Promise<JobView & { changed: boolean }> {
    const { snapshot, changed } = await repairJob(this.client, this.taskQueue, orchestratorId, jobId);
    return { ...(await jobView(this.client, snapshot)), changed };
  }

  async runNow(orchestratorId: string, jobId: string, requestId: string): Promise<{ executionId: string }> {
    await jobSchedule(this.client, jobId, orchestratorId).read();
    return { executionId: await requestRunNow(this.client, this.taskQueue, requestId, [jobId, 'job']) };
  }

  async runs(orchestratorId: string, jobId: string, page: Page): Promise<{ items: JobRun[]; nextPageToken?: string }> {
    await jobSchedule(this.client, jobId, orchestratorId).read();
    const { infos, ...more } = await listDispatches(this.client, runsOf(jobId), page);
    return { items: await Promise.all(infos.map((info) => runOf(this.client, info))), ...more };
  }
}

/** Undoes changes that were made to the Schedule of a job outside Journeyman; returns whether there were any. */
async function repairJob(
  client: Client,
  taskQueue: string,
  orchestratorId: string,
  jobId: string,
): Promise<{ snapshot: JobSnapshot; changed: boolean }> {
  return await jobSchedule(client, jobId, orchestratorId).repair(
    async (broken) => {
      const record = (await newestRecord(client, broken, jobId)) ?? refuseLost(jobId);
      const state = broken.paused && record.state === 'enabled' ? 'paused' : record.state;
      return jobContents(taskQueue, { record: { ...record, state }, resetTimes: true });
    },
    async (found, drift) => {
      if (drift.length === 0) return undefined;
      const record = { ...found.record, account: await accountSoFar(client, found) };
      return jobContents(taskQueue, { record, resetTimes: true, ...(found.paused && { note: found.note }) });
    },
  );
}

function refuseLost(jobId: string): never {
  return refuse('SCHEDULE_BROKEN', `The record of the job ${jobId} is lost, and there is no run to restore it from.`, {
    hint: 'Delete the job and create it again.',
  });
}

/** The newest available record: from a run, else from the Schedule's own memo, which has the initial one. */
async function newestRecord(
  client: Client,
  { raw }: ScheduleDescription,
  jobId: string,
): Promise<JobRecord | undefined> {
  const { infos } = await listDispatches(client, runsOf(jobId), { pageSize: 10 });
  const ofRuns = infos.map(({ memo }) => ((memo ?? {}) as DispatchMemo).job);
  const created = (await decodeMapFromPayloads(client.options.loadedDataConverter, raw.memo?.fields)) as DispatchMemo;
  const records = [...ofRuns, created?.job].filter((it) => it !== undefined);
  return records.sort((a, b) => Date.parse(b.updatedAt) - Date.parse(a.updatedAt))[0];
}

/** List entry of a job that lost its record; undefined if the error has another cause. */
async function brokenSummary(client: Client, orchestratorId: string, jobId: string): Promise<JobSummary | undefined> {
  const broken = await jobSchedule(client, jobId, orchestratorId).findBroken();
  const record = broken && (await newestRecord(client, broken, jobId));
  if (!record) return undefined;
  return {
    ...publicJob(record),
    nextRunAt: null,
    lastRunAt: null,
    lastResult: { outcome: 'failed', code: 'SCHEDULE_BROKEN' },
    cadence: describeCadence(jobCadence(record)),
    drift: [],
  };
}
