import type { Client } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import type { JobState } from '../../scheduling/jobs/record.js';
import { asProblem } from '../failures.js';
import { quoted } from '../quoted.js';
import { keyword, keywords } from '../schedules/keywords.js';

const pageSize = 200;

/** A job as Temporal's list of Schedules has it, without its record. */
export interface JobEntry {
  readonly jobId: string;
  /** Another whenever something about the Schedule is: what is the same need not be read again. */
  readonly fingerprint: string;
  readonly name: string | null;
  readonly state: JobState;
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
      yield {
        jobId: scheduleId ?? '',
        fingerprint: JSON.stringify([info, searchAttributes]),
        name: nameOf(searchAttributes),
        state: stateOf(info, searchAttributes),
      };
    token = page.nextPageToken;
  } while (token?.length);
}

type Attributes = temporal.api.common.v1.ISearchAttributes | null | undefined;

function nameOf(attributes: Attributes): string | null {
  const tag = keywords(attributes?.indexedFields?.JourneyTags?.data).find((it) => it.startsWith('name='));
  return tag === undefined ? null : tag.slice('name='.length);
}

function stateOf(
  info: temporal.api.schedule.v1.IScheduleListInfo | null | undefined,
  attributes: Attributes,
): JobState {
  const over = keyword(attributes?.indexedFields?.JourneyOutcome?.data);
  if (over === 'DISABLED' || over === 'DELETED') return over === 'DELETED' ? 'deleted' : 'disabled';
  return info?.paused ? 'paused' : 'enabled';
}
