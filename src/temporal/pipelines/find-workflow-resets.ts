import type { Client } from '@temporalio/client';
import proto, { type temporal } from '@temporalio/proto';
import type { PipelineActivities } from '../../../workflows/pipeline/workflow-contract.js';
import { asProblem } from '../classify-temporal-errors.js';
import { queryLiteral } from '../query-literal.js';
import { lastEvent } from '../schedules/scheduled-executions.js';
import { tsToMs } from '../sdk-internals.js';
import { eventsBackwards } from './read-history-backwards.js';

const { WORKFLOW_TASK_FAILED_CAUSE_RESET_WORKFLOW: resetCause } = proto.temporal.api.enums.v1.WorkflowTaskFailedCause;
const recovery: keyof PipelineActivities = 'pipelineBeforeReset';

type Event = temporal.api.history.v1.IHistoryEvent;

interface Execution {
  readonly workflowId: string;
  readonly runId: string;
}

/** A reset, read from the history of the execution that it created. */
export interface Reset extends Execution {
  /** The execution that was reset. */
  readonly base: string;
  /** The workflow task to which it was reset. */
  readonly task: NonNullable<Event['eventId']>;
  readonly reason: string;
  /** Whether workflow tasks failed since then. */
  readonly failed: boolean;
  /** Signals since then, without those that the server delivered again. */
  readonly signals: readonly Event[];
}

/** The last reset of an execution, unless the execution has recovered the state from before it. */
export async function openReset(client: Client, execution: Execution): Promise<Reset | undefined> {
  if (!(await isMadeByReset(client, execution))) return undefined;
  const answered = new Set<string>();
  const signals: Event[] = [];
  let sinceFirstTask = 0;
  let isHeard = false;
  let hasFailed = false;
  for await (const event of eventsBackwards(client, execution)) {
    if (event.workflowTaskCompletedEventAttributes) isHeard = true;
    // Signals that the server delivers again come before the first task.
    if (event.workflowTaskScheduledEventAttributes) sinceFirstTask = signals.length;
    if (event.workflowExecutionSignaledEventAttributes) signals.push(event);
    const end = event.activityTaskCompletedEventAttributes ?? event.activityTaskFailedEventAttributes;
    if (end && isHeard) answered.add(String(end.scheduledEventId));
    const isAsked = event.activityTaskScheduledEventAttributes?.activityType?.name === recovery;
    if (isAsked && answered.has(String(event.eventId))) return undefined;
    const { cause, baseRunId, scheduledEventId, failure } = event.workflowTaskFailedEventAttributes ?? {};
    if (cause === resetCause && baseRunId)
      return {
        ...execution,
        base: baseRunId,
        task: scheduledEventId!,
        reason: failure?.message ?? '',
        failed: hasFailed,
        signals: signals.slice(0, sinceFirstTask).reverse(),
      };
    if (event.workflowTaskFailedEventAttributes ?? event.workflowTaskTimedOutEventAttributes) hasFailed = true;
  }
  return undefined;
}

/** Whether a reset created the execution: then it has the first event of another. */
async function isMadeByReset({ workflowService, options }: Client, { workflowId, runId }: Execution): Promise<boolean> {
  const { history } = await workflowService
    .getWorkflowExecutionHistory({
      namespace: options.namespace,
      execution: { workflowId, runId },
      maximumPageSize: 1,
    })
    .catch((error) => Promise.reject(asProblem(error)));
  return history?.events?.[0]?.workflowExecutionStartedEventAttributes?.originalExecutionRunId !== runId;
}

/**
 * The execution before a reset: usually the one that was reset, or the last that continued it. But an execution that had ended earlier may
 * be reset after the pipeline was restarted: Temporal then ends the restarted one, and the new history does not mention it.
 */
export async function runBefore(client: Client, { workflowId, runId, base }: Reset): Promise<string> {
  const { last, endedAt } = await lastOfChain(client, { workflowId, runId: base }, runId);
  if (endedAt === undefined) return last;
  try {
    const { startTime } = await client.workflow.getHandle(workflowId, runId).describe();
    const [from, to] = [new Date(endedAt).toISOString(), startTime.toISOString()].map(queryLiteral);
    const between = `StartTime >= ${from} AND StartTime < ${to}`;
    let newest: { runId: string; startTime: Date } | undefined;
    for await (const it of client.workflow.list({ query: `WorkflowId = ${queryLiteral(workflowId)} AND ${between}` }))
      if (it.runId !== runId && it.runId !== last && (!newest || it.startTime > newest.startTime)) newest = it;
    return newest ? (await lastOfChain(client, { workflowId, runId: newest.runId }, runId)).last : last;
  } catch (error) {
    throw asProblem(error);
  }
}

/** The last execution that continued this one, and the time of its end. */
async function lastOfChain(client: Client, { workflowId, runId }: Execution, before: string) {
  for (let last = runId; ; ) {
    const event = await lastEvent(client, { workflowId, runId: last });
    const next = event?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId;
    if (!next || next === before) return { last, ...(event?.eventTime && { endedAt: tsToMs(event.eventTime) }) };
    last = next;
  }
}
