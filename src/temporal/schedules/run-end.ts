import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { Outcome } from '../../engine/outcome.js';
import type { ScheduledRun } from '../../service/schedules.js';
import { isNotFound } from '../failures.js';
import { decodeOptionalFailureToOptionalError } from '../sdk.js';

type RunEnd = Pick<ScheduledRun, 'terminationKind' | 'error'>;

/** How a run ended and why. Visibility knows only that it failed; its last event knows the rest. */
export async function endOf(client: Client, info: WorkflowExecutionInfo): Promise<RunEnd> {
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
      return { terminationKind: 'Timeout', ...errorOf('TIMED_OUT', 'Temporal ended it: it had a timeout of its own.') };
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

type LastEvent = Awaited<ReturnType<typeof lastEvent>>;

async function failed(event: LastEvent, client: Client): Promise<RunEnd> {
  const { failure } = event?.workflowExecutionFailedEventAttributes ?? {};
  const error = await decodeOptionalFailureToOptionalError(client.options.loadedDataConverter, failure);
  const outcome = error instanceof ApplicationFailure ? (error.details?.[0] as Outcome | undefined) : undefined;
  const code = (error instanceof ApplicationFailure ? error.type : undefined) ?? 'FAILED';
  return { terminationKind: outcome?.terminationKind ?? 'RuntimeError', ...errorOf(code, error?.message) };
}

function errorOf(code: string, reason = ''): { error: { code: string; reason: string } } {
  return { error: { code, reason } };
}

/** How a run closed, as its history tells; undefined when the server no longer keeps it. */
export async function lastEvent(
  client: Client,
  { workflowId, runId }: Pick<WorkflowExecutionInfo, 'workflowId' | 'runId'>,
) {
  const request = { namespace: client.options.namespace, execution: { workflowId, runId }, maximumPageSize: 1 };
  try {
    return (await client.workflowService.getWorkflowExecutionHistoryReverse(request)).history?.events?.[0];
  } catch (error) {
    // The server keeps a run in its list for a while after its history is gone.
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
