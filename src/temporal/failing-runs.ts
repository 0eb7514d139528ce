import type { Client } from '@temporalio/client';
import { areRuns } from './list-runs.js';

/** A run that cannot go on: its workflow tasks fail, and are retried until a worker can do them. */
export interface FailingRun {
  readonly id: string;
  /** How often its current task has been tried. */
  readonly attempt: number;
  readonly journey: string;
}

/** Runs of journeys, also one that was started by hand and has no name yet, and our own workflows. */
const ours = `(${areRuns} OR WorkflowType = 'journey' OR WorkflowType STARTS_WITH 'journeyman.')`;
const running = `${ours} AND ExecutionStatus = 'Running'`;
/** Set by the server after a few failures in a row; older servers do not have it. */
const reported = `${running} AND TemporalReportedProblems IS NOT NULL`;
const most = 20;
/** How many of the newest runs are checked one by one: they may have failed too few times to be reported. */
const lookedAt = 100;

/** Running runs whose last workflow task failed, at most `most` of them. */
export async function failingRuns(client: Client): Promise<FailingRun[]> {
  const ids = await Promise.all([list(client, reported, most).catch(() => []), list(client, running, lookedAt)]);
  const found = await Promise.all([...new Set(ids.flat())].map((id) => attemptOf(client, id)));
  return found.filter((it) => it !== undefined).slice(0, most);
}

async function list(client: Client, query: string, pageSize: number): Promise<string[]> {
  const { namespace } = client.options;
  const { executions } = await client.workflowService.listWorkflowExecutions({ namespace, query, pageSize });
  return executions.flatMap(({ execution }) => execution?.workflowId ?? []);
}

async function attemptOf(client: Client, workflowId: string): Promise<FailingRun | undefined> {
  const { namespace } = client.options;
  const { pendingWorkflowTask, workflowExecutionInfo } = await client.workflowService.describeWorkflowExecution({
    namespace,
    execution: { workflowId },
  });
  const attempt = pendingWorkflowTask?.attempt ?? 0;
  if (attempt <= 1) return undefined;
  const name = workflowExecutionInfo?.searchAttributes?.indexedFields?.JourneyName?.data;
  const text = name && (JSON.parse(new TextDecoder().decode(name)) as unknown);
  return { id: workflowId, attempt, journey: typeof text === 'string' ? text : '' };
}
