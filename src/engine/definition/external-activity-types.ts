import type { Json } from '../../base/json/value.js';

/** Activities or workflows of workers that are not ours, as the configuration allows them: task queue → types. */
export type AllowedTypes = Readonly<Record<string, readonly string[]>>;

/** Everything on task queues of others that journeys may use. */
export interface AllowedTasks {
  readonly activities: AllowedTypes;
  readonly workflows: AllowedTypes;
}

/**
 * The activities of our own workers. A journey never calls them by their type: it would reach runs, jobs and requests past every check. A
 * history also tells calls of others by their type.
 */
export const ownActivityTypes: ReadonlySet<string> = new Set(
  [
    'http cache kafka plugin jwtValidate mtlsValidate apiKeyValidate schedule unschedule signal activity workflow admitTask',
    'scheduleAdmits scheduleFinished scheduleBeforeRun scheduleRunNow jobBeforeRun jobRunNow maintainSchedules',
    'pipelineChildEnded pipelineBeforeReset pipelineRevived',
    'dispatchPrepared functionInvoked channelPost jobExhausted dispatchEnded',
  ].flatMap((names) => names.split(' ')),
);

/** Types of our own workflows, and of Temporal's. A journey never starts them by their type, for the same reason. */
export const ownWorkflowTypes = /^(journeyman\.|temporal-sys-)/;

/** Timeouts of an activity in milliseconds, as Temporal defines them. */
export type ActivityTimeouts = {
  startToClose?: number;
  scheduleToStart?: number;
  scheduleToClose?: number;
  heartbeat?: number;
};

/** Temporal's retry policy; intervals in milliseconds. */
export type ActivityRetry = {
  maximumAttempts: number;
  initialInterval?: number;
  backoffCoefficient?: number;
  maximumInterval?: number;
  nonRetryableErrorTypes?: string[];
};

/** Temporal's priority of a task. */
export type TaskPriority = { priorityKey?: number; fairnessKey?: string; fairnessWeight?: number };

/** The input of the effect `activity`. Only `args` leave the run as the input of the activity. */
export type ActivityRequest = {
  activity: string;
  taskQueue: string;
  args: Json[];
  timeouts: ActivityTimeouts;
  retry?: ActivityRetry;
  priority?: TaskPriority;
  safe?: boolean;
};

/** Timeouts of a workflow in milliseconds, as Temporal defines them. */
export type WorkflowTimeouts = { execution?: number; run?: number; task?: number };

/** The effect of a parent's end on a child workflow, in Temporal's terms. */
export type ParentClose = 'terminate' | 'requestCancel' | 'abandon';

/** Whether a cancellation is passed on to a child workflow, and its end awaited, in Temporal's terms. */
export type ChildCancellation = 'waitCancellationCompleted' | 'waitCancellationRequested' | 'tryCancel' | 'abandon';

/** Options of a child, whatever it is. */
export type ChildOptions = {
  /** Only its start is awaited, and it outlives its parent. */
  detach?: true;
  safe?: true;
  parentClosePolicy: ParentClose;
  cancellationType: ChildCancellation;
  priority?: TaskPriority;
};

/** A child workflow of a worker that is not ours. Only `args` leave the run as the input of the workflow. */
export type ForeignWorkflow = {
  workflow: string;
  taskQueue: string;
  id: string;
  args: Json[];
  timeouts: WorkflowTimeouts;
  retry?: ActivityRetry;
};

/** A child run of another journey. */
export type ChildJourney = { journey: string; input: Json; idempotencyKey: string };

/** The input of the effect `workflow`. */
export type WorkflowRequest = ChildOptions & (ForeignWorkflow | ChildJourney);

/** The answer of an external call, and the value of `resultVar`. */
export type ExternalAnswer = { ok: true; value: Json } | { ok: false; error: ExternalError; uncertain?: true };

/** `TIMEOUT`, `NOT_STARTED`, `CANCELLED`, `TERMINATED`, `WORKFLOW_ALREADY_STARTED`, `RESULT_UNREADABLE`, or the type of the failure. */
export type ExternalError = { type: string; message: string; details?: Json; nonRetryable?: boolean };
