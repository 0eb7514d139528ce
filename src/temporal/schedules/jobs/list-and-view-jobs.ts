import type { Client } from '@temporalio/client';
import { describeCadence } from '../../../schedules/cadence/describe-cadence.js';
import { type JobRecord, type JobState, jobCadence, type PublicJob } from '../../../schedules/jobs/job-record.js';
import type { JobSummary, JobView } from '../../../service/jobs-interface.js';
import { queryLiteral } from '../../query-literal.js';
import { realTimes } from '../check-and-extend-start-times.js';
import { keyword, readTags } from '../describe-schedule.js';
import { allSchedules, type ScheduleEntry } from '../list-schedules.js';
import { runsOf } from '../scheduled-executions.js';
import { accountNow } from './job-occurrence-counts.js';
import { type JobSnapshot, jobSchedule } from './job-schedule.js';
import { closeOf, listDispatches } from './list-dispatches.js';

const stateQuery: Record<JobState, string> = {
  enabled: 'TemporalSchedulePaused = false AND JourneyOutcome IS NULL',
  paused: 'TemporalSchedulePaused = true AND JourneyOutcome IS NULL',
  disabled: "JourneyOutcome = 'DISABLED'",
  deleted: "JourneyOutcome = 'DELETED'",
};

const notDeleted = "(JourneyOutcome IS NULL OR JourneyOutcome = 'DISABLED')";

/** The query for jobs in a state, by default all that are not deleted. */
export function jobQuery(orchestratorId: string, state?: JobState): string {
  return `${allJobs(orchestratorId)} AND ${state ? stateQuery[state] : notDeleted}`;
}

function allJobs(orchestratorId?: string): string {
  return `ScheduleKind = 'job'${orchestratorId === undefined ? '' : ` AND OrchestratorId = ${queryLiteral(orchestratorId)}`}`;
}

/** A job as Temporal's list of Schedules shows it, without its record. */
export interface JobEntry {
  readonly jobId: string;
  /** Changes whenever the Schedule does: an unchanged job need not be read again. */
  readonly fingerprint: string;
  readonly name: string | null;
  readonly state: JobState;
}

/** All jobs, deleted ones included, or those of one orchestrator. */
export async function* jobEntries(client: Client, orchestratorId?: string): AsyncGenerator<JobEntry> {
  for await (const entry of allSchedules(client, allJobs(orchestratorId)))
    yield {
      jobId: entry.id,
      fingerprint: JSON.stringify([entry.info, entry.searchAttributes]),
      name: readTags(entry).name ?? null,
      state: stateOf(entry),
    };
}

function stateOf(entry: ScheduleEntry): JobState {
  const over = keyword(entry, 'JourneyOutcome');
  if (over === 'DISABLED' || over === 'DELETED') return over === 'DELETED' ? 'deleted' : 'disabled';
  return entry.info?.paused ? 'paused' : 'enabled';
}

/** The public part of a job's record. */
export function publicJob({ changes: _, account: __, writtenUntil: ___, ...job }: JobRecord): PublicJob {
  return job;
}

/** The list entry of a job. */
export async function jobSummary(client: Client, snapshot: JobSnapshot): Promise<JobSummary> {
  const [last] = (await listDispatches(client, runsOf(snapshot.record.jobId), { pageSize: 1 })).infos;
  const closing = last && (await closeOf(client, last));
  return {
    ...newSummary(snapshot),
    lastRunAt: last?.startTime.toISOString() ?? null,
    lastResult: last ? { outcome: closing?.outcome ?? 'running', code: closing?.reason?.code ?? null } : null,
    drift: jobSchedule(client, snapshot.record.jobId).drift(snapshot),
  };
}

type NewJobSnapshot = Pick<JobSnapshot, 'record' | 'note' | 'next'>;

function newSummary(snapshot: NewJobSnapshot): JobSummary {
  const { record } = snapshot;
  return {
    ...publicJob(record),
    nextRunAt: nextRuns(snapshot)[0] ?? null,
    lastRunAt: null,
    lastResult: null,
    cadence: describeCadence(jobCadence(record)),
    drift: [],
  };
}

/** The view of a job that was just created and has no runs yet. */
export function newView(snapshot: NewJobSnapshot): JobView {
  const { through: _, ...occurrences } = snapshot.record.account;
  return {
    ...newSummary(snapshot),
    note: snapshot.note,
    nextRuns: nextRuns(snapshot),
    activeRuns: [],
    occurrences,
  };
}

/** The view of a job. */
export async function jobView(client: Client, snapshot: JobSnapshot): Promise<JobView> {
  const now = Date.now();
  const [summary, { through: _, ...occurrences }, active] = await Promise.all([
    jobSummary(client, snapshot),
    accountNow(client, snapshot, now),
    activeRuns(client, snapshot),
  ]);
  return {
    ...summary,
    note: snapshot.note,
    nextRuns: nextRuns(snapshot),
    activeRuns: active,
    occurrences,
  };
}

/** The next start times; none while the job is paused or over. */
function nextRuns({ record, next }: NewJobSnapshot): string[] {
  if (record.state !== 'enabled') return [];
  return realTimes(jobCadence(record), next).map((time) => new Date(time).toISOString());
}

/** A Schedule does not follow runs that may overlap. */
async function activeRuns(client: Client, { record, running }: JobSnapshot): Promise<string[]> {
  if (!record.allowOverlap) return running.map(({ id }) => id);
  const query = `${runsOf(record.jobId)} AND ExecutionStatus = 'Running'`;
  const { infos } = await listDispatches(client, query, { pageSize: 100 });
  return infos.map(({ workflowId }) => workflowId);
}
