import { Context } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import type { Json } from '../../src/json/value.js';
import type { BindingRequest } from '../../src/scheduling/bindings/record.js';
import type { Perform } from '../../src/tasks/effects.js';
import { type BindingSource, readSource } from '../../src/temporal/schedules/action.js';
import { createAtOnce, createBinding } from '../../src/temporal/schedules/create.js';

/** The effect `schedule`: makes the schedule that a run asks for. It may be repeated but happens once. */
export function scheduleEffect(client: Client): Perform {
  return async (input, { isLocal, origin }) => {
    const { workflowExecution, taskQueue } = Context.current().info;
    const source = origin
      ? { ...(origin as unknown as Omit<BindingSource, 'taskQueue'>), taskQueue }
      : await readSource(client, workflowExecution!, taskQueue);
    const request = input as BindingRequest;
    if (!isLocal) return (await createBinding(client, request, source)) as unknown as Json;
    // Whatever takes longer goes on as an ordinary activity.
    return ((await createAtOnce(client, request, source)) ?? { retryLater: { afterMs: 0 } }) as unknown as Json;
  };
}
