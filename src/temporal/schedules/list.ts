import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import type { temporal } from '@temporalio/proto';
import { keys, searchable, searched } from '../../../workflows/search-attributes.js';
import type { BindingRequest } from '../../scheduling/bindings/record.js';
import { describe } from '../../scheduling/cadence/describe.js';
import type { ListSchedules, Page, ScheduledRun, ScheduleState, ScheduleSummary } from '../../service/schedules.js';
import { asProblem } from '../failures.js';
import { nextPage, pageToken } from '../page-token.js';
import { quoted } from '../quoted.js';
import { executionInfoFromRaw, tsToMs } from '../sdk.js';
import { describedView } from '../views.js';
import { isOnGrid, realTimes } from './drift.js';
import { cadenceOfTags, keyword, tagged } from './keywords.js';
import { endOf } from './run-end.js';
import { findBroken } from './snapshot.js';

const bindings = "ScheduleKind = 'binding'";
const notExhausted = 'JourneyOutcome IS NULL';

/** The query for bindings that may still run. */
export const activeOnes = `${bindings} AND ${notExhausted}`;

const stateQuery: Record<ScheduleState, string> = {
  active: `TemporalSchedulePaused = false AND ${notExhausted}`,
  paused: `TemporalSchedulePaused = true AND ${notExhausted}`,
  exhausted: "JourneyOutcome = 'EXHAUSTED'",
  moved: "JourneyOutcome = 'MOVED'",
  // No query can find them: they are picked out from among the others.
  broken: notExhausted,
};

/** One page of bindings, from what visibility knows of them: their contexts are not read. */
export async function listBindings(
  client: Client,
  query: ListSchedules,
): Promise<{ items: ScheduleSummary[]; nextPageToken?: string }> {
  const parts = [bindings];
  if (query.journeyName !== undefined) parts.push(`JourneyName = ${quoted(query.journeyName)}`);
  if (query.subjectId !== undefined) parts.push(`SubjectId = ${quoted(query.subjectId)}`);
  if (query.state) parts.push(stateQuery[query.state]);
  const filter = parts.join(' AND ');
  const { schedules, nextPageToken } = await client.workflowService
    .listSchedules({
      namespace: client.options.namespace,
      query: filter,
      maximumPageSize: query.pageSize,
      nextPageToken: pageToken(query.pageToken, filter),
    })
    .catch((error) => Promise.reject(asProblem(error)));
  const all = await Promise.all(schedules.map((entry) => checked(client, entry)));
  const items = query.state ? all.filter(({ state }) => state === query.state) : all;
  return { items, ...nextPage(nextPageToken, filter) };
}

/**
 * A list entry does not show whether its Schedule still has its binding, and describing every one would cost too much. But whatever removes
 * the binding leaves traces: no note, or times that differ from its tags.
 */
async function checked(client: Client, entry: temporal.api.schedule.v1.IScheduleListEntry): Promise<ScheduleSummary> {
  const summary = summaryOf(entry);
  if (endings.has(summary.state) || !isSuspicious(entry)) return summary;
  if (!(await findBroken(client, summary.scheduleId))) return summary;
  return { ...summary, state: 'broken', nextRunAt: null, note: brokenNote };
}

/** Those of which nothing will run any more. */
const endings: ReadonlySet<ScheduleState> = new Set(['exhausted', 'moved']);

const brokenNote = 'Its action was rewritten from outside; repair or delete it';

function isSuspicious({ info, searchAttributes }: temporal.api.schedule.v1.IScheduleListEntry): boolean {
  const tags = tagged(searchAttributes);
  const cadence = cadenceOfTags(tags);
  const next = (info?.futureActionTimes ?? []).map(tsToMs);
  return !info?.notes || next.length === 0 || (cadence !== undefined && !isOnGrid(cadence, next, tags));
}

