import type { Client } from '@temporalio/client';
import { pipelineId } from '../../../workflows/pipeline/workflow-contract.js';
import { ProblemError, problem } from '../../base/problems/problem.js';
import { asProblem, isFailing, isUnanswered, isWithdrawnUpdate } from '../classify-temporal-errors.js';
import { pollersOf } from '../queue-pollers.js';
import { whyTaskFails } from '../runs/run-diagnostics.js';

/** Longest search for the reason: the caller has waited already. */
const lookMs = 3_000;

/** The problem for a caller without an answer: workflow tasks fail, no worker polls, or the pipeline is slow. */
export async function unansweredProblem(
  client: Client,
  name: string,
  error: unknown,
  { publisher = false } = {},
): Promise<ProblemError> {
  if (!isUnanswered(error) && !isWithdrawnUpdate(error)) return asProblem(error);
  const found = await client
    .withDeadline(Date.now() + lookMs, () => reason(client, name, error, publisher))
    .catch(asProblem);
  const { code, detail } = found.problem;
  if (!publisher || code !== 'PIPELINE_UNRESPONSIVE') return found;
  return new ProblemError({ ...found.problem, detail: `${detail} It may still handle the message.` });
}

async function reason(client: Client, name: string, error: unknown, publisher: boolean): Promise<ProblemError> {
  const { namespace } = client.options;
  const workflowId = pipelineId(name);
  const { pendingWorkflowTask, executionConfig } = await client.workflowService.describeWorkflowExecution({
    namespace,
    execution: { workflowId },
  });
  const attempt = pendingWorkflowTask?.attempt ?? 0;
  const why = async () => {
    const { cause, reason: text } = await whyTaskFails(client, workflowId);
    // Publishers need not be operators, and the text of an error may contain data.
    return text && !publisher ? `${cause} (${text.slice(0, 300)})` : cause;
  };
  if (attempt > 1)
    return unresponsive(
      `The workflow tasks of the pipeline ${name} fail, ${attempt - 1} times so far: ${await why()}.`,
      'Nothing it acknowledged is lost. It continues as soon as a worker can complete them: see the worker log, and journeyman doctor.',
    );
  if (isFailing(error))
    return unresponsive(
      `The pipeline ${name} was ended while its workflow tasks failed: ${await why()}.`,
      'Nothing it acknowledged is lost. Publish, trigger or deploy: that brings it back.',
    );
  const taskQueue = executionConfig?.taskQueue?.name ?? '';
  const { works, at } = await pollersOf(client, taskQueue);
  if (!works) return unresponsive(`No worker serves the pipeline ${name}: none polls its task queue ${taskQueue}.`);
  if (isWithdrawnUpdate(error))
    return unresponsive(
      `The pipeline ${name} did not process the message: ${messageOf(error as Error)}`,
      'Try again. If it fails each time, see the log of its worker.',
    );
  return unresponsive(
    `The pipeline ${name} did not answer in time. The last poll of a worker was at ${at}.`,
    'If no worker is running, start one: journeyman up, or journeyman worker. If one is, it is overloaded: see its log and metrics.',
  );
}

function messageOf({ cause, message }: Error & { cause?: unknown }): string {
  return cause instanceof Error ? cause.message : message;
}

function unresponsive(detail: string, hint?: string): ProblemError {
  return new ProblemError(problem('PIPELINE_UNRESPONSIVE', detail, { retryAfterSec: 5, ...(hint && { hint }) }));
}
