import type { Client } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import { asProblem } from '../classify-temporal-errors.js';

/** The events of one execution, the newest first. */
export async function* eventsBackwards(
  client: Client,
  execution: { workflowId: string; runId: string },
  pageSize = 100,
): AsyncGenerator<temporal.api.history.v1.IHistoryEvent, undefined> {
  const { namespace } = client.options;
  let nextPageToken: Uint8Array | null | undefined;
  do {
    const page = await client.workflowService
      .getWorkflowExecutionHistoryReverse({
        namespace,
        execution,
        maximumPageSize: pageSize,
        ...(nextPageToken && { nextPageToken }),
      })
      .catch((error) => Promise.reject(asProblem(error)));
    yield* page.history?.events ?? [];
    nextPageToken = page.nextPageToken;
  } while (nextPageToken?.length);
  return undefined;
}
