import { type Client, WorkflowExecutionAlreadyStartedError, WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure, WorkflowIdConflictPolicy, WorkflowIdReusePolicy } from '@temporalio/common';
import { runNowWorkflow } from '../../../workflows/input.js';
import type { runNow } from '../../../workflows/run-now.js';
import { isProblem, ProblemError, refuse } from '../../problems/problem.js';
import { asProblem, isUnanswered } from '../failures.js';

const answerMs = 15_000;

/** Starts one run of a schedule and answers its id; the same request id is the same run. */
export async function askRunNow(
  client: Client,
  taskQueue: string,
  requestId: string,
  args: Parameters<typeof runNow>,
): Promise<string> {
  const workflowId = `run-now/${args[0]}/${requestId}`;
  try {
    const handle = await client.workflow.start(runNowWorkflow, {
      workflowId,
      taskQueue,
      args,
      workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
      workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE_FAILED_ONLY,
    });
    return await answerOf(client, handle.workflowId);
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return await answerOf(client, workflowId);
    if (isUnanswered(error)) refuse('RUN_UNRESPONSIVE', 'No worker took the request in time; the run may still start.');
    throw asProblem(error);
  }
}

async function answerOf(client: Client, workflowId: string): Promise<string> {
  try {
    return await client.withDeadline(Date.now() + answerMs, () => client.workflow.getHandle(workflowId).result());
  } catch (error) {
    const cause = error instanceof WorkflowFailedError ? error.cause : undefined;
    const detail = cause instanceof ApplicationFailure ? cause.details?.[0] : undefined;
    throw isProblem(detail) ? new ProblemError(detail) : error;
  }
}
