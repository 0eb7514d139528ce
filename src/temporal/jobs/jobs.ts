import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import type { Config } from '../../config/config.js';
import { canonical } from '../../json/value.js';
import { refuse } from '../../problems/problem.js';
import { enumerate, nextAfter } from '../../scheduling/cadence/occurrences.js';
import { noAccount } from '../../scheduling/jobs/account.js';
import { cadenceOf, isOver, type JobRecord, type JobState } from '../../scheduling/jobs/record.js';
import type { JobRun, JobSummary, Jobs, JobView, ListJobs, NamedJob, NewJob } from '../../service/jobs.js';
import type { Page } from '../../service/schedules.js';
import { asProblem, isAlreadyThere } from '../failures.js';
import { nextPage, pageToken } from '../page-token.js';
import { quoted } from '../quoted.js';
import { askRunNow } from '../schedules/ask-run-now.js';
import { trigger } from '../schedules/trigger.js';
import { encodeMapToPayloads } from '../sdk.js';
import { changeJob, encodeJob, type JobChange } from './change.js';
import { type JobEntry, jobEntries } from './entries.js';
import { accountSoFar, runsOf } from './occurrences.js';
import { brokenSummary, repairJob } from './repair.js';
import { listDispatches, runOf } from './runs.js';
import { settleJob } from './settle.js';
import { describeJob, findJob, isJobUnknown, type JobSnapshot } from './snapshot.js';
import { newView, summaryOf, viewOf } from './view.js';

const atOnce = 20;
/** As many as Temporal tells. */
const timesShown = 10;
/** A single time that comes later than this was surely not past for the server when it took the job. */
const clocksApartMs = 60_000;
/** More jobs than one can speak of at once. */
const mostRead = 100;

const stateQuery: Record<JobState, string> = {
  enabled: 'TemporalSchedulePaused = false AND JourneyOutcome IS NULL',
  paused: 'TemporalSchedulePaused = true AND JourneyOutcome IS NULL',
  disabled: "JourneyOutcome = 'DISABLED'",
  deleted: "JourneyOutcome = 'DELETED'",
};

const notDeleted = "(JourneyOutcome IS NULL OR JourneyOutcome = 'DISABLED')";

