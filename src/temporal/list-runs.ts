import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { keys, searched } from '../../workflows/search-attributes.js';
import { type Access, reaches } from '../service/access.js';
import type { ListRuns, RunView } from '../service/runs.js';
import { listedOf } from './listed.js';
import { newestOnly } from './newest-executions.js';
import { nextPage, pageToken } from './page-token.js';
import { quoted } from './quoted.js';
import { ownerOf } from './run-ids.js';
import { describedView, isGuarded } from './views.js';

/** What tells runs of journeys from other workflows, whatever their type. */
export const areRuns = 'JourneyName IS NOT NULL';

const statusQuery = {
  RUNNING: "ExecutionStatus = 'Running'",
  SUCCEEDED: "ExecutionStatus = 'Completed'",
  FAILED: "ExecutionStatus IN ('Failed', 'Canceled', 'Terminated', 'TimedOut')",
} as const;

/** One page of runs, newest first, from what visibility knows of them. */
export async function listRuns(
  client: Client,
  query: ListRuns,
  access: Access,
): Promise<{ items: RunView[]; nextPageToken?: string }> {
  const filter = [...visibilityQuery(query), ...withinReach(access)].join(' AND ');
  const response = await client.workflowService.listWorkflowExecutions({
    namespace: client.options.namespace,
    query: filter,
    pageSize: query.pageSize,
    nextPageToken: pageToken(query.pageToken, filter),
  });
  const infos = await Promise.all(response.executions.map((raw) => listedOf(client, raw)));
  // Some databases compare texts more generously than we do. Nobody knows whether a run that cannot be read is guarded.
  const reached = infos.filter(
    (info) => isReached(access, info) && (access.listsGuarded || !(info.unreadable || isGuarded(info))),
  );
  const newest = await newestOnly(client, reached);
  return { items: newest.map((info) => describedView(info)), ...nextPage(response.nextPageToken, filter) };
}

/** Whether a run is within somebody's reach, by what Temporal knows of it. */
export function isReached(
  access: Access,
  { typedSearchAttributes }: Pick<WorkflowExecutionInfo, 'typedSearchAttributes'>,
): boolean {
  const owner = typedSearchAttributes.get(keys.StartedBy);
  return reaches(
    { ...access, caller: ownerOf(access.caller) },
    {
      journeyName: typedSearchAttributes.get(keys.JourneyName) ?? '',
      startedBy: owner === undefined ? undefined : searched(owner),
    },
  );
}

/** The same for the server, so that pages are full. */
function withinReach({ caller, runs, journeys }: Access): string[] {
  const parts = runs === 'all' ? [] : [`StartedBy = ${quoted(ownerOf(caller))}`];
  if (journeys.includes('*')) return parts;
  const names = journeys.map((it) =>
    it.endsWith('*') ? `JourneyName STARTS_WITH ${quoted(it.slice(0, -1))}` : `JourneyName = ${quoted(it)}`,
  );
  // Nobody has such a name.
  return [...parts, names.length === 0 ? "JourneyName = ''" : `(${names.join(' OR ')})`];
}

function visibilityQuery(query: ListRuns): string[] {
  const parts = [areRuns, "ExecutionStatus != 'ContinuedAsNew'"];
  if (query.journeyName !== undefined) parts.push(`JourneyName = ${quoted(query.journeyName)}`);
  if (query.phase) parts.push(statusQuery[query.phase]);
  if (query.subjectId !== undefined) parts.push(`SubjectId = ${quoted(query.subjectId)}`);
  if (query.tenantId !== undefined) parts.push(`TenantId = ${quoted(query.tenantId)}`);
  if (query.journeyVersion !== undefined) parts.push(`JourneyVersion = ${quoted(query.journeyVersion)}`);
  if (query.currentState !== undefined) parts.push(`JourneyState = ${quoted(query.currentState)}`);
  if (query.startedBy !== undefined) parts.push(`StartedBy = ${quoted(ownerOf(query.startedBy))}`);
  if (query.startedFrom !== undefined) parts.push(`StartTime >= ${quoted(query.startedFrom)}`);
  if (query.startedBefore !== undefined) parts.push(`StartTime < ${quoted(query.startedBefore)}`);
  for (const tag of query.tags) parts.push(`JourneyTags = ${quoted(tag)}`);
  for (const [key, value] of Object.entries(query.attributes)) parts.push(`JourneyTags = ${quoted(`${key}=${value}`)}`);
  return parts;
}
