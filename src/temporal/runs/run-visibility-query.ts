import type { WorkflowExecutionInfo } from '@temporalio/client';
import { awaitsStep, keys, searched } from '../../../workflows/shared/run-search-attributes.js';
import { type Access, canAccess } from '../../service/access.js';
import type { RunFilter } from '../../service/runs-interface.js';
import { queryLiteral } from '../query-literal.js';
import { ownerOf } from './run-ids.js';

/** Query for runs of journeys, of any workflow type. */
export const areRuns = 'JourneyName IS NOT NULL';

/** Query for running runs that wait for a step. */
export const areWaiting = `ExecutionStatus = 'Running' AND JourneyOutcome = '${awaitsStep}'`;

const statusQuery = {
  RUNNING: "ExecutionStatus = 'Running'",
  SUCCEEDED: "ExecutionStatus = 'Completed'",
  FAILED: "ExecutionStatus IN ('Failed', 'Canceled', 'Terminated', 'TimedOut')",
} as const;

/** Error codes of runs that Temporal ended, which have no outcome of their own. */
const endedByTemporal: Readonly<Record<string, string>> = {
  RUN_TERMINATED: "ExecutionStatus = 'Terminated'",
  RUN_TIMED_OUT: "ExecutionStatus = 'TimedOut'",
};

/** Query for runs that match a filter and that a caller can access. */
export function runQuery(filter: RunFilter, access: Access): string {
  return [...matching(filter), ...withinReach(access)].join(' AND ');
}

/** Reports whether a caller can access a run, by Temporal's data. Some databases compare strings less strictly than we do. */
export function isReached(
  access: Access,
  { typedSearchAttributes }: Pick<WorkflowExecutionInfo, 'typedSearchAttributes'>,
): boolean {
  const owner = typedSearchAttributes.get(keys.StartedBy);
  return canAccess(
    { ...access, caller: access.recordedAs ?? ownerOf(access.caller) },
    {
      journeyName: typedSearchAttributes.get(keys.JourneyName) ?? '',
      startedBy: owner === undefined ? undefined : searched(owner),
    },
  );
}

/** The same as a query, so that pages are full. */
function withinReach({ caller, runs, journeys }: Access): string[] {
  const parts = runs === 'all' ? [] : [`StartedBy = ${queryLiteral(ownerOf(caller))}`];
  if (journeys.includes('*')) return parts;
  const names = journeys.map((it) =>
    it.endsWith('*') ? `JourneyName STARTS_WITH ${queryLiteral(it.slice(0, -1))}` : `JourneyName = ${queryLiteral(it)}`,
  );
  // Matches no run.
  return [...parts, names.length === 0 ? "JourneyName = ''" : `(${names.join(' OR ')})`];
}

/** Filters that compare one search attribute. */
const comparisons = {
  journeyName: 'JourneyName =',
  journeyVersion: 'JourneyVersion =',
  currentState: 'JourneyState =',
  subjectId: 'SubjectId =',
  tenantId: 'TenantId =',
  scheduleId: 'TemporalScheduledById =',
  startedFrom: 'StartTime >=',
  startedBefore: 'StartTime <',
  endedFrom: 'CloseTime >=',
  endedBefore: 'CloseTime <',
} as const;

function matching(filter: RunFilter): string[] {
  const { ids, phase, startedBy, errorCode, tags, attributes } = filter;
  const parts = [areRuns, "ExecutionStatus != 'ContinuedAsNew'"];
  for (const [name, comparison] of Object.entries(comparisons)) {
    const value = filter[name as keyof typeof comparisons];
    if (value !== undefined) parts.push(`${comparison} ${queryLiteral(value)}`);
  }
  // An empty list of ids matches no run.
  if (ids) parts.push(`WorkflowId IN (${['', ...ids].map(queryLiteral).join(', ')})`);
  if (phase) parts.push(statusQuery[phase]);
  if (startedBy !== undefined) parts.push(`StartedBy = ${queryLiteral(ownerOf(startedBy))}`);
  if (errorCode !== undefined) parts.push(failedWith(errorCode));
  for (const tag of tags) parts.push(`JourneyTags = ${queryLiteral(tag)}`);
  for (const [key, value] of Object.entries(attributes)) parts.push(`JourneyTags = ${queryLiteral(`${key}=${value}`)}`);
  return parts;
}

function failedWith(code: string): string {
  if (Object.hasOwn(endedByTemporal, code)) return endedByTemporal[code]!;
  return `JourneyOutcome = ${queryLiteral(code)} AND ExecutionStatus IN ('Failed', 'Canceled')`;
}
