import { Context } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import { cameFirst } from '../../src/temporal/signal-order.js';

/** What a run asks of its own history. */
export function historyActivities(client: Client) {
  return {
    /** Whether no timer had fired yet when a signal came that was handed to the run together with one. */
    signalCameFirst: (asked: Parameters<typeof cameFirst>[2]): Promise<boolean> =>
      cameFirst(client, Context.current().info.workflowExecution!, asked),
  };
}
