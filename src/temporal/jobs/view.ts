import type { Client } from '@temporalio/client';
import { describe } from '../../scheduling/cadence/describe.js';
import { cadenceOf, type JobRecord, type PublicJob } from '../../scheduling/jobs/record.js';
import type { JobSummary, JobView } from '../../service/jobs.js';
import { realTimes } from '../schedules/drift.js';
import { driftOf } from './drift.js';
import { accountNow, runsOf } from './occurrences.js';
import { closeOf, listDispatches } from './runs.js';
import type { JobSnapshot } from './snapshot.js';

/** What everybody may see of a record. */
export function publicJob({ changes: _, account: __, writtenUntil: ___, ...job }: JobRecord): PublicJob {
  return job;
}

/** A job as a list shows it. */
export async function summaryOf(client: Client, snapshot: JobSnapshot): Promise<JobSummary> {
  const [last] = (await listDispatches(client, runsOf(snapshot.record.jobId), { pageSize: 1 })).infos;
  const closing = last && (await closeOf(client, last));
  return {
    ...unrun(snapshot),
    lastRunAt: last?.startTime.toISOString() ?? null,
    lastResult: last ? { outcome: closing?.outcome ?? 'running', code: closing?.reason?.code ?? null } : null,
  };
}

type Unrun = Pick<JobSnapshot, 'record' | 'note' | 'next'>;

function unrun(snapshot: Unrun): JobSummary {
  const { record } = snapshot;
  return {
    ...publicJob(record),
    nextRunAt: nextRuns(snapshot)[0] ?? null,
    lastRunAt: null,
    lastResult: null,
    cadence: describe(cadenceOf(record)),
  };
}

/** A job that was made just now, and whose Schedule has started nothing yet. */
export function newView(snapshot: Unrun): JobView {
  const { through: _, ...occurrences } = snapshot.record.account;
  return {
    ...unrun(snapshot),
    note: snapshot.note,
    nextRuns: nextRuns(snapshot),
    activeRuns: [],
    occurrences,
    drift: [],
  };
}

/** A job as a whole. */
export async function viewOf(client: Client, snapshot: JobSnapshot): Promise<JobView> {
  const now = Date.now();
  const [summary, { through: _, ...occurrences }, active] = await Promise.all([
    summaryOf(client, snapshot),
    accountNow(client, snapshot, now),
    activeRuns(client, snapshot),
  ]);
  return {
    ...summary,
    note: snapshot.note,
    nextRuns: nextRuns(snapshot),
    activeRuns: active,
    occurrences,
    drift: driftOf(snapshot, now),
  };
}

/** When Temporal will start it by itself; never while it is paused or over. */
function nextRuns({ record, next }: Unrun): string[] {
  if (record.state !== 'enabled') return [];
  return realTimes(cadenceOf(record), next).map((time) => new Date(time).toISOString());
}

/** A Schedule does not follow runs that may overlap. */
async function activeRuns(client: Client, { record, running }: JobSnapshot): Promise<string[]> {
  if (!record.allowOverlap) return running.map(({ id }) => id);
  const query = `${runsOf(record.jobId)} AND ExecutionStatus = 'Running'`;
  const { infos } = await listDispatches(client, query, { pageSize: 100 });
  return infos.map(({ workflowId }) => workflowId);
}
