import { type Client, type WorkflowExecutionDescription, WorkflowUpdateFailedError } from '@temporalio/client';
import { names, type RunMove } from '../../workflows/input.js';
import type { Config } from '../config/config.js';
import { ProblemError, refuse } from '../problems/problem.js';
import type { LibraryEntry } from '../service/library.js';
import { declaredConfig } from '../service/platform.js';
import { misconfigured } from '../service/start.js';
import { callbackUrls } from './callbacks.js';
import { asProblem, isNotFound, isUnanswered } from './failures.js';
import { checkSize } from './payloads.js';
import { movedMemo } from './start-options.js';
import { describedView, type RunMemo } from './views.js';

/** How long a worker may take to replay the run. */
const answerMs = 20_000;

/** Asks a run to go on by another version of its journey. False where it does already. */
export async function moveRun(
  client: Client,
  config: Config,
  description: WorkflowExecutionDescription,
  to: LibraryEntry,
): Promise<boolean> {
  const { workflowId } = description;
  const { definition } = to;
  const { journeyName, journeyVersion } = describedView(description);
  const memo = description.memo?.journey as RunMemo | undefined;
  if (journeyVersion === definition.version && memo?.definition === to.hash) return false;
  if (journeyName !== definition.name) refuse('MOVE_NOT_POSSIBLE', `It is a run of ${journeyName}.`);
  const problem = misconfigured(definition, config.platform);
  if (problem) throw new ProblemError(problem);
  const callbacks = await callbackUrls(client, config, workflowId, definition);
  const move: RunMove = {
    definition,
    config: declaredConfig(definition, config.platform),
    ...(callbacks && { callbacks }),
    memo: movedMemo(memo ?? {}, to) as unknown as RunMove['memo'],
  };
  checkSize(move);
  try {
    const handle = client.workflow.getHandle(workflowId);
    await client.withDeadline(Date.now() + answerMs, () =>
      handle.executeUpdate<void, [RunMove]>(names.move, { args: [move] }),
    );
    return true;
  } catch (error) {
    if (isNotFound(error)) refuse('MOVE_NOT_POSSIBLE', 'The run has ended.', { hint: 'Retry or reset it.' });
    if (isUnanswered(error)) refuse('RUN_UNRESPONSIVE', 'No worker answered in time; the run may still move.');
    throw known(error);
  }
}

/** A run that is interpreted by an older worker knows no moves. */
function known(error: unknown): ProblemError {
  if (!(error instanceof WorkflowUpdateFailedError)) return asProblem(error);
  try {
    return asProblem(error);
  } catch {
    return refuse('MOVE_NOT_POSSIBLE', `The run did not take it: ${error.cause?.message ?? error.message}`, {
      hint: 'Upgrade the workers first.',
    });
  }
}
