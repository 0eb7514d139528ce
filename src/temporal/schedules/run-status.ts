import type { Client } from '@temporalio/client';
import { keys } from '../../../workflows/search-attributes.js';
import type { RunName } from '../../scheduling/bindings/record.js';
import { asProblem, isNotFound } from '../failures.js';
import { listedOf } from '../listed.js';
import { quoted } from '../quoted.js';

/** Whether a run is active, came to its own end, or was ended from outside without a chance to say so. */
export async function statusOf(client: Client, { id, run }: RunName): Promise<'active' | 'ended' | 'killed'> {
  const latest = await describe(client, id);
  // The id may have passed to another run since.
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

/** Whether a run of this id has done something and ended; skipped ones did nothing. */
export async function ranBefore(client: Client, workflowId: string): Promise<boolean> {
  const ended = "ExecutionStatus != 'Running' AND ExecutionStatus != 'ContinuedAsNew'";
  const query = `WorkflowId = ${quoted(workflowId)} AND ${ended}`;
  const { namespace } = client.options;
  const { executions } = await client.workflowService
    .listWorkflowExecutions({ namespace, query, pageSize: 20 })
    .catch((error) => Promise.reject(asProblem(error)));
  for (const raw of executions) {
    const { typedSearchAttributes } = await listedOf(client, raw);
    if (typedSearchAttributes.get(keys.JourneyOutcome) !== 'SKIPPED') return true;
  }
  return false;
}

/** The memo of a run; undefined when the server no longer keeps it. */
export async function memoOf(client: Client, { id, run }: RunName): Promise<Record<string, unknown> | undefined> {
  return (await describe(client, id, run))?.memo;
}

/** A run of a workflow id, the newest unless a run is named; undefined when the server no longer keeps it. */
async function describe(client: Client, workflowId: string, runId?: string) {
  return await client.workflow
    .getHandle(workflowId, runId)
    .describe()
    .catch((error) => {
      if (isNotFound(error)) return undefined;
      throw asProblem(error);
    });
}
