import { ApplicationFailure, Context } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import type { HandlerOutcome } from '../../src/pipelines/messages-and-effects.js';
import { childOutcome } from '../../src/temporal/pipelines/read-handler-outcome.js';
import { revivePipeline, stateBeforeReset } from '../../src/temporal/pipelines/revive-pipelines.js';
import type { PipelineActivities } from '../../workflows/pipeline/workflow-contract.js';
import { withHeartbeats } from '../effects-as-activities.js';

/** Longest delay between two checks of a journey; the delay grows with each. */
const longestPauseMs = 300_000;

/** Activities of pipelines and their ticks. All are idempotent. */
export function pipelineActivities(client: Client): PipelineActivities {
  return {
    pipelineChildEnded: (childId) =>
      withHeartbeats(async (): Promise<HandlerOutcome> => {
        const outcome = await childOutcome(client, childId);
        if (outcome) return outcome;
        const { attempt } = Context.current().info;
        throw ApplicationFailure.create({
          type: 'RUNNING',
          message: 'The journey has not ended yet; it will be checked again.',
          nextRetryDelay: Math.min(attempt * 2_000, longestPauseMs),
        });
      }),

    pipelineBeforeReset: () =>
      withHeartbeats(async () => {
        const { workflowId, runId } = Context.current().info.workflowExecution!;
        return await stateBeforeReset(client, workflowId, runId);
      }),

    pipelineRevived: (name) =>
      withHeartbeats(async () => {
        await revivePipeline(client, Context.current().info.taskQueue, name);
      }),
  };
}
