import type { Client } from '@temporalio/client';
import type { JobState } from '../../../schedules/jobs/job-record.js';
import { queryLiteral } from '../../query-literal.js';
import { keyword, readTags } from '../describe-schedule.js';
import { allSchedules, type ScheduleEntry } from '../list-schedules.js';

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
