import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  ActivityCancellationType,
  ActivityFailure,
  type ActivityOptions,
  CancellationScope,
  ChildWorkflowCancellationType,
  ChildWorkflowFailure,
  type ChildWorkflowOptions,
  isCancellation,
  ParentClosePolicy,
  proxyActivities,
  proxyLocalActivities,
  type RetryPolicy,
  startChild,
  WorkflowIdReusePolicy,
  workflowInfo,
} from '@temporalio/workflow';
import type { Json } from '../../src/base/json/value.js';
import type {
  ActivityRequest,
  ExternalAnswer,
  ForeignWorkflow,
  WorkflowRequest,
} from '../../src/engine/definition/external-activity-types.js';
import type { Effect } from '../../src/engine/host.js';
import type { Run } from '../../src/engine/run.js';
import type { ParentRun, TaskToAdmit } from '../../src/language/tasks/external/activity-admission-contract.js';
import { childJourneyOptions } from '../shared/child-journey-options.js';
import { answerOf, failedAnswer, journeyAnswer } from '../shared/external-activity-answer.js';
import type { AdmissionActivities, AdmittedTask } from './admission-contract.js';

/**
 * The server's names of the timeouts of an attempt that has begun, in retry policies (temporalio/temporal#2524). The run, not the server,
 * decides whether an unsafe effect is repeated.
 */
export const lostAttempts = ['TemporalTimeout:Heartbeat', 'TemporalTimeout:StartToClose'];

/** Asks the worker whether its configuration allows a call, and how another journey starts. A refusal is a problem, which ends the run. */
export function admittedTask(effect: Effect, parent: () => ParentRun): Promise<AdmittedTask> {
  const { admitTask } = proxyLocalActivities<AdmissionActivities>({
    startToCloseTimeout: '10s',
    summary: effect.label,
  });
  return CancellationScope.nonCancellable(() => admitTask(taskOf(effect.input, parent)));
}

/** A run as the parent of its children, with what they inherit. */
export function parentRun({ info, definition }: Pick<Run, 'info' | 'definition'>): ParentRun {
  const { workflowId, memo } = workflowInfo();
  const { startedBy, ownSchedules } = (memo?.journey ?? {}) as Pick<ParentRun, 'startedBy' | 'ownSchedules'>;
  return {
    id: workflowId,
    callers: [...(info.callers ?? []), definition.name],
    ...(startedBy !== undefined && { startedBy }),
    ...(ownSchedules && { ownSchedules }),
  };
}

function taskOf(input: Json, parent: () => ParentRun): TaskToAdmit {
  const request = input as ActivityRequest | WorkflowRequest;
  if ('activity' in request) return { activity: request.activity, taskQueue: request.taskQueue };
  if ('workflow' in request) return { workflow: request.workflow, taskQueue: request.taskQueue };
  const { journey, input: body, idempotencyKey } = request;
  return { journey, input: body, idempotencyKey, parent: parent() };
}

/** Makes a call that was admitted. Rejects with errors that are not those of the call, and with a cancellation after which it is not awaited. */
export async function callAdmitted(
  effect: Effect,
  admitted: Exclude<AdmittedTask, { refused: unknown }>,
): Promise<ExternalAnswer> {
  if (effect.external === 'activity') return await callActivity(effect, effect.input as ActivityRequest, admitted);
  const request = effect.input as WorkflowRequest;
  if ('activity' in admitted) return await callStandIn(effect, request, admitted);
  const answer = await callWorkflow(effect, request, admitted);
  return 'journey' in request && !request.detach ? journeyAnswer(answer) : answer;
}

/** Runs an activity on a task queue that is not ours, in the current scope: its cancellation is passed on. An unsafe one is then awaited to its end. */
async function callActivity(
  { label, safe, unawaited }: Effect,
  { activity, args, timeouts, retry, priority }: ActivityRequest,
  admitted: AdmittedTask,
): Promise<ExternalAnswer> {
  const isAwaited = !safe && !unawaited;
  const options: ActivityOptions = {
    ...('taskQueue' in admitted && { taskQueue: admitted.taskQueue }),
    summary: label,
    cancellationType: isAwaited
      ? ActivityCancellationType.WAIT_CANCELLATION_COMPLETED
      : ActivityCancellationType.TRY_CANCEL,
    retry: policyOf(retry, safe),
    ...(timeouts.startToClose !== undefined && { startToCloseTimeout: timeouts.startToClose }),
    ...(timeouts.scheduleToStart !== undefined && { scheduleToStartTimeout: timeouts.scheduleToStart }),
    ...(timeouts.scheduleToClose !== undefined && { scheduleToCloseTimeout: timeouts.scheduleToClose }),
    ...(timeouts.heartbeat !== undefined && { heartbeatTimeout: timeouts.heartbeat }),
    ...(priority && { priority }),
  };
  const call = proxyActivities<Record<string, (...args: Json[]) => Promise<unknown>>>(options)[activity]!;
  let value: unknown;
  try {
    value = await call(...args);
  } catch (error) {
    if (!(error instanceof ActivityFailure) || wasLeft(error, isAwaited)) throw error;
    return failedAnswer(error.cause, safe);
  }
  return answerOf(value);
}

