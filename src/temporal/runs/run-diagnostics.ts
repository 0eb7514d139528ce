import type { Client } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import proto from '@temporalio/proto';
import type { RunTrouble, RunView } from '../../service/runs-interface.js';
import { asProblem, isNotFound } from '../classify-temporal-errors.js';
import { decodeOptionalFailureToOptionalError, tsToMs } from '../sdk-internals.js';
import { areRuns } from './run-visibility-query.js';
import type { TemporalRuns } from './temporal-runs.js';

/** A run whose workflow tasks fail and are retried until a worker can complete them. */
export interface FailingRun {
  readonly id: string;
  /** Attempts of its current task. */
  readonly attempt: number;
  readonly journey: string;
}

/** Runs of journeys, including those started by hand without a name, and our own workflows. */
const ours = `(${areRuns} OR WorkflowType = 'journey' OR WorkflowType STARTS_WITH 'journeyman.')`;
const running = `${ours} AND ExecutionStatus = 'Running'`;
/** Set by the server after several consecutive failures; unknown to older servers. */
const reported = `${running} AND TemporalReportedProblems IS NOT NULL`;
const most = 20;
/** Number of newest runs that are checked individually, because few failures are not reported yet. */
const lookedAt = 100;

/** Lists running runs whose last workflow task failed, at most `most`. */
export async function failingRuns(client: Client): Promise<FailingRun[]> {
  const ids = await Promise.all([list(client, reported, most).catch(() => []), list(client, running, lookedAt)]);
  const found = await Promise.all([...new Set(ids.flat())].map((id) => attemptOf(client, id)));
  return found.filter((it) => it !== undefined).slice(0, most);
}

/** The number of running runs whose workflow tasks failed several times in a row; undefined if the server does not report it. */
export async function countFailingRuns(client: Client): Promise<number | undefined> {
  const { namespace } = client.options;
  return await client.workflowService.countWorkflowExecutions({ namespace, query: reported }).then(
    ({ count }) => Number(count),
    () => undefined,
  );
}

async function list(client: Client, query: string, pageSize: number): Promise<string[]> {
  const { namespace } = client.options;
  const { executions } = await client.workflowService.listWorkflowExecutions({ namespace, query, pageSize });
  return executions.flatMap(({ execution }) => execution?.workflowId ?? []);
}

async function attemptOf(client: Client, workflowId: string): Promise<FailingRun | undefined> {
  const { namespace } = client.options;
  const { pendingWorkflowTask, workflowExecutionInfo } = await client.workflowService.describeWorkflowExecution({
    namespace,
    execution: { workflowId },
  });
  const attempt = pendingWorkflowTask?.attempt ?? 0;
  if (attempt <= 1) return undefined;
  const name = workflowExecutionInfo?.searchAttributes?.indexedFields?.JourneyName?.data;
  const text = name && (JSON.parse(new TextDecoder().decode(name)) as unknown);
  return { id: workflowId, attempt, journey: typeof text === 'string' ? text : '' };
}

/** Report about a run, for operators. */
export interface RunReport extends Omit<RunView, 'id' | 'links' | 'cancellable'>, RunTrouble {
  readonly journeyId: string;
  /** The execution shown by Temporal's tools. */
  readonly runId: string;
  readonly startedAt: string;
  readonly endedAt: string | null;
}

/** Creates the report of a run. */
export async function runReport(client: Client, runs: TemporalRuns, id: string): Promise<RunReport> {
  const { journeyId, links: _, cancellable: __, ...view } = await runs.status(id);
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

/** Failures that block or delay the newest execution of a run; undefined if it does not exist. */
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

/** The message of a failure, which encryption moves into a payload. */
async function messageOf({ options: { loadedDataConverter } }: Client, failure: Failure): Promise<string> {
  const error = await decodeOptionalFailureToOptionalError(loadedDataConverter, failure);
  return error?.message ?? '';
}

const looked = 10;

/** The history contains only the first of consecutive failures; retries leave no event. */
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
