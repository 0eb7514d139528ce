import type { Client } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import type { Page } from '../../service/schedules-interface.js';
import { asProblem } from '../classify-temporal-errors.js';
import { nextPage, pageToken } from '../page-token.js';

/** A Schedule as Temporal's list shows it, without its record. */
export type ScheduleEntry = temporal.api.schedule.v1.IScheduleListEntry;

const pageSize = 200;

/** One page of the Schedules that match a visibility query. */
export async function listSchedules(
  client: Client,
  query: string,
  page: Page,
): Promise<{ entries: ScheduleEntry[]; nextPageToken?: string }> {
  const { schedules, nextPageToken } = await client.workflowService
    .listSchedules({
      namespace: client.options.namespace,
      query,
      maximumPageSize: page.pageSize,
      nextPageToken: pageToken(page.pageToken, query),
    })
    .catch((error) => Promise.reject(asProblem(error)));
  return { entries: schedules, ...nextPage(nextPageToken, query) };
}

/** All Schedules that match a visibility query. */
export async function* allSchedules(client: Client, query: string): AsyncGenerator<ScheduleEntry & { id: string }> {
  let next: string | undefined;
  do {
    const page = await listSchedules(client, query, { pageSize, ...(next !== undefined && { pageToken: next }) });
    for (const entry of page.entries) yield { ...entry, id: entry.scheduleId ?? '' };
    next = page.nextPageToken;
  } while (next !== undefined);
}
