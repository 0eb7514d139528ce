import { Context } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import type { Json } from '../../src/base/json/value.js';
import type { Perform } from '../../src/language/tasks/effect-interface.js';
import type { BindingRequest, StopRequest } from '../../src/schedules/bindings/binding-record.js';
import { type BindingSource, readBindingSource } from '../../src/temporal/schedules/bindings/binding-action.js';
import { createAtOnce, createBinding } from '../../src/temporal/schedules/bindings/create-binding.js';
import { stopBindings } from '../../src/temporal/schedules/bindings/stop-bindings.js';

/** The effect `unschedule`: stops schedules, and returns how many. Idempotent. */
export function unscheduleEffect(client: Client): Perform {
  return async (input) => {
    const { workflowExecution, taskQueue } = Context.current().info;
    const source = await readBindingSource(client, workflowExecution!, taskQueue);
    return await stopBindings(client, input as StopRequest, source);
  };
}

/** The effect `schedule`: creates the schedule that a run asks for. Idempotent. */
export function scheduleEffect(client: Client): Perform {
  return async (input, { isLocal, origin }) => {
    const { workflowExecution, taskQueue } = Context.current().info;
    const source = origin
      ? { ...(origin as unknown as Omit<BindingSource, 'taskQueue'>), taskQueue }
      : await readBindingSource(client, workflowExecution!, taskQueue);
    const request = input as BindingRequest;
    if (!isLocal) return (await createBinding(client, request, source)) as unknown as Json;
    // If it takes longer, it continues as an ordinary activity.
    return ((await createAtOnce(client, request, source)) ?? { retryLater: { afterMs: 0 } }) as unknown as Json;
  };
}
