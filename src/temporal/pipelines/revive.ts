import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { type Forgotten, pipelineId, type Untaken } from '../../../workflows/pipeline-input.js';
import { refuseUnknownPipeline } from '../../service/pipelines.js';
import { asProblem, isRefusal } from '../failures.js';
import { describePipeline, endOf, isOpen, startPipeline } from './entity.js';
import { cannotGoOn, lastWords, type Speechless, startedAgain, untakenOf } from './last-words.js';
import { openReset, runBefore } from './resets.js';

/**
 * Starts a pipeline again that somebody ended with Temporal's tools: Temporal still has its history, and a worker that replays it knows what
 * the pipeline knew. Answers whether there was anything to do; refuses with PIPELINE_UNKNOWN where there is nothing to go on from.
 */
export async function revivePipeline(client: Client, taskQueue: string, name: string): Promise<boolean> {
  const found = await describePipeline(client, name);
  if (!found) return refuseUnknownPipeline(name);
  if (isOpen(found)) return false;
  const text = `${startedAgain} ${await endOf(client, name, found)}`;
  const said = await lastWords(client, name, found.runId);
  if ('failedAt' in said) await resetToFailure(client, name, found.runId, said, text);
  else {
    const notes = [...(said.notes ?? []), { at: Date.now(), text }].slice(-10);
    await startPipeline(client, taskQueue, { ...said, notes });
  }
  return true;
}

/** What a pipeline had come to before this execution of it was reset. Null if nobody can tell. */
export async function forgotten(client: Client, workflowId: string, runId: string): Promise<Forgotten | null> {
  const reset = await openReset(client, { workflowId, runId });
  if (!reset) return null;
  const name = workflowId.slice(pipelineId('').length);
  const said = await lastWords(client, name, await runBefore(client, reset));
  const note = reset.reason.startsWith(startedAgain) ? reset.reason : undefined;
  if (!('failedAt' in said)) return { ...said, ...(note !== undefined && { note }) };
  if (said.runId === reset.base && said.completedAt.lt(reset.task))
    return { kept: true, note: note ?? 'Somebody reset this pipeline. It knows all that it knew.' };
  // Nobody but an execution that goes on at the task that failed can tell. Where that was tried and failed again, somebody wants another way.
  const text = `${startedAgain} Somebody had reset it while its workflow tasks failed.`;
  if (!said.again && (await resetToFailure(client, name, runId, said, text))) {
    // The reset has ended this execution, so what it was told stands in its history, and nothing more comes.
    const ended = await openReset(client, { workflowId, runId });
    await tell(client, name, await Promise.all((ended?.signals ?? []).map((it) => untakenOf(client, it))));
  }
  return null;
}

/**
 * Lets an ended execution go on at the task that failed: all that it had done stays done, and the server tells it again what came after that
 * task. A server makes two resets of two, whatever their request says, so whoever comes second looks first; one that comes in between ends
 * what the first one made, and finds out what that came to (`forgotten`). Answers whether it was this one that reset it.
 */
async function resetToFailure(
  client: Client,
  name: string,
  current: string,
  { runId, failedAt, untaken }: Speechless,
  reason: string,
): Promise<boolean> {
  const { namespace, identity } = client.options;
  const workflowId = pipelineId(name);
  const found = await describePipeline(client, name);
  if (found?.runId !== current) return false;
  try {
    await client.workflowService.resetWorkflowExecution({
      namespace,
      identity,
      workflowExecution: { workflowId, runId },
      workflowTaskFinishEventId: failedAt,
      requestId: randomUUID(),
      reason,
    });
    await tell(client, name, untaken);
    return true;
  } catch (error) {
    // An older server resets none that has a child.
    if (isRefusal(error)) cannotGoOn(name, (error as Error).message);
    throw asProblem(error);
  }
}

/** Tells a pipeline what executions before it were told in vain. */
async function tell(client: Client, name: string, untaken: readonly Untaken[]): Promise<void> {
  for (const { signal, args } of untaken) await client.workflow.getHandle(pipelineId(name)).signal(signal, ...args);
}
