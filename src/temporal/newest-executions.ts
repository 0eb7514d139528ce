import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { quoted } from './quoted.js';
import { tsToMs } from './sdk.js';

/** How many ids stand in one query. */
const atOnce = 100;

/**
 * Those that are the newest execution of their workflow id. After `temporal workflow reset` a run has several, and is what the newest
 * one is.
 */
export async function newestOnly<T extends Pick<WorkflowExecutionInfo, 'workflowId' | 'runId' | 'status'>>(
  client: Client,
  infos: readonly T[],
): Promise<T[]> {
  // One that runs is the newest.
  const ended = infos.filter(({ status }) => status.name !== 'RUNNING').map(({ workflowId }) => workflowId);
  const newest = await newestRuns(client, [...new Set(ended)]);
  return infos.filter(
    ({ workflowId, runId, status }) => status.name === 'RUNNING' || (newest.get(workflowId) ?? runId) === runId,
  );
}

/** The run id of the newest execution of each of these. */
async function newestRuns(client: Client, ids: readonly string[]): Promise<Map<string, string>> {
  const newest = new Map<string, { runId: string; startedAt: number }>();
  for (let from = 0; from < ids.length; from += atOnce) {
    const some = ids
      .slice(from, from + atOnce)
      .map(quoted)
      .join(', ');
    // One that continued as new has a newer one.
    const query = `WorkflowId IN (${some}) AND ExecutionStatus != 'ContinuedAsNew'`;
    for await (const { execution, startTime } of executions(client, query)) {
      const { workflowId, runId } = execution ?? {};
      if (!workflowId || !runId) continue;
      const startedAt = tsToMs(startTime);
      if (startedAt > (newest.get(workflowId)?.startedAt ?? -1)) newest.set(workflowId, { runId, startedAt });
    }
  }
  return new Map([...newest].map(([id, { runId }]) => [id, runId]));
}

/** What Temporal lists. Not by the SDK, which decodes every memo: one that this process cannot read would end the list. */
export async function* executions(client: Client, query: string) {
  const { namespace } = client.options;
  let nextPageToken: Uint8Array = new Uint8Array();
  do {
    const page = await client.workflowService.listWorkflowExecutions({ namespace, query, nextPageToken });
    yield* page.executions;
    nextPageToken = page.nextPageToken;
  } while (nextPageToken.length > 0);
}
