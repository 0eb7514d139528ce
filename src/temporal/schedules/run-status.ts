import type { Client } from '@temporalio/client';
import type { RunName } from '../../scheduling/bindings/record.js';
import { asProblem, isNotFound } from '../failures.js';

/** Whether a run is active, came to its own end, or was ended from outside without a chance to say so. */
export async function statusOf(client: Client, { id, run }: RunName): Promise<'active' | 'ended' | 'killed'> {
  const latest = await describe(client, id);
  // The id may have been given to another run since.
  const ours =
    !latest || latest.raw.workflowExecutionInfo?.firstRunId === run ? latest : await describe(client, id, run);
  switch (ours?.status.name) {
    case 'RUNNING':
    case 'PAUSED':
      return 'active';
    case 'TERMINATED':
    case 'TIMED_OUT':
      return 'killed';
    default:
      return 'ended';
  }
}

/** A run of a workflow id, the newest unless it says which; undefined when the server keeps it no more. */
async function describe(client: Client, workflowId: string, runId?: string) {
  return await client.workflow
    .getHandle(workflowId, runId)
    .describe()
    .catch((error) => {
      if (isNotFound(error)) return undefined;
      throw asProblem(error);
    });
}
