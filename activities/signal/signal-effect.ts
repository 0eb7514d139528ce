import { Context } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import type { Perform } from '../../src/language/tasks/effect-interface.js';
import type { SignalRequest } from '../../src/language/tasks/signal.js';
import type { Runs } from '../../src/service/runs-interface.js';
import { signalRun } from '../../src/temporal/runs/submit-and-signal.js';

/** The effect `signal`: submits a step of another run. Idempotent. */
export function signalEffect(client: Client, runs: Runs): Perform {
  return async (input) => {
    const { workflowExecution, scheduledTimestampMs: since } = Context.current().info;
    return await signalRun(client, runs, input as SignalRequest, { ...workflowExecution!, since });
  };
}
