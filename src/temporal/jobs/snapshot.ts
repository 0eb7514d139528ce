import type { Client } from '@temporalio/client';
import { ProblemError, refuse } from '../../problems/problem.js';
import { isOver, type JobRecord } from '../../scheduling/jobs/record.js';
import { keyword } from '../schedules/keywords.js';
import { type Broken, type ReadSchedule, readSchedule } from '../schedules/snapshot.js';

/** A job as its Schedule shows it at one moment. */
export interface JobSnapshot extends Broken {
  /** Its state is the one that counts: `temporal schedule pause|unpause` says whether a job that is not over is paused. */
  readonly record: JobRecord;
}

/** A job of an orchestrator; JOB_UNKNOWN for those of others, and SCHEDULE_BROKEN when something rewrote its action. */
export async function describeJob(client: Client, orchestratorId: string, jobId: string): Promise<JobSnapshot> {
  const found = await findJob(client, jobId);
  return found?.record.orchestratorId === orchestratorId ? found : refuseUnknown();
}

function refuseUnknown(): never {
  return refuse('JOB_UNKNOWN', 'There is no such job in this orchestrator.');
}

/** The job with that id, whoever it belongs to. */
export async function findJob(client: Client, jobId: string): Promise<JobSnapshot | undefined> {
  const read = await readSchedule(client, jobId);
  return read && jobOf(read, jobId);
}

function jobOf({ memo, ...seen }: ReadSchedule, jobId: string): JobSnapshot | undefined {
  const record = memo?.job as JobRecord | undefined;
  if (record) return { ...seen, record: { ...record, state: stateOf(record, seen.paused) } };
  if (!isJob(seen)) return undefined;
  return refuse('SCHEDULE_BROKEN', `Something else than Journeyman rewrote the action of the job ${jobId}.`, {
    hint: 'Repair it, or delete it and make it again.',
  });
}

/** A Schedule of a job that has lost its record; undefined when nothing is wrong with it. */
export async function findBrokenJob(
  client: Client,
  orchestratorId: string,
  jobId: string,
): Promise<Broken | undefined> {
  const read = await readSchedule(client, jobId);
  if (!read || read.memo?.job || !isJob(read)) return undefined;
  if (attribute(read, 'OrchestratorId') !== orchestratorId) return refuseUnknown();
  const { memo: _, ...broken } = read;
  return broken;
}

/** Its search attributes outlive what `temporal schedule update` does to its action. */
function isJob(read: Broken): boolean {
  return attribute(read, 'ScheduleKind') === 'job';
}

function attribute({ raw }: Broken, name: string): string | undefined {
  return keyword(raw.searchAttributes?.indexedFields?.[name]?.data);
}

function stateOf(record: JobRecord, paused: boolean): JobRecord['state'] {
  if (isOver(record)) return record.state;
  return paused ? 'paused' : 'enabled';
}

/** What `describeJob` refuses with. */
export function isJobUnknown(error: unknown): boolean {
  return error instanceof ProblemError && error.problem.code === 'JOB_UNKNOWN';
}
