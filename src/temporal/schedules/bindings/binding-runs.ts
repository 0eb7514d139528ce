import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { keys } from '../../../../workflows/shared/run-search-attributes.js';
import type { Outcome } from '../../../engine/outcome.js';
import type { RunName } from '../../../schedules/bindings/binding-record.js';
import type { Page, ScheduledRun } from '../../../service/schedules-interface.js';
import { asProblem, isNotFound } from '../../classify-temporal-errors.js';
import { queryLiteral } from '../../query-literal.js';
import { describedView } from '../../runs/run-views.js';
import { decodeOptionalFailureToOptionalError } from '../../sdk-internals.js';
import { countExecutions, lastEvent, listExecutions, nominalOf, runsOf } from '../scheduled-executions.js';

/** The query for the runs of a binding; a chain that continued as new counts once. */
export function bindingRuns(scheduleId: string): string {
  return `${runsOf(scheduleId)} AND ExecutionStatus != 'ContinuedAsNew'`;
}

/** One page of the runs of a binding, newest first. */
export async function listScheduledRuns(
  client: Client,
  scheduleId: string,
  page: Page,
): Promise<{ items: ScheduledRun[]; nextPageToken?: string }> {
  const { infos, ...more } = await listExecutions(client, bindingRuns(scheduleId), page);
  const items = await Promise.all(
    infos.map(
      async (info): Promise<ScheduledRun> => ({
        journeyId: info.workflowId,
        phase: describedView(info).phase,
        ...(await endOf(client, info)),
        ...(isSkipped(info) && { skipped: true }),
        scheduledAt: new Date(nominalOf(info)).toISOString(),
        startedAt: info.startTime.toISOString(),
        endedAt: info.closeTime?.toISOString() ?? null,
      }),
    ),
  );
  return { items, ...more };
}

/** Whether a run was skipped, because it was not admitted. */
export function isSkipped({ typedSearchAttributes }: Pick<WorkflowExecutionInfo, 'typedSearchAttributes'>): boolean {
  return typedSearchAttributes.get(keys.JourneyOutcome) === 'SKIPPED';
}

type RunEnd = Pick<ScheduledRun, 'terminationKind' | 'error'>;

/** The end of a run and its reason. Visibility shows only that it failed; its last event has the rest. */
async function endOf(client: Client, info: WorkflowExecutionInfo): Promise<RunEnd> {
  switch (info.status.name) {
    case 'COMPLETED':
      return { terminationKind: 'Success' };
    case 'FAILED':
      return failed(await lastEvent(client, info), client);
    case 'CANCELLED': {
      const outcome = info.memo?.outcome as Outcome | undefined;
      return { terminationKind: 'Cancel', ...errorOf(outcome?.error?.code ?? 'CANCELLED', outcome?.error?.reason) };
    }
    case 'TIMED_OUT':
      return { terminationKind: 'Timeout', ...errorOf('TIMED_OUT', 'It exceeded its execution timeout in Temporal.') };
    case 'TERMINATED': {
      const { reason, identity } = (await lastEvent(client, info))?.workflowExecutionTerminatedEventAttributes ?? {};
      return {
        terminationKind: 'Terminated',
        ...errorOf('TERMINATED', [reason, identity].filter(Boolean).join(', by ')),
      };
    }
    default:
      return { terminationKind: null };
  }
}

async function failed(event: Awaited<ReturnType<typeof lastEvent>>, client: Client): Promise<RunEnd> {
  const { failure } = event?.workflowExecutionFailedEventAttributes ?? {};
  const error = await decodeOptionalFailureToOptionalError(client.options.loadedDataConverter, failure);
  const outcome = error instanceof ApplicationFailure ? (error.details?.[0] as Outcome | undefined) : undefined;
  const code = (error instanceof ApplicationFailure ? error.type : undefined) ?? 'FAILED';
  return { terminationKind: outcome?.terminationKind ?? 'RuntimeError', ...errorOf(code, error?.message) };
}

function errorOf(code: string, reason = ''): { error: { code: string; reason: string } } {
  return { error: { code, reason } };
}

/** Whether a run is active, closed by itself, or was terminated before it could write back. */
export async function runActivity(client: Client, { id, run }: RunName): Promise<'active' | 'ended' | 'terminated'> {
  const latest = await describe(client, id);
  // Another run may have the same id now.
  const ours =
    !latest || latest.raw.workflowExecutionInfo?.firstRunId === run ? latest : await describe(client, id, run);
  switch (ours?.status.name) {
    case 'RUNNING':
    case 'PAUSED':
      return 'active';
    case 'TERMINATED':
    case 'TIMED_OUT':
      return 'terminated';
    default:
      return 'ended';
  }
}

/** Whether there is a closed run of this id that was not skipped. */
export async function ranBefore(client: Client, workflowId: string): Promise<boolean> {
  const ended = "ExecutionStatus != 'Running' AND ExecutionStatus != 'ContinuedAsNew'";
  const ran = "(JourneyOutcome IS NULL OR JourneyOutcome != 'SKIPPED')";
  return (await countExecutions(client, `WorkflowId = ${queryLiteral(workflowId)} AND ${ended} AND ${ran}`)) > 0;
}

/** The memo of a run; undefined when the server no longer has it. */
export async function memoOfRun(client: Client, { id, run }: RunName): Promise<Record<string, unknown> | undefined> {
  return (await describe(client, id, run))?.memo;
}

/** A run, the newest of its workflow id unless a run id is given; undefined when the server no longer has it. */
async function describe(client: Client, workflowId: string, runId?: string) {
  return await client.workflow
    .getHandle(workflowId, runId)
    .describe()
    .catch((error) => {
      if (isNotFound(error)) return undefined;
      throw asProblem(error);
    });
}