function summaryOf(entry: temporal.api.schedule.v1.IScheduleListEntry): ScheduleSummary {
  const { info } = entry;
  const attribute = (name: keyof typeof keys) => keyword(entry.searchAttributes?.indexedFields?.[name]?.data);
  const over = { EXHAUSTED: 'exhausted', MOVED: 'moved' }[attribute('JourneyOutcome') ?? ''] as
    | ScheduleState
    | undefined;
  const state = over ?? (info?.paused ? 'paused' : 'active');
  const last = info?.recentActions?.at(-1)?.actualTime;
  const tags = tagged(entry.searchAttributes);
  const cadence = cadenceOfTags(tags);
  const planned = (info?.futureActionTimes ?? []).map(tsToMs);
  const [next] = cadence ? realTimes(cadence, planned) : planned;
  return {
    scheduleId: entry.scheduleId ?? '',
    kind: 'binding',
    journeyName: attribute('JourneyName') ?? '',
    journeyVersion: attribute('JourneyVersion') ?? '',
    startStateId: attribute('JourneyState') ?? '',
    subjectId: attribute('SubjectId') ?? null,
    state,
    nextRunAt: state === 'active' && next !== undefined ? iso(next) : null,
    lastRunAt: last ? iso(tsToMs(last)) : null,
    lastResult: tags.lastResult ?? null,
    runsExecuted: tags.runsExecuted ?? null,
    maxRuns: tags.maxRuns ?? null,
    cadence: cadence ? describe(cadence) : null,
    note: info?.notes ?? '',
  };
}

const scheduledStart = defineSearchAttributeKey('TemporalScheduledStartTime', SearchAttributeType.DATETIME);

/** One page of the runs that a Schedule started, newest first. */
export async function listScheduledRuns(
  client: Client,
  scheduleId: string,
  page: Page,
): Promise<{ items: ScheduledRun[]; nextPageToken?: string }> {
  const { namespace, loadedDataConverter } = client.options;
  const filter = `TemporalScheduledById = ${quoted(scheduleId)} AND ExecutionStatus != 'ContinuedAsNew'`;
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
  const toItem = async (info: WorkflowExecutionInfo): Promise<ScheduledRun> => {
    const attributes = info.typedSearchAttributes;
    return {
      journeyId: info.workflowId,
      phase: describedView(info).phase,
      ...(await endOf(client, info)),
      ...(attributes.get(keys.JourneyOutcome) === 'SKIPPED' && { skipped: true }),
      scheduledAt: (attributes.get(scheduledStart) ?? info.startTime).toISOString(),
      startedAt: info.startTime.toISOString(),
      endedAt: info.closeTime?.toISOString() ?? null,
    };
  };
  const items = await Promise.all(infos.map(toItem));
  return { items, ...nextPage(nextPageToken, filter) };
}

type Identity = Pick<BindingRequest, 'journeyName' | 'journeyVersion' | 'subjectId' | 'startStateId'>;

/**
 * Ids of the bindings with an identity key that are not exhausted, as visibility knows them. A server's database may scan every schedule for
 * a query with several attributes, so it is asked for the subject alone where there is one; few schedules share it, as a rule.
 */
export async function activeBindings(client: Client, key: Identity): Promise<string[]> {
  const { subjectId } = key;
  if (subjectId !== null) {
    const { schedules, nextPageToken } = await listed(client, `SubjectId = ${quoted(subjectId)}`, ofOneSubject);
    if (nextPageToken.length === 0) return schedules.filter((it) => isActive(it, key)).map(idOf);
  }
  const parts = [
    bindings,
    notExhausted,
    `JourneyName = ${quoted(key.journeyName)}`,
    `JourneyVersion = ${quoted(key.journeyVersion)}`,
    `JourneyState = ${quoted(key.startStateId)}`,
    subjectId === null ? 'SubjectId IS NULL' : `SubjectId = ${quoted(subjectId)}`,
  ];
  return (await listed(client, parts.join(' AND '), 2)).schedules.map(idOf);
}

const ofOneSubject = 20;

async function listed(client: Client, query: string, maximumPageSize: number) {
  const { namespace } = client.options;
  return await client.workflowService
    .listSchedules({ namespace, query, maximumPageSize })
    .catch((error) => Promise.reject(asProblem(error)));
}

function isActive({ searchAttributes }: temporal.api.schedule.v1.IScheduleListEntry, key: Identity): boolean {
  const read = (name: keyof typeof keys) => keyword(searchAttributes?.indexedFields?.[name]?.data);
  const has = (name: keyof typeof keys, text: string) => read(name) === searched(searchable(text));
  return (
    has('ScheduleKind', 'binding') &&
    read('JourneyOutcome') === undefined &&
    has('JourneyName', key.journeyName) &&
    has('JourneyVersion', key.journeyVersion) &&
    has('JourneyState', key.startStateId)
  );
}

function idOf({ scheduleId }: temporal.api.schedule.v1.IScheduleListEntry): string {
  return scheduleId ?? '';
}

function iso(instant: number): string {
  return new Date(instant).toISOString();
}
