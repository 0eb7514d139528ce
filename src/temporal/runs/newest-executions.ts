import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { queryLiteral } from '../query-literal.js';
import { tsToMs } from '../sdk-internals.js';

/** Number of ids per query. */
const atOnce = 100;

/**
 * Filters executions to the newest of each workflow id. After `temporal workflow reset` a run has several executions, of which the newest
 * counts.
 */
export async function newestOnly<T extends Pick<WorkflowExecutionInfo, 'workflowId' | 'runId' | 'status'>>(
  client: Client,
  infos: readonly T[],
): Promise<T[]> {
  // A running execution is the newest.
  const ended = infos.filter(({ status }) => status.name !== 'RUNNING').map(({ workflowId }) => workflowId);
  const newest = await newestRuns(client, [...new Set(ended)]);
  return infos.filter(
    ({ workflowId, runId, status }) => status.name === 'RUNNING' || (newest.get(workflowId) ?? runId) === runId,
  );
}

/** The run id of the newest execution of each workflow. */
async function newestRuns(client: Client, ids: readonly string[]): Promise<Map<string, string>> {
  const newest = new Map<string, { runId: string; startedAt: number }>();
  for (let from = 0; from < ids.length; from += atOnce) {
    const some = ids
      .slice(from, from + atOnce)
      .map(queryLiteral)
      .join(', ');
    // An execution that continued as new has a successor.
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

/** Lists executions without the SDK, which decodes every memo and would fail on one that this process cannot decrypt. */
export async function* executions(client: Client, query: string) {
  const { namespace } = client.options;
  let nextPageToken: Uint8Array = new Uint8Array();
  do {
    const page = await client.workflowService.listWorkflowExecutions({ namespace, query, nextPageToken });
    yield* page.executions;
    nextPageToken = page.nextPageToken;
  } while (nextPageToken.length > 0);
}