/** A job that is enabled has a time to run at. */
function refuseOver(record: JobRecord): void {
  if (record.state !== 'enabled' || nextAfter(cadenceOf(record), Date.now()) !== undefined) return;
  refuse('CADENCE_IN_THE_PAST', 'All its times have passed.', {
    pointer: '/schedule',
    hint: 'Give it a new schedule.',
  });
}

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
    const record: JobRecord = { ...job, changes: [key], account: noAccount(Date.now()) };
    refuseOver(record);
    const { namespace, identity, loadedDataConverter } = client.options;
    const written = await encodeJob(client, taskQueue, { record, retimes: true });
    try {
      await client.workflowService.createSchedule({
        namespace,
        identity,
        requestId: randomUUID(),
        scheduleId: jobId,
        schedule: written.schedule,
        searchAttributes: { indexedFields: written.searchAttributes },
        // It cannot be changed, not even by accident: what is left when Temporal's tools rewrite the action before the first run.
        memo: { fields: await encodeMapToPayloads(loadedDataConverter, { job: record }) },
      });
      const cadence = cadenceOf(record);
      // Reading it back would cost the server half as much again as making it.
      if (cadence.kind !== 'once' || cadence.at > Date.now() + clocksApartMs)
        return newView({
          record,
          note: written.schedule.state?.notes ?? '',
          next: enumerate(cadence, Date.now(), { count: timesShown }),
        });
    } catch (error) {
      if (!isAlreadyThere(error)) throw asProblem(error);
      const there = await findJob(client, jobId);
      if (there?.record.orchestratorId !== orchestratorId || there.record.changes.at(-1) !== key)
        refuse('JOB_INVALID', 'There is a schedule of that id already.', { pointer: '/jobId' });
    }
    const snapshot = await this.startedInTime(orchestratorId, jobId);
    const isNew = snapshot.record.changes.length === 1 && snapshot.recent.length === 0;
    return isNew ? newView(snapshot) : await viewOf(client, snapshot);
  }

  /** A Schedule starts nothing that was due before the server had it: a single time that came just then is started here. */
  private async startedInTime(orchestratorId: string, jobId: string): Promise<JobSnapshot> {
    const { client } = this;
    const snapshot = await describeJob(client, orchestratorId, jobId);
    const { record, next, recent, running } = snapshot;
    const cadence = cadenceOf(record);
    if (cadence.kind !== 'once' || record.state !== 'enabled') return snapshot;
    if (next.length > 0 || recent.length > 0 || running.length > 0 || cadence.at > Date.now()) return snapshot;
    const { overlapSkipped } = snapshot;
    return await trigger(client, jobId, 'skip', { nominal: cadence.at, overlapSkipped }, () =>
      describeJob(client, orchestratorId, jobId),
    );
  }

  async list(query: ListJobs): Promise<{ items: JobSummary[]; nextPageToken?: string }> {
    const { client } = this;
    const filter = [
      "ScheduleKind = 'job'",
      `OrchestratorId = ${quoted(query.orchestratorId)}`,
      query.state ? stateQuery[query.state] : notDeleted,
    ].join(' AND ');
    const { schedules, nextPageToken } = await client.workflowService
      .listSchedules({
        namespace: client.options.namespace,
        query: filter,
        maximumPageSize: query.pageSize,
        nextPageToken: pageToken(query.pageToken, filter),
      })
      .catch((error) => Promise.reject(asProblem(error)));
    const found: (JobSummary | undefined)[] = [];
    // A few at a time: each is several questions to the server.
    for (let i = 0; i < schedules.length; i += atOnce)
      found.push(
        ...(await Promise.all(
          schedules.slice(i, i + atOnce).map(({ scheduleId }) => this.listed(query.orchestratorId, scheduleId!)),
        )),
      );
    const items = found.filter((it) => it !== undefined).filter(({ state }) => !query.state || state === query.state);
    return { items, ...nextPage(nextPageToken, filter) };
  }

  /** One job that cannot be read does not keep the others from being listed. */
  private async listed(orchestratorId: string, jobId: string): Promise<JobSummary | undefined> {
    try {
      return await summaryOf(this.client, await describeJob(this.client, orchestratorId, jobId));
    } catch (error) {
      if (isJobUnknown(error)) return undefined;
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
    const read = new Map<string, NamedJob['schedule']>();
    const asked = found.filter(wanted).slice(0, mostRead);
    for (let i = 0; i < asked.length; i += atOnce)
      await Promise.all(
        asked.slice(i, i + atOnce).map(async ({ jobId }) => {
          // One that is broken or gone can still be spoken about.
          const job = await describeJob(this.client, orchestratorId, jobId).catch(() => undefined);
          if (job) read.set(jobId, job.record.schedule);
        }),
      );
    return found.map((job) => ({ ...job, ...(read.has(job.jobId) && { schedule: read.get(job.jobId)! }) }));
  }

  async show(orchestratorId: string, jobId: string): Promise<JobView> {
    return await viewOf(this.client, await settleJob(this.client, this.taskQueue, orchestratorId, jobId));
  }

  async change(
    orchestratorId: string,
    jobId: string,
    decide: (record: JobRecord) => JobRecord | undefined,
    by?: string,
  ): Promise<JobView & { changed: boolean }> {
    let changed = false;
    const id = { orchestratorId, jobId, key: randomUUID() };
    const snapshot = await changeJob(this.client, this.taskQueue, id, async (found) => {
      const next = decide(found.record);
      changed = next !== undefined;
      return next && { ...(await this.becoming(found, next)), ...(by !== undefined && { by }) };
    });
    return { ...(await viewOf(this.client, snapshot)), changed };
  }

  /** A cadence that changes, and a job that is switched off or on, begin a new account from what the old one had come to. */
  private async becoming(found: JobSnapshot, next: JobRecord): Promise<JobChange> {
    const before = found.record;
    const isNew = isOver(before) && !isOver(next);
    const retimes = isNew || canonical(before.schedule) !== canonical(next.schedule);
    if (next.state === 'enabled' && (retimes || before.state !== 'enabled')) refuseOver(next);
    const settles = retimes || isOver(next) !== isOver(before) || next.allowOverlap !== before.allowOverlap;
    const record = settles ? { ...next, account: await accountSoFar(this.client, found) } : next;
    const keepsNote = before.state === next.state && found.paused && found.note !== '';
    return { record, ...(retimes && { retimes: true }), ...(keepsNote && { note: found.note }) };
  }

  async repair(orchestratorId: string, jobId: string): Promise<JobView & { changed: boolean }> {
    const { snapshot, changed } = await repairJob(this.client, this.taskQueue, orchestratorId, jobId);
    return { ...(await viewOf(this.client, snapshot)), changed };
  }

  async runNow(orchestratorId: string, jobId: string, requestId: string): Promise<{ executionId: string }> {
    await describeJob(this.client, orchestratorId, jobId);
    return { executionId: await askRunNow(this.client, this.taskQueue, requestId, [jobId, 'job']) };
  }

  async runs(orchestratorId: string, jobId: string, page: Page): Promise<{ items: JobRun[]; nextPageToken?: string }> {
    await describeJob(this.client, orchestratorId, jobId);
    const { infos, ...more } = await listDispatches(this.client, runsOf(jobId), page);
    return { items: await Promise.all(infos.map((info) => runOf(this.client, info))), ...more };
  }
}
