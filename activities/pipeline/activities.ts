import { ApplicationFailure, Context } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import type { HandlerOutcome } from '../../src/pipelines/message.js';
import { childOutcome } from '../../src/temporal/pipelines/child.js';
import { forgotten, revivePipeline } from '../../src/temporal/pipelines/revive.js';
import type { PipelineActivities } from '../../workflows/pipeline-input.js';
import { answering } from '../activity.js';

/** A journey that takes long is looked at less and less often. */
const longestPauseMs = 300_000;

/** What pipelines and their ticks ask for. Each may be repeated. */
export function pipelineActivities(client: Client): PipelineActivities {
  return {
    pipelineChildEnded: (childId) =>
      answering(async (): Promise<HandlerOutcome> => {
        const outcome = await childOutcome(client, childId);
        if (outcome) return outcome;
        const { attempt } = Context.current().info;
        throw ApplicationFailure.create({
          type: 'RUNNING',
          message: 'The journey has not ended yet; it will be looked at again.',
          nextRetryDelay: Math.min(attempt * 2_000, longestPauseMs),
        });
      }),

    pipelineForgotten: () =>
      answering(async () => {
        const { workflowId, runId } = Context.current().info.workflowExecution!;
        return await forgotten(client, workflowId, runId);
      }),

    pipelineRevived: (name) =>
      answering(async () => {
        await revivePipeline(client, Context.current().info.taskQueue, name);
      }),
  };
}
