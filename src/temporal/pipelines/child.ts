import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import type { HandlerOutcome } from '../../pipelines/message.js';
import { handlerOutcome } from '../../pipelines/outcomes.js';
import { asProblem, isNotFound, isUnanswered } from '../failures.js';
import { outcomeOf } from '../outcomes.js';

/** How long it waits for the journey to end before it says that it has not. */
const patienceMs = 20_000;

/** How a handler's journey ended, whoever ended it; undefined while it runs. */
export async function childOutcome(client: Client, childId: string): Promise<HandlerOutcome | undefined> {
  const handle = client.workflow.getHandle(childId);
  try {
    let description = await handle.describe();
    if (description.status.name === 'RUNNING') {
      await client
        .withDeadline(Date.now() + patienceMs, () => handle.result())
        .catch((error) => {
          if (error instanceof WorkflowNotFoundError) throw error;
        });
      description = await handle.describe();
    }
    const { name } = description.status;
    if (name === 'RUNNING' || name === 'PAUSED' || name === 'CONTINUED_AS_NEW') return undefined;
    const outcome = await outcomeOf(handle, description);
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
