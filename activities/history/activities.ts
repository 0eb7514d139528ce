import { Context } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import { cameFirst } from '../../src/temporal/signal-order.js';

/** What a run asks of its own history. */
export function historyActivities(client: Client) {
  return {
    /** Whether a signal that was handed to the run along with a timer came before any timer fired. */
    signalCameFirst: (asked: Parameters<typeof cameFirst>[2]): Promise<boolean> =>
      cameFirst(client, Context.current().info.workflowExecution!, asked),
  };
}
