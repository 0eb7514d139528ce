import type { Client } from '@temporalio/client';
import { searchable } from '../../workflows/search-attributes.js';
import type { ListRuns, RunView } from '../service/runs.js';
import { nextPage, pageToken } from './page-token.js';
import { executionInfoFromRaw } from './sdk.js';
import { describedView } from './views.js';

/** What tells runs of journeys from other workflows, whatever their type. */
export const areRuns = 'JourneyName IS NOT NULL';

const statusQuery = {
  RUNNING: "ExecutionStatus = 'Running'",
  SUCCEEDED: "ExecutionStatus = 'Completed'",
  FAILED: "ExecutionStatus IN ('Failed', 'Canceled', 'Terminated', 'TimedOut')",
} as const;

/** One page of runs, newest first, from what visibility knows of them. */
export async function listRuns(client: Client, query: ListRuns): Promise<{ items: RunView[]; nextPageToken?: string }> {
  const filter = visibilityQuery(query);
  const response = await client.workflowService.listWorkflowExecutions({
    namespace: client.options.namespace,
    query: filter,
    pageSize: query.pageSize,
    nextPageToken: pageToken(query.pageToken, filter),
  });
  const infos = await Promise.all(
    response.executions.map((raw) =>
      executionInfoFromRaw(raw, client.options.loadedDataConverter, raw, client.options.namespace),
    ),
  );
  return { items: infos.map((info) => describedView(info)), ...nextPage(response.nextPageToken, filter) };
}

function visibilityQuery(query: ListRuns): string {
  const parts = [areRuns, "ExecutionStatus != 'ContinuedAsNew'"];
  if (query.journeyName !== undefined) parts.push(`JourneyName = ${quoted(query.journeyName)}`);
  if (query.phase) parts.push(statusQuery[query.phase]);
  if (query.subjectId !== undefined) parts.push(`SubjectId = ${quoted(query.subjectId)}`);
  if (query.tenantId !== undefined) parts.push(`TenantId = ${quoted(query.tenantId)}`);
  for (const tag of query.tags) parts.push(`JourneyTags = ${quoted(tag)}`);
  for (const [key, value] of Object.entries(query.attributes)) parts.push(`JourneyTags = ${quoted(`${key}=${value}`)}`);
  return parts.join(' AND ');
}

/** A text of ours in Temporal's list filter; quotes inside it are doubled, so that no value can become part of the query. */
export function quoted(text: string): string {
  return `'${searchable(text).replaceAll("'", "''")}'`;
}
