import type { Client } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import { asProblem } from '../failures.js';
import { quoted } from '../list-runs.js';

const pageSize = 200;

/** A job as Temporal's list of Schedules has it, without its record. */
export interface JobEntry {
  readonly jobId: string;
  /** Another whenever something about the Schedule is: what is the same need not be read again. */
  readonly fingerprint: string;
}

/** The Schedules of all jobs, or of those of one orchestrator. */
export async function* jobEntries(client: Client, orchestratorId?: string): AsyncGenerator<JobEntry> {
  const { namespace } = client.options;
  const scope = orchestratorId === undefined ? '' : ` AND OrchestratorId = ${quoted(orchestratorId)}`;
  let token: Uint8Array | null | undefined = new Uint8Array();
  do {
    const page: temporal.api.workflowservice.v1.IListSchedulesResponse = await client.workflowService
      .listSchedules({
        namespace,
        query: `ScheduleKind = 'job'${scope}`,
        maximumPageSize: pageSize,
        nextPageToken: token,
      })
      .catch((error) => Promise.reject(asProblem(error)));
    for (const { scheduleId, info, searchAttributes } of page.schedules ?? [])
      yield { jobId: scheduleId ?? '', fingerprint: JSON.stringify([info, searchAttributes]) };
    token = page.nextPageToken;
  } while (token?.length);
}