/** Whether a call ended for the run because the run was cut short and does not await it. */
function wasLeft(error: Error, isAwaited: boolean): boolean {
  return !isAwaited && CancellationScope.current().consideredCancelled && isCancellation(error);
}

/** The server never repeats an attempt of an unsafe call that may still be running. */
function policyOf(retry: ActivityRequest['retry'], safe: boolean): RetryPolicy {
  const { nonRetryableErrorTypes = [], ...policy } = retry ?? { maximumAttempts: 1 };
  return {
    ...policy,
    nonRetryableErrorTypes: safe ? nonRetryableErrorTypes : [...nonRetryableErrorTypes, ...lostAttempts],
  };
}

const policies = {
  terminate: ParentClosePolicy.TERMINATE,
  requestCancel: ParentClosePolicy.REQUEST_CANCEL,
  abandon: ParentClosePolicy.ABANDON,
} as const;

const cancellations = {
  waitCancellationCompleted: ChildWorkflowCancellationType.WAIT_CANCELLATION_COMPLETED,
  waitCancellationRequested: ChildWorkflowCancellationType.WAIT_CANCELLATION_REQUESTED,
  tryCancel: ChildWorkflowCancellationType.TRY_CANCEL,
  abandon: ChildWorkflowCancellationType.ABANDON,
} as const;

/** Starts a child workflow in the current scope, and awaits it unless it is detached. */
async function callWorkflow(
  { label, safe }: Effect,
  request: WorkflowRequest,
  admitted: Exclude<AdmittedTask, { refused: unknown }>,
): Promise<ExternalAnswer> {
  const { detach, parentClosePolicy, cancellationType, priority } = request;
  const type = 'workflow' in request ? request.workflow : request.journey;
  const options: ChildWorkflowOptions & { args: unknown[] } = {
    ...('child' in admitted
      ? { ...childJourneyOptions(admitted.child), workflowIdReusePolicy: admitted.child.reuse }
      : foreignOptions(request as ForeignWorkflow, admitted.taskQueue, safe)),
    staticSummary: label,
    parentClosePolicy: policies[parentClosePolicy],
    cancellationType: cancellations[cancellationType],
    ...(priority && { priority }),
  };
  let value: unknown;
  try {
    if (detach) return await startDetached(type, options);
    const child = await startChild(type, options);
    value = await child.result();
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return failedAnswer(error, safe);
    const isAwaited = cancellationType === 'waitCancellationCompleted';
    if (!(error instanceof ChildWorkflowFailure) || wasLeft(error, isAwaited)) throw error;
    return failedAnswer(error.cause, safe);
  }
  return answerOf(value);
}

/** Resolves once the server has started it: a cancellation that arrives meanwhile does not prevent that. */
async function startDetached(
  type: string,
  options: ChildWorkflowOptions & { args: unknown[] },
): Promise<ExternalAnswer> {
  const child = await CancellationScope.nonCancellable(() => startChild(type, options));
  return { ok: true, value: { workflowId: child.workflowId, runId: child.firstExecutionRunId } };
}

/** An id is used again only after a run that did not complete: a repeated visit of the state must not do the same work twice. */
function foreignOptions({ id, args, timeouts, retry }: ForeignWorkflow, taskQueue: string, safe: boolean) {
  return {
    workflowId: id,
    workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE_FAILED_ONLY,
    taskQueue,
    args,
    ...(retry && { retry: policyOf(retry, safe) }),
    ...(timeouts.execution !== undefined && { workflowExecutionTimeout: timeouts.execution }),
    ...(timeouts.run !== undefined && { workflowRunTimeout: timeouts.run }),
    ...(timeouts.task !== undefined && { workflowTaskTimeout: timeouts.task }),
  };
}

/** In scenarios on a server, an activity that answers as scripted takes the place of a child. */
async function callStandIn(
  effect: Effect,
  request: WorkflowRequest,
  admitted: Extract<AdmittedTask, { activity?: string }>,
): Promise<ExternalAnswer> {
  const isJourney = 'journey' in request;
  const { execution = longestScenarioMs } = isJourney ? {} : request.timeouts;
  const answer = await callActivity(
    effect,
    {
      activity: admitted.activity!,
      taskQueue: admitted.taskQueue,
      args: isJourney ? [request.input] : request.args,
      timeouts: { startToClose: execution },
      ...(!isJourney && request.retry && { retry: request.retry }),
    },
    admitted,
  );
  const id = isJourney ? request.idempotencyKey : request.id;
  return answer.ok && answer.value === null && request.detach
    ? { ok: true, value: { workflowId: id, runId: id } }
    : answer;
}

/** A scenario on a server does not wait longer. */
const longestScenarioMs = 86_400_000;
