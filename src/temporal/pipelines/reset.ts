import type { Client } from '@temporalio/client';
import proto from '@temporalio/proto';
import { type PipelineInput, pipelineId } from '../../../workflows/pipeline-input.js';
import { lastEvent } from '../schedules/run-end.js';
import { lastWords } from './entity.js';
import { eventsBackwards } from './history.js';

const { WORKFLOW_TASK_FAILED_CAUSE_RESET_WORKFLOW: resetCause } = proto.temporal.api.enums.v1.WorkflowTaskFailedCause;

/**
 * What a pipeline had come to before one of its executions was reset: the reset left a mark in the history, which names the execution it
 * was made from. That one, or the last that went on from it, was ended by the reset. Null if there is no such mark.
 */
export async function forgotten(client: Client, workflowId: string, runId: string): Promise<PipelineInput | null> {
  let base: string | undefined;
  for await (const event of eventsBackwards(client, { workflowId, runId })) {
    const { cause, baseRunId } = event.workflowTaskFailedEventAttributes ?? {};
    if (cause !== resetCause || !baseRunId) continue;
    base = baseRunId;
    break;
  }
  if (base === undefined) return null;
  for (;;) {
    const last = await lastEvent(client, { workflowId, runId: base });
    const next = last?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId;
    if (!next || next === runId) break;
    base = next;
  }
  return await lastWords(client, workflowId.slice(pipelineId('').length), base);
}
