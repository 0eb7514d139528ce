import type { CompiledScheduleOptions } from '@temporalio/client';
import { TypedSearchAttributes } from '@temporalio/common';
import { type DispatchMemo, dispatchWorkflow } from '../../../workflows/dispatch-input.js';
import { type AttributeValues, pairs } from '../../../workflows/search-attributes.js';
import type { Envelope } from '../../scheduling/jobs/envelope.js';
import type { JobRecord, TargetAction } from '../../scheduling/jobs/record.js';

/** The queue of an orchestrator: everything that runs in it is taken from there. */
export function queueOf(taskQueue: string, orchestratorId: string): string {
  return `${taskQueue}.${orchestratorId}`;
}

/** What a target is called. */
export function targetName(action: TargetAction): string {
  return action.type === 'workflow_start' ? action.workflowId : action.functionId;
}

/** What the Web UI calls a run. */
export function summaryOf({ name, jobId, targetAction }: JobRecord): string {
  return `${name ?? jobId}: ${targetName(targetAction)}`;
}

/** What a job's Schedule does: start a dispatch in the job's own orchestrator. The memo is added by whoever writes it. */
export function dispatchAction(record: JobRecord, taskQueue: string): CompiledScheduleOptions['action'] {
  const { jobId, orchestratorId } = record;
  return {
    type: 'startWorkflow',
    workflowType: dispatchWorkflow,
    workflowId: jobId,
    taskQueue: queueOf(taskQueue, orchestratorId),
    args: [],
    typedSearchAttributes: new TypedSearchAttributes(pairs(runAttributes(record))),
    staticSummary: summaryOf(record),
  };
}

/** What a run is found by. It is `incoming` until a worker takes it. It is no run of a journey, so it has no `JourneyName`. */
export function runAttributes({ orchestratorId }: Pick<Envelope, 'orchestratorId'>): AttributeValues {
  return { ScheduleKind: 'job', OrchestratorId: orchestratorId, JourneyState: 'incoming' };
}

/** What the memo of a dispatch that no Schedule starts says: everything but what its arguments hold already. */
export function envelopeMemo({ targetAction, ...envelope }: Envelope): DispatchMemo {
  return { envelope: { ...envelope, target: { type: targetAction.type, name: targetName(targetAction) } } };
}
