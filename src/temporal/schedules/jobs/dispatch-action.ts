import type { CompiledScheduleOptions } from '@temporalio/client';
import { TypedSearchAttributes } from '@temporalio/common';
import { type DispatchMemo, dispatchWorkflow } from '../../../../workflows/dispatch/workflow-contract.js';
import { type AttributeValues, pairs } from '../../../../workflows/shared/run-search-attributes.js';
import type { Envelope } from '../../../schedules/jobs/dispatch-envelope.js';
import type { JobRecord, TargetAction } from '../../../schedules/jobs/job-record.js';

/** The task queue of an orchestrator, from which all its work is polled. */
export function queueOf(taskQueue: string, orchestratorId: string): string {
  return `${taskQueue}.${orchestratorId}`;
}

/** The name of a target. */
export function targetName(action: TargetAction): string {
  return action.type === 'workflow_start' ? action.workflowId : action.functionId;
}

/** The summary of a run in the Web UI. */
export function runSummary({ name, jobId, targetAction }: JobRecord): string {
  return `${name ?? jobId}: ${targetName(targetAction)}`;
}

/** The action of a job's Schedule: starts a dispatch in the job's orchestrator. The memo with the record is added on writing. */
export function dispatchAction(record: JobRecord, taskQueue: string): CompiledScheduleOptions['action'] {
  const { jobId, orchestratorId } = record;
  return {
    type: 'startWorkflow',
    workflowType: dispatchWorkflow,
    workflowId: jobId,
    taskQueue: queueOf(taskQueue, orchestratorId),
    args: [],
    typedSearchAttributes: new TypedSearchAttributes(pairs(runAttributes(record))),
    staticSummary: runSummary(record),
  };
}

/** The search attributes of a dispatch. It is `incoming` until a worker takes it. It has no `JourneyName`, because it is not a run of a journey. */
export function runAttributes({ orchestratorId }: Pick<Envelope, 'orchestratorId'>): AttributeValues {
  return { ScheduleKind: 'job', OrchestratorId: orchestratorId, JourneyState: 'incoming' };
}

/** The memo of a dispatch that no Schedule starts: the envelope without the target, which is in the arguments. */
export function envelopeMemo({ targetAction, ...envelope }: Envelope): DispatchMemo {
  return { envelope: { ...envelope, target: { type: targetAction.type, name: targetName(targetAction) } } };
}
