import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { handlerOutcome } from '../../pipelines/handle-outcome.js';
import type { HandlerOutcome } from '../../pipelines/messages-and-effects.js';
import { asProblem, isNotFound, isUnanswered } from '../classify-temporal-errors.js';
import { runOutcome } from '../runs/read-run-outcome.js';

/** Longest wait for the end of the journey. */
const waitMs = 20_000;

/** The outcome of a handler's journey, however it ended. Undefined while it runs. */
export async function childOutcome(client: Client, childId: string): Promise<HandlerOutcome | undefined> {
  const handle = client.workflow.getHandle(childId);
  try {
    let description = await handle.describe();
    if (description.status.name === 'RUNNING') {
      await client
        .withDeadline(Date.now() + waitMs, () => handle.result())
        .catch((error) => {
          if (error instanceof WorkflowNotFoundError) throw error;
        });
      description = await handle.describe();
    }
    const { name } = description.status;
    if (name === 'RUNNING' || name === 'PAUSED' || name === 'CONTINUED_AS_NEW') return undefined;
    const outcome = await runOutcome(handle, description);
    if (name === 'COMPLETED' || name === 'FAILED' || name === 'CANCELLED') return handlerOutcome(outcome);
    return { kind: 'terminated', error: outcome.error ?? { code: 'RUN_TERMINATED', reason: '' } };
  } catch (error) {
    if (isNotFound(error))
      return {
        kind: 'terminated',
        error: {
          code: 'RUN_UNKNOWN',
          reason: 'Temporal has no journey of this id: it never began, or it was deleted.',
        },
      };
    if (isUnanswered(error)) throw asProblem(error);
    throw error;
  }
}
