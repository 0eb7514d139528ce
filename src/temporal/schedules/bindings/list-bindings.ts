import type { Client } from '@temporalio/client';
import { type keys, searchable, searched } from '../../../../workflows/shared/run-search-attributes.js';
import { describeCadence } from '../../../schedules/cadence/describe-cadence.js';
import type { ListSchedules, ScheduleState, ScheduleSummary } from '../../../service/schedules-interface.js';
import { queryLiteral } from '../../query-literal.js';
import { tsToMs } from '../../sdk-internals.js';
import { isOnGrid, realTimes } from '../check-and-extend-start-times.js';
import { keyword } from '../describe-schedule.js';
import { allSchedules, listSchedules, type ScheduleEntry } from '../list-schedules.js';
import { isBroken } from '../managed-schedule.js';
import type { BindingKey } from './binding-id.js';
import { bindingSchedule } from './binding-schedule.js';
import { cadenceOfTags, readBindingTags } from './binding-tags.js';

const bindings = "ScheduleKind = 'binding'";
const notExhausted = 'JourneyOutcome IS NULL';

/** The query for bindings that may still run. */
export const unexhausted = `${bindings} AND ${notExhausted}`;

const stateQuery: Record<ScheduleState, string> = {
  active: `TemporalSchedulePaused = false AND ${notExhausted}`,
  paused: `TemporalSchedulePaused = true AND ${notExhausted}`,
  exhausted: "JourneyOutcome = 'EXHAUSTED'",
  migrated: "JourneyOutcome = 'MIGRATED'",
  // They cannot be queried; they are filtered from the others.
  broken: notExhausted,
};

/** One page of bindings, from visibility alone: their contexts are not read. */
export async function listBindings(
  client: Client,
  query: ListSchedules,
): Promise<{ items: ScheduleSummary[]; nextPageToken?: string }> {
  const parts = [bindings];
  if (query.journeyName !== undefined) parts.push(`JourneyName = ${queryLiteral(query.journeyName)}`);
  if (query.subjectId !== undefined) parts.push(`SubjectId = ${queryLiteral(query.subjectId)}`);
  if (query.state) parts.push(stateQuery[query.state]);
  const filter = parts.join(' AND ');
  const { entries, ...more } = await listSchedules(client, filter, query);
  const all = await Promise.all(entries.map((entry) => checked(client, entry)));
  const items = query.state ? all.filter(({ state }) => state === query.state) : all;
  return { items, ...more };
}

/**
 * A list entry does not show whether its Schedule still has its record, and describing every one would cost too much. But an update that
 * drops the record leaves traces: no note, or times that differ from the tags.
 */
async function checked(client: Client, entry: ScheduleEntry): Promise<ScheduleSummary> {
  const summary = summaryOf(entry);
  if (endings.has(summary.state) || !isSuspicious(entry)) return summary;
  const schedule = bindingSchedule(client, summary.scheduleId);
  try {
    const found = await schedule.find();
    return found ? { ...summary, drift: schedule.drift(found) } : summary;
  } catch (error) {
    if (!isBroken(error)) throw error;
    return { ...summary, state: 'broken', nextRunAt: null, note: brokenNote };
  }
}

/** States in which no further run will start. */
const endings: ReadonlySet<ScheduleState> = new Set(['exhausted', 'migrated']);

const brokenNote = 'Its action was rewritten outside Journeyman; repair or delete it';

function isSuspicious(entry: ScheduleEntry): boolean {
  const { info } = entry;
  const tags = readBindingTags(entry);
  const cadence = cadenceOfTags(tags);
  const next = (info?.futureActionTimes ?? []).map(tsToMs);
  return !info?.notes || next.length === 0 || (cadence !== undefined && !isOnGrid(cadence, next, tags));
}

