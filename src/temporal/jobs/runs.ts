import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { ApplicationFailure, defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { type DispatchClose, type DispatchMemo, dispatchWorkflow } from '../../../workflows/dispatch-input.js';
import { keys } from '../../../workflows/search-attributes.js';
import { triggerOf } from '../../scheduling/jobs/account.js';
import type { DispatchResult, Phase } from '../../scheduling/jobs/envelope.js';
import { cadenceOf, type JobRecord } from '../../scheduling/jobs/record.js';
import type { JobRun } from '../../service/jobs.js';
import type { Page } from '../../service/schedules.js';
import { asProblem } from '../failures.js';
import { namespaceSecret } from '../namespace-secret.js';
import { nextPage, pageToken } from '../page-token.js';
import { keyedJourneyId } from '../run-ids.js';
import { lastEvent } from '../schedules/run-end.js';
import { decodeArrayFromPayloads, decodeOptionalFailureToOptionalError, executionInfoFromRaw } from '../sdk.js';

/** A dispatch as a list or a description of Temporal's shows it, as far as we read it. */
export type Seen = Pick<
  WorkflowExecutionInfo,
  'workflowId' | 'runId' | 'status' | 'startTime' | 'typedSearchAttributes'
> & { closeTime?: Date | undefined; memo?: Record<string, unknown> | undefined };

const scheduledStart = defineSearchAttributeKey('TemporalScheduledStartTime', SearchAttributeType.DATETIME);

/** The id of the journey that an execution starts: the same execution never starts two, and nobody else can compute it. */
export async function journeyOf(client: Client, executionId: string): Promise<string> {
  const { value } = await namespaceSecret(client);
  return keyedJourneyId(value, 'dispatch', '', executionId);
}

/** One page of dispatches that match a query, newest first, as Temporal lists them. */
export async function listDispatches(
  client: Client,
  query: string,
  page: Page,
): Promise<{ infos: Seen[]; nextPageToken?: string }> {
  const { namespace, loadedDataConverter } = client.options;
  const filter = `WorkflowType = '${dispatchWorkflow}' AND ${query}`;
  const { executions, nextPageToken } = await client.workflowService
    .listWorkflowExecutions({
      namespace,
      query: filter,
      pageSize: page.pageSize,
      nextPageToken: pageToken(page.pageToken, filter),
    })
    .catch((error) => Promise.reject(asProblem(error)));
  const infos = await Promise.all(
    executions.map((raw) => executionInfoFromRaw(raw, loadedDataConverter, raw, namespace)),
  );
  return { infos, ...nextPage(nextPageToken, filter) };
}

/** When a dispatch should have started. */
export function nominalOf(info: Seen): number {
  return (info.typedSearchAttributes.get(scheduledStart) ?? info.startTime).getTime();
}

/** A dispatch for those who look at it. */
export async function runOf(client: Client, info: Seen): Promise<JobRun> {
  const { job, envelope } = (info.memo ?? {}) as DispatchMemo;
  const closing = await closeOf(client, info);
  const phase = phaseOf(info);
  const type = job?.targetAction.type ?? envelope?.target.type;
  // One that was ended from outside does not say whether it had started its journey.
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

/** Who started a run of a job. */
export function originOf(job: JobRecord, nominal: number): 'schedule' | 'run_now' {
  return triggerOf(cadenceOf(job), nominal) === 'hand' ? 'run_now' : 'schedule';
}

function resultOf({ outcome, reason, occurrences }: DispatchResult): DispatchResult {
  return { outcome, reason, occurrences };
}

const phases: readonly string[] = ['incoming', 'processing', 'outgoing'];

function phaseOf(info: Seen): Phase {
  if (info.status.name !== 'RUNNING') return 'done';
  const state = info.typedSearchAttributes.get(keys.JourneyState);
  return state !== undefined && phases.includes(state) ? (state as Phase) : 'incoming';
}

/** How a dispatch closed; undefined while it runs. One that was ended from outside has no account. */
export async function closeOf(
  client: Client,
  info: Seen,
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
    return closing ?? endedBy('CANCELLED', 'Somebody cancelled it.');
  }
  const { failure } = event?.workflowExecutionFailedEventAttributes ?? {};
  const error = await decodeOptionalFailureToOptionalError(loadedDataConverter, failure);
  if (error instanceof ApplicationFailure)
    return (error.details?.[0] as DispatchClose | undefined) ?? endedBy(error.type ?? 'FAILED', error.message);
  const { reason, identity } = event?.workflowExecutionTerminatedEventAttributes ?? {};
  return endedBy(info.status.name, [reason, identity].filter(Boolean).join(', by ') || 'It was ended from outside.');
}

function endedBy(code: string, message: string): DispatchResult {
  return { outcome: 'failed', reason: { code, message }, occurrences: [] };
}
