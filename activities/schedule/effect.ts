import { Context } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import type { Json } from '../../src/json/value.js';
import type { BindingRequest } from '../../src/scheduling/bindings/record.js';
import type { Perform } from '../../src/tasks/effects.js';
import { readSource } from '../../src/temporal/schedules/action.js';
import { createBinding } from '../../src/temporal/schedules/create.js';

/** The effect `schedule`: makes the schedule that a run asks for. It may be repeated but happens once. */
export function scheduleEffect(client: Client): Perform {
  return async (input) => {
    const { workflowExecution, taskQueue } = Context.current().info;
    const source = await readSource(client, workflowExecution!, taskQueue);
    return (await createBinding(client, input as BindingRequest, source)) as unknown as Json;
  };
}
