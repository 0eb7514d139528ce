import type { Client } from '@temporalio/client';
import { pipelineId } from '../../../workflows/pipeline-input.js';
import { ProblemError, problem } from '../../problems/problem.js';
import { asProblem, isCutOff, isFailing, isUnanswered } from '../failures.js';
import { polled } from '../pollers.js';
import { whyTaskFails } from '../run-report.js';

/** Looking for the reason must not take long: whoever asked has waited already. */
const lookMs = 3_000;

/** What to tell somebody whom a pipeline did not answer: its workflow tasks fail, nobody works for it, or it is only slow. */
export async function unanswered(
  client: Client,
  name: string,
  error: unknown,
  { publisher = false } = {},
): Promise<ProblemError> {
  if (!isUnanswered(error) && !isCutOff(error)) return asProblem(error);
  const found = await client
    .withDeadline(Date.now() + lookMs, () => reason(client, name, error, publisher))
    .catch(asProblem);
  const { code, detail } = found.problem;
  if (!publisher || code !== 'PIPELINE_UNRESPONSIVE') return found;
  return new ProblemError({ ...found.problem, detail: `${detail} It may still take what it was sent.` });
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
    // Publishing is not for operators alone, and the text of a fault may show what it stumbled over.
    return text && !publisher ? `${cause} (${text.slice(0, 300)})` : cause;
  };
  if (attempt > 1)
    return unresponsive(
      `The workflow tasks of the pipeline ${name} fail, ${attempt - 1} times so far: ${await why()}.`,
      'Nothing it acknowledged is lost. It goes on as soon as a worker can do them: see the log of the worker, and journeyman doctor.',
    );
  if (isFailing(error))
    return unresponsive(
      `Somebody ended the pipeline ${name} while its workflow tasks failed: ${await why()}.`,
      'Nothing it acknowledged is lost. Publish, trigger or deploy: that brings it back.',
    );
  const taskQueue = executionConfig?.taskQueue?.name ?? '';
  const { works, at } = await polled(client, taskQueue);
  if (!works)
    return unresponsive(`No worker works for the pipeline ${name}: none asks for work of its task queue ${taskQueue}.`);
  return unresponsive(
    `The pipeline ${name} did not answer in time. A worker last asked for work at ${at}.`,
    'If no worker is running any more, start one: journeyman up, or journeyman worker. If one is, it has too much to do: see its log and metrics.',
  );
}

function unresponsive(detail: string, hint?: string): ProblemError {
  return new ProblemError(problem('PIPELINE_UNRESPONSIVE', detail, { retryAfterSec: 5, ...(hint && { hint }) }));
}
