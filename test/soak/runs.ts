import type { Client } from '@temporalio/client';

/** The progress of a run as known to the server without a query. */
export interface Seen {
  status: string;
  /** Changes with every event of the run. */
  mark: string;
  /** A workflow task or an activity is pending: the run is about to continue. */
  isMoving: boolean;
  /** The number of attempts of its workflow task. */
  attempt: number;
}

/** Describes a run without causing work for the worker. */
export async function look(client: Client, workflowId: string): Promise<Seen> {
  const { namespace } = client.options;
  const it = await client.workflowService.describeWorkflowExecution({ namespace, execution: { workflowId } });
  const info = it.workflowExecutionInfo;
  return {
    status: String(info?.status),
    mark: `${info?.execution?.runId} ${info?.historyLength}`,
    isMoving: Boolean(it.pendingWorkflowTask) || it.pendingActivities.length > 0,
    attempt: it.pendingWorkflowTask?.attempt ?? 0,
  };
}

/** The durations of the run's workflow tasks, from start to completion, and their schedule-to-start latencies. */
export interface Tasks {
  executions: number;
  tasks: number;
  failed: number;
  longestMs: number;
  totalMs: number;
  longestWaitMs: number;
}

/** Reads the histories of all executions of a run. */
export async function tasksOf(client: Client, workflowId: string): Promise<Tasks> {
  const out: Tasks = { executions: 0, tasks: 0, failed: 0, longestMs: 0, totalMs: 0, longestWaitMs: 0 };
  let runId: string | undefined;
  for (;;) {
    const { events } = await client.workflow.getHandle(workflowId, runId).fetchHistory();
    if (!events) return out;
    out.executions += 1;
    let [scheduled, started] = [0, 0];
    for (const event of events) {
      const at = Number(event.eventTime?.seconds ?? 0) * 1_000 + (event.eventTime?.nanos ?? 0) / 1e6;
      if (event.workflowTaskScheduledEventAttributes) scheduled = at;
      if (event.workflowTaskFailedEventAttributes || event.workflowTaskTimedOutEventAttributes) out.failed += 1;
      if (event.workflowTaskStartedEventAttributes) {
        started = at;
        out.longestWaitMs = Math.max(out.longestWaitMs, at - scheduled);
      }
      if (event.workflowTaskCompletedEventAttributes) {
        out.tasks += 1;
        out.totalMs += at - started;
        out.longestMs = Math.max(out.longestMs, at - started);
      }
    }
    const before = events[0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId;
    if (!before) return out;
    runId = before;
  }
}

/** The events of a run, each with the milliseconds since the previous one, which shows where it waited. */
export async function timeline(client: Client, workflowId: string): Promise<string> {
  const { events } = await client.workflow.getHandle(workflowId).fetchHistory();
  let before: number | undefined;
  return (events ?? [])
    .map((event) => {
      const at = Number(event.eventTime?.seconds ?? 0) * 1_000 + (event.eventTime?.nanos ?? 0) / 1e6;
      const gap = at - (before ?? at);
      before = at;
      const kind = Object.keys(event).find((key) => key.endsWith('EventAttributes')) ?? '';
      return `${kind.replace('EventAttributes', '')} +${gap.toFixed(0)}`;
    })
    .join(', ');
}
