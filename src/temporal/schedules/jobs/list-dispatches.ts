import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import {
  type DispatchClose,
  type DispatchMemo,
  dispatchWorkflow,
} from '../../../../workflows/dispatch/workflow-contract.js';
import { keys } from '../../../../workflows/shared/run-search-attributes.js';
import type { DispatchResult, ExecutionPhase } from '../../../schedules/jobs/dispatch-envelope.js';
import { type JobRecord, jobCadence } from '../../../schedules/jobs/job-record.js';
import { triggerOf } from '../../../schedules/jobs/misfire-policy.js';
import type { JobRun } from '../../../service/jobs-interface.js';
import type { Page } from '../../../service/schedules-interface.js';
import { namespaceSecret } from '../../namespace-secret.js';
import { keyedJourneyId } from '../../runs/run-ids.js';
import { decodeArrayFromPayloads, decodeOptionalFailureToOptionalError } from '../../sdk-internals.js';
import { lastEvent, listExecutions, nominalOf } from '../scheduled-executions.js';

/** A dispatch, from Temporal's list or description. */
export type DispatchInfo = Pick<
  WorkflowExecutionInfo,
  'workflowId' | 'runId' | 'status' | 'startTime' | 'typedSearchAttributes'
> & { closeTime?: Date | undefined; memo?: Record<string, unknown> | undefined };

/** The id of the journey that an execution starts: the same execution never starts two, and nobody else can compute it. */
export async function journeyOf(client: Client, executionId: string): Promise<string> {
  const value = await namespaceSecret(client);
  return keyedJourneyId(value, 'dispatch', '', executionId);
}

/** One page of dispatches that match a query, newest first, as Temporal lists them. */
export async function listDispatches(
  client: Client,
  query: string,
  page: Page,
): Promise<{ infos: DispatchInfo[]; nextPageToken?: string }> {
  return await listExecutions(client, `WorkflowType = '${dispatchWorkflow}' AND ${query}`, page);
}

/** The public view of a dispatch. */
export async function runOf(client: Client, info: DispatchInfo): Promise<JobRun> {
  const { job, envelope } = (info.memo ?? {}) as DispatchMemo;
  const closing = await closeOf(client, info);
  const phase = phaseOf(info);
  const type = job?.targetAction.type ?? envelope?.target.type;
  // For a terminated dispatch it is unknown whether it had started its journey.
  const mayHave = type === 'workflow_start' && phase !== 'incoming' && closing?.endedAt === undefined;
  return {
    executionId: info.workflowId,
    jobId: job?.jobId ?? envelope?.jobId ?? null,
    orchestratorId: info.typedSearchAttributes.get(keys.OrchestratorId) ?? '',
    origin: envelope?.origin ?? (job && originOf(job, nominalOf(info))) ?? 'schedule',
    triggeredAt: envelope?.triggeredAt ?? new Date(nominalOf(info)).toISOString(),
    phase,
    startedAt: info.startTime.toISOString(),
    endedAt: info.closeTime?.toISOString() ?? null,
    result: closing ? resultOf(closing) : null,
    journeyId: closing?.journeyId ?? (mayHave ? await journeyOf(client, info.workflowId) : null),
  };
}

/** The origin of a run of a job. */
export function originOf(job: JobRecord, nominal: number): 'schedule' | 'run_now' {
  return triggerOf(jobCadence(job), nominal) === 'hand' ? 'run_now' : 'schedule';
}

function resultOf({ outcome, reason, occurrences }: DispatchResult): DispatchResult {
  return { outcome, reason, occurrences };
}

const phases: readonly string[] = ['incoming', 'processing', 'outgoing'];

/** The phase of a dispatch. */
export function phaseOf(info: DispatchInfo): ExecutionPhase {
  if (info.status.name !== 'RUNNING') return 'done';
  const state = info.typedSearchAttributes.get(keys.JourneyState);
  return state !== undefined && phases.includes(state) ? (state as ExecutionPhase) : 'incoming';
}

/** The result of a dispatch; undefined while it runs. A terminated one has no account. */
export async function closeOf(
  client: Client,
  info: DispatchInfo,
): Promise<(DispatchResult & Partial<DispatchClose>) | undefined> {
  if (info.status.name === 'RUNNING' || info.status.name === 'PAUSED') return undefined;
  const event = await lastEvent(client, info);
  const { loadedDataConverter } = client.options;
  if (info.status.name === 'COMPLETED') {
    const payloads = event?.workflowExecutionCompletedEventAttributes?.result?.payloads;
    const [closing] = (await decodeArrayFromPayloads(loadedDataConverter, payloads)) as [DispatchClose?];
    return closing ?? { outcome: 'succeeded', reason: null, occurrences: [] };
  }
  if (info.status.name === 'CANCELLED') {
    const payloads = event?.workflowExecutionCanceledEventAttributes?.details?.payloads;
    const [closing] = (await decodeArrayFromPayloads(loadedDataConverter, payloads)) as [DispatchClose?];
    return closing ?? endedBy('CANCELLED', 'It was cancelled.');
  }
  const { failure } = event?.workflowExecutionFailedEventAttributes ?? {};
  const error = await decodeOptionalFailureToOptionalError(loadedDataConverter, failure);
  if (error instanceof ApplicationFailure)
    return (error.details?.[0] as DispatchClose | undefined) ?? endedBy(error.type ?? 'FAILED', error.message);
  const { reason, identity } = event?.workflowExecutionTerminatedEventAttributes ?? {};
  return endedBy(info.status.name, [reason, identity].filter(Boolean).join(', by ') || 'It was terminated.');
}

function endedBy(code: string, message: string): DispatchResult {
  return { outcome: 'failed', reason: { code, message }, occurrences: [] };
}
