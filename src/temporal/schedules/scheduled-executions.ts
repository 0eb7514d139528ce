import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import type { Page } from '../../service/schedules-interface.js';
import { asProblem, isNotFound } from '../classify-temporal-errors.js';
import { nextPage, pageToken } from '../page-token.js';
import { queryLiteral } from '../query-literal.js';
import { executionInfoFromRaw } from '../sdk-internals.js';

/** The search attributes that Temporal gives to the runs of a Schedule. */
export const scheduledById = defineSearchAttributeKey('TemporalScheduledById', SearchAttributeType.KEYWORD);
export const scheduledStartTime = defineSearchAttributeKey('TemporalScheduledStartTime', SearchAttributeType.DATETIME);

/** The query for the runs of a Schedule. */
export function runsOf(scheduleId: string): string {
  return `TemporalScheduledById = ${queryLiteral(scheduleId)}`;
}

/** When a run should have started. */
export function nominalOf(info: Pick<WorkflowExecutionInfo, 'typedSearchAttributes' | 'startTime'>): number {
  return (info.typedSearchAttributes.get(scheduledStartTime) ?? info.startTime).getTime();
}

/** One page of the executions that match a visibility query, newest first. */
export async function listExecutions(
  client: Client,
  query: string,
  page: Page,
): Promise<{ infos: WorkflowExecutionInfo[]; nextPageToken?: string }> {
  const { namespace, loadedDataConverter } = client.options;
  const { executions, nextPageToken } = await client.workflowService
    .listWorkflowExecutions({
      namespace,
      query,
      pageSize: page.pageSize,
      nextPageToken: pageToken(page.pageToken, query),
    })
    .catch((error) => Promise.reject(asProblem(error)));
  const infos = await Promise.all(
    executions.map((raw) => executionInfoFromRaw(raw, loadedDataConverter, raw, namespace)),
  );
  return { infos, ...nextPage(nextPageToken, query) };
}

/** The number of executions that match a visibility query. */
export async function countExecutions(client: Client, query: string): Promise<number> {
  const { namespace } = client.options;
  const { count } = await client.workflowService
    .countWorkflowExecutions({ namespace, query })
    .catch((error) => Promise.reject(asProblem(error)));
  return Number(count);
}

/** The event that closed a run; undefined when the server no longer has its history. */
export async function lastEvent(
  client: Client,
  { workflowId, runId }: Pick<WorkflowExecutionInfo, 'workflowId' | 'runId'>,
) {
  const request = { namespace: client.options.namespace, execution: { workflowId, runId }, maximumPageSize: 1 };
  try {
    return (await client.workflowService.getWorkflowExecutionHistoryReverse(request)).history?.events?.[0];
  } catch (error) {
    // The server lists a run for a while after its history is gone.
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
