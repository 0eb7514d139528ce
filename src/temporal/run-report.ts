import type { Client } from '@temporalio/client';
import proto, { type temporal } from '@temporalio/proto';
import type { RunTrouble, RunView } from '../service/runs.js';
import { asProblem, isNotFound } from './failures.js';
import type { TemporalRuns } from './runs.js';
import { decodeOptionalFailureToOptionalError, tsToMs } from './sdk.js';

/** Everything an operator wants to know about one run. */
export interface RunReport extends Omit<RunView, 'id' | 'links' | 'cancellable'>, RunTrouble {
  readonly journeyId: string;
  /** The execution that Temporal's own tools show. */
  readonly runId: string;
  readonly startedAt: string;
  readonly endedAt: string | null;
}

/** Looks at one run, without changing it. */
export async function runReport(client: Client, runs: TemporalRuns, id: string): Promise<RunReport> {
  const { id: journeyId, links: _, cancellable: __, ...view } = await runs.status(id);
  const described = await describe(client, id).catch((error) => Promise.reject(asProblem(error)));
  const { startTime, closeTime, execution: current } = described.workflowExecutionInfo ?? {};
  return {
    journeyId,
    runId: current?.runId ?? '',
    ...view,
    startedAt: iso(tsToMs(startTime)),
    endedAt: closeTime ? iso(tsToMs(closeTime)) : null,
    ...(await troubleIn(client, id, described)),
  };
}

/** What keeps the newest execution of a run from going on; undefined where Temporal has none. */
export async function troubleOf(client: Client, id: string): Promise<RunTrouble | undefined> {
  const described = await describe(client, id).catch((error) => {
    if (isNotFound(error)) return undefined;
    throw asProblem(error);
  });
  return described && (await troubleIn(client, id, described));
}

type Described = Awaited<ReturnType<typeof describe>>;

async function describe(client: Client, workflowId: string) {
  const { namespace } = client.options;
  return await client.workflowService.describeWorkflowExecution({ namespace, execution: { workflowId } });
}

async function troubleIn(client: Client, id: string, described: Described): Promise<RunTrouble> {
  const { pendingWorkflowTask, pendingActivities } = described;
  const attempt = pendingWorkflowTask?.attempt ?? 0;
  return {
    ...(attempt > 1 && { failingTask: { attempt, ...(await whyTaskFails(client, id)) } }),
    retries: await Promise.all(
      (pendingActivities ?? [])
        .filter(({ lastFailure }) => lastFailure)
        .map(async ({ activityType, attempt: tried, lastFailure }) => ({
          activity: activityType?.name ?? '',
          attempt: tried ?? 0,
          reason: await messageOf(client, lastFailure),
        })),
    ),
  };
}

type Failure = temporal.api.failure.v1.IFailure | null | undefined;

/** With encryption, a failure's message is elsewhere. */
async function messageOf({ options: { loadedDataConverter } }: Client, failure: Failure): Promise<string> {
  const error = await decodeOptionalFailureToOptionalError(loadedDataConverter, failure);
  return error?.message ?? '';
}

const looked = 10;

/** History keeps the first failure in a row; the tries after it leave no event. */
export async function whyTaskFails(client: Client, workflowId: string): Promise<{ cause: string; reason: string }> {
  const { history } = await client.workflowService
    .getWorkflowExecutionHistoryReverse({
      namespace: client.options.namespace,
      execution: { workflowId },
      maximumPageSize: looked,
    })
    .catch((error) => Promise.reject(asProblem(error)));
  for (const {
    workflowTaskFailedEventAttributes: failed,
    workflowTaskTimedOutEventAttributes: late,
  } of history?.events ?? []) {
    if (late) return { cause: 'TIMED_OUT', reason: 'No worker finished it in time.' };
    if (!failed) continue;
    const name = proto.temporal.api.enums.v1.WorkflowTaskFailedCause[failed.cause ?? 0] ?? '';
    return { cause: name.replace('WORKFLOW_TASK_FAILED_CAUSE_', ''), reason: await messageOf(client, failed.failure) };
  }
  return { cause: 'UNKNOWN', reason: '' };
}

function iso(instant: number): string {
  return new Date(instant).toISOString();
}
