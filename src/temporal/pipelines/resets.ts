import type { Client } from '@temporalio/client';
import proto, { type temporal } from '@temporalio/proto';
import type { PipelineActivities } from '../../../workflows/pipeline-input.js';
import { asProblem } from '../failures.js';
import { quoted } from '../quoted.js';
import { lastEvent } from '../schedules/run-end.js';
import { tsToMs } from '../sdk.js';
import { eventsBackwards } from './history.js';

const { WORKFLOW_TASK_FAILED_CAUSE_RESET_WORKFLOW: resetCause } = proto.temporal.api.enums.v1.WorkflowTaskFailedCause;
const asked: keyof PipelineActivities = 'pipelineForgotten';

type Event = temporal.api.history.v1.IHistoryEvent;

interface Execution {
  readonly workflowId: string;
  readonly runId: string;
}

/** A reset, as the execution that it made remembers it. */
export interface Reset extends Execution {
  /** The execution that it was made from. */
  readonly base: string;
  /** The workflow task that it did not take over. */
  readonly task: NonNullable<Event['eventId']>;
  readonly reason: string;
  /** Whether its workflow tasks failed since then. */
  readonly failed: boolean;
  /** Signals that came since then. Those that Temporal told again are not among them. */
  readonly signals: readonly Event[];
}

/** The last reset of an execution, unless it has taken in what it forgot by that: until then it knows less than those before it. */
export async function openReset(client: Client, execution: Execution): Promise<Reset | undefined> {
  if (!(await isMadeByReset(client, execution))) return undefined;
  const answered = new Set<string>();
  const signals: Event[] = [];
  let sinceFirstTask = 0;
  let isHeard = false;
  let hasFailed = false;
  for await (const event of eventsBackwards(client, execution)) {
    if (event.workflowTaskCompletedEventAttributes) isHeard = true;
    // What Temporal tells again stands before the first task.
    if (event.workflowTaskScheduledEventAttributes) sinceFirstTask = signals.length;
    if (event.workflowExecutionSignaledEventAttributes) signals.push(event);
    const end = event.activityTaskCompletedEventAttributes ?? event.activityTaskFailedEventAttributes;
    if (end && isHeard) answered.add(String(end.scheduledEventId));
    const isAsked = event.activityTaskScheduledEventAttributes?.activityType?.name === asked;
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

/** Such a one has the first event of another. */
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
 * The execution that a reset ended, or that had ended before. Usually it is the one that was reset, or the last that went on from it. But somebody
 * may have reset one that had ended earlier, when the pipeline had been started again: Temporal then ends that one, and says so nowhere in
 * the new history.
 */
export async function runBefore(client: Client, { workflowId, runId, base }: Reset): Promise<string> {
  const { last, endedAt } = await lastOfChain(client, { workflowId, runId: base }, runId);
  if (endedAt === undefined) return last;
  try {
    const { startTime } = await client.workflow.getHandle(workflowId, runId).describe();
    const [from, to] = [new Date(endedAt).toISOString(), startTime.toISOString()].map(quoted);
    const between = `StartTime >= ${from} AND StartTime < ${to}`;
    let newest: { runId: string; startTime: Date } | undefined;
    for await (const it of client.workflow.list({ query: `WorkflowId = ${quoted(workflowId)} AND ${between}` }))
      if (it.runId !== runId && it.runId !== last && (!newest || it.startTime > newest.startTime)) newest = it;
    return newest ? (await lastOfChain(client, { workflowId, runId: newest.runId }, runId)).last : last;
  } catch (error) {
    throw asProblem(error);
  }
}

/** The last execution that went on from this one, and when it ended. */
async function lastOfChain(client: Client, { workflowId, runId }: Execution, before: string) {
  for (let last = runId; ; ) {
    const event = await lastEvent(client, { workflowId, runId: last });
    const next = event?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId;
    if (!next || next === before) return { last, ...(event?.eventTime && { endedAt: tsToMs(event.eventTime) }) };
    last = next;
  }
}