function summaryOf(entry: ScheduleEntry): ScheduleSummary {
  const { info } = entry;
  const attribute = (name: keyof typeof keys) => keyword(entry, name);
  const over = { EXHAUSTED: 'exhausted', MIGRATED: 'migrated' }[attribute('JourneyOutcome') ?? ''] as
    | ScheduleState
    | undefined;
  const state = over ?? (info?.paused ? 'paused' : 'active');
  const last = info?.recentActions?.at(-1)?.actualTime;
  const tags = readBindingTags(entry);
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
    owner: attribute('StartedBy') ?? null,
    state,
    nextRunAt: state === 'active' && next !== undefined ? iso(next) : null,
    lastRunAt: last ? iso(tsToMs(last)) : null,
    lastResult: tags.lastResult ?? null,
    runsExecuted: tags.runsExecuted ?? null,
    maxRuns: tags.maxRuns ?? null,
    cadence: cadence ? describeCadence(cadence) : null,
    note: info?.notes ?? '',
    drift: [],
  };
}

/**
 * Ids of the unexhausted bindings with an identity key, from visibility; of every owner if the key has none. A server's database may scan every schedule for a query with
 * several attributes, so the query uses only the subject if there is one, which few schedules usually share.
 */
export async function activeBindings(client: Client, key: BindingKey): Promise<string[]> {
  const { subjectId, owner } = key;
  if (subjectId !== null) {
    const page = await listSchedules(client, `SubjectId = ${queryLiteral(subjectId)}`, { pageSize: ofOneSubject });
    if (page.nextPageToken === undefined) return page.entries.filter((it) => isActive(it, key)).map(idOf);
  }
  const parts = [
    bindings,
    notExhausted,
    `JourneyName = ${queryLiteral(key.journeyName)}`,
    `JourneyVersion = ${queryLiteral(key.journeyVersion)}`,
    `JourneyState = ${queryLiteral(key.startStateId)}`,
    subjectId === null ? 'SubjectId IS NULL' : `SubjectId = ${queryLiteral(subjectId)}`,
    ...(owner === undefined ? [] : [`StartedBy = ${queryLiteral(owner)}`]),
  ];
  return (await listSchedules(client, parts.join(' AND '), { pageSize: ofOneSubject })).entries.map(idOf);
}

const ofOneSubject = 20;

/**
 * Ids of the bindings of a subject and start state that can be stopped or were, of every version, from visibility; of every owner if the key
 * has none. A tag distinguishes stopped bindings from those that have had all their runs.
 */
export async function stoppableBindings(client: Client, key: BindingKey): Promise<string[]> {
  const { subjectId } = key;
  const parts = [
    bindings,
    `JourneyName = ${queryLiteral(key.journeyName)}`,
    subjectId === null ? 'SubjectId IS NULL' : `SubjectId = ${queryLiteral(subjectId)}`,
  ];
  const found: string[] = [];
  for await (const entry of allSchedules(client, subjectId === null ? parts.join(' AND ') : parts[2]!))
    if (isOfKey(entry, key) && (isUnexhausted(entry) || wasStopped(entry))) found.push(entry.id);
  return found;
}

function wasStopped(entry: ScheduleEntry): boolean {
  return readBindingTags(entry).stopped !== undefined;
}

function isActive(entry: ScheduleEntry, key: BindingKey): boolean {
  return isOfKey(entry, key) && isUnexhausted(entry) && hasAttribute(entry, 'JourneyVersion', key.journeyVersion);
}

function isUnexhausted(entry: ScheduleEntry): boolean {
  return keyword(entry, 'JourneyOutcome') === undefined;
}

/** Whether an entry is a binding with this identity, of any version. */
function isOfKey(entry: ScheduleEntry, { journeyName, startStateId, owner }: BindingKey): boolean {
  return (
    hasAttribute(entry, 'ScheduleKind', 'binding') &&
    hasAttribute(entry, 'JourneyName', journeyName) &&
    hasAttribute(entry, 'JourneyState', startStateId) &&
    (owner === undefined || hasAttribute(entry, 'StartedBy', owner))
  );
}

function hasAttribute(entry: ScheduleEntry, name: keyof typeof keys, text: string): boolean {
  return keyword(entry, name) === searched(searchable(text));
}

function idOf({ scheduleId }: ScheduleEntry): string {
  return scheduleId ?? '';
}

function iso(instant: number): string {
  return new Date(instant).toISOString();
}
