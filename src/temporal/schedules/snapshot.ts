import type { Client } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import type { JsonObject } from '../../json/value.js';
import { ProblemError, refuse } from '../../problems/problem.js';
import { accountGap, accountRun, isOn, type Occurrences } from '../../scheduling/bindings/occurrences.js';
import { type BindingRecord, cadenceOf, isExhausted, type RunName } from '../../scheduling/bindings/record.js';
import { asProblem, isNotFound } from '../failures.js';
import { decodeMapFromPayloads, tsToMs } from '../sdk.js';
import { keyword } from './keywords.js';
import { countKilled } from './killed.js';
import { statusOf } from './run-status.js';

export type RawDescription = temporal.api.workflowservice.v1.IDescribeScheduleResponse;

/** An action that a Schedule took: the run it started, when, and for which time. */
export interface Action extends RunName {
  nominal: number;
  startedAt: number;
}

/** A binding as its Schedule shows it at one moment. */
export interface Snapshot {
  readonly raw: RawDescription;
  readonly record: BindingRecord;
  /** Whether the Schedule holds this record too: it does not yet know of a run that was ended from outside. */
  readonly isWritten: boolean;
  readonly context: JsonObject;
  readonly paused: boolean;
  readonly note: string;
  readonly overlapSkipped: number;
  /** Actions that wait for the end of a run. */
  readonly buffered: number;
  /** The runs that are active. */
  readonly running: readonly RunName[];
  /** The last ten. */
  readonly recent: readonly Action[];
  readonly next: readonly number[];
}

/** A Schedule of ours whose action has lost its memo, and the binding with it: what Temporal's tools left of it. */
export type Broken = Omit<Snapshot, 'record' | 'isWritten' | 'context'>;

/** A binding, or SCHEDULE_UNKNOWN, or SCHEDULE_BROKEN. */
export async function describeBinding(client: Client, scheduleId: string): Promise<Snapshot> {
  const found = await findBinding(client, scheduleId);
  return found ?? refuse('SCHEDULE_UNKNOWN', `There is no schedule ${JSON.stringify(scheduleId.slice(0, 300))}.`);
}

/** What `describeBinding` refuses with. */
export function isUnknown(error: unknown): boolean {
  return error instanceof ProblemError && error.problem.code === 'SCHEDULE_UNKNOWN';
}

export function isBroken(error: unknown): boolean {
  return error instanceof ProblemError && error.problem.code === 'SCHEDULE_BROKEN';
}

/** The binding with that id, if any. Runs that were ended from outside are counted in it, though its Schedule may not say so yet. */
export async function findBinding(client: Client, scheduleId: string): Promise<Snapshot | undefined> {
  const read = await readBinding(client, scheduleId);
  if (!read) return undefined;
  const running = await allRunning(client, read);
  const record = await countKilled(client, { ...read, running });
  return { ...read, running, record, isWritten: record === read.record };
}

/** The runs that its Schedule follows, and the one that it does not. */
async function allRunning(client: Client, { record, running }: Snapshot): Promise<readonly RunName[]> {
  const { holder, accounted } = record;
  if (!holder || [...accounted, ...running.map(({ run }) => run)].includes(holder.run)) return running;
  return (await statusOf(client, holder)) === 'active' ? [...running, holder] : running;
}

async function readBinding(client: Client, scheduleId: string): Promise<Snapshot | undefined> {
  const read = await readSchedule(client, scheduleId);
  if (!read) return undefined;
  const { memo, ...seen } = read;
  if (!memo?.binding) return isOurs(seen.raw) ? refuseBroken(scheduleId) : undefined;
  const { recent, running, overlapSkipped } = seen;
  // A binding made by an earlier version does not keep this account yet.
  const ended = recent.filter(({ run }) => !running.some((it) => it.run === run));
  const begun = { accounted: ended.map(({ run }) => run), overlapSkipped };
  return {
    ...seen,
    record: { ...begun, ...(memo.binding as BindingRecord) },
    isWritten: true,
    context: memo.context as JsonObject,
  };
}

/** Refuses to do anything with a binding that gives way to another. */
export function refuseMoved({ scheduleId, move }: BindingRecord): void {
  if (!move) return;
  const { version, scheduleId: other } = move;
  refuse('SCHEDULE_MOVED', `${scheduleId} ${move.before ? 'moves' : 'has moved'} to version ${version}, as ${other}.`, {
    scheduleId: other,
    hint: move.before ? `Repeat the move to ${version} if nobody else does it now.` : `Use ${other}.`,
  });
}

function refuseBroken(scheduleId: string): never {
  return refuse('SCHEDULE_BROKEN', `Something else than Journeyman rewrote the action of ${scheduleId}.`, {
    scheduleId,
  });
}

/** A Schedule of ours that has lost its binding; undefined when there is no such Schedule, or nothing is wrong with it. */
export async function findBroken(client: Client, scheduleId: string): Promise<Broken | undefined> {
  const read = await readSchedule(client, scheduleId);
  if (!read || read.memo?.binding || !isOurs(read.raw)) return undefined;
  const { memo: _, ...broken } = read;
  return broken;
}

/** Its search attributes outlive what `temporal schedule update` does to its action. */
function isOurs({ searchAttributes }: RawDescription): boolean {
  return keyword(searchAttributes?.indexedFields?.ScheduleKind?.data) === 'binding';
}

/** Any Schedule, with the memo of its action. */
export type ReadSchedule = Broken & { readonly memo: Record<string, unknown> | undefined };

/** Undefined when there is no such Schedule. */
export async function readSchedule(client: Client, scheduleId: string): Promise<ReadSchedule | undefined> {
  const { namespace, loadedDataConverter } = client.options;
  const raw = await client.workflowService.describeSchedule({ namespace, scheduleId }).catch((error) => {
    if (isNotFound(error)) return undefined;
    throw asProblem(error);
  });
  if (!raw) return undefined;
  const memo = await decodeMapFromPayloads(loadedDataConverter, raw.schedule?.action?.startWorkflow?.memo?.fields);
  const { info = {}, schedule } = raw;
  const recent = (info?.recentActions ?? []).map(({ scheduleTime, actualTime, startWorkflowResult }) => ({
    nominal: tsToMs(scheduleTime),
    startedAt: tsToMs(actualTime),
    ...runName(startWorkflowResult),
  }));
  return {
    raw,
    memo,
    paused: schedule?.state?.paused === true,
    note: schedule?.state?.notes ?? '',
    overlapSkipped: Number(info?.overlapSkipped ?? 0),
    buffered: Number(info?.bufferSize ?? 0),
    running: (info?.runningWorkflows ?? []).map(runName),
    recent,
    next: (info?.futureActionTimes ?? []).map(tsToMs),
  };
}

function runName(execution?: temporal.api.common.v1.IWorkflowExecution | null): RunName {
  return { id: execution?.workflowId ?? '', run: execution?.runId ?? '' };
}

/** The longest the server takes between the time of a run and its start, unless it was away. */
const settlingMs = 1_000;

/** Runs that are active and have not been counted: a run counts itself just before it ends. */
export function underWay({ running, record }: Pick<Snapshot, 'running' | 'record'>): readonly RunName[] {
  return running.filter(({ run }) => !record.accounted.includes(run));
}

/** Runs that may still start. */
export function runsLeft(snapshot: Pick<Snapshot, 'running' | 'record'>): number {
  const { maxRuns, runsExecuted } = snapshot.record;
  return Math.max(0, maxRuns - runsExecuted - underWay(snapshot).length);
}

/** What became of every occurrence until now, including those that no run has written down yet. */
export function occurrencesNow(snapshot: Snapshot, now: number): Occurrences {
  const { record, recent, running, next, paused } = snapshot;
  const cadence = cadenceOf(record);
  const active = recent.find(({ run }) => running.some((it) => it.run === run));
  if (active) return accountRun(cadence, record.occurrences, { ...active, until: now }, serverSide(snapshot));
  if (isExhausted(record)) return record.occurrences;
  // A time that has just come due may still be on its way: the server has not looked at it yet, or is about to start its run. While the
  // Schedule is paused the server looks at nothing, and its next time is the one it saw last.
  const settled = Math.min(now - settlingMs, paused ? now : (next[0] ?? now) - 1);
  return accountGap(cadence, record.occurrences, settled, serverSide(snapshot));
}

/** The account until now, for a Schedule that goes on at `next`. A run that is active is in it. */
export function closedAccount(
  snapshot: Snapshot,
  now: number,
  next: Date,
): Required<Pick<BindingRecord, 'occurrences' | 'accountFrom'>> {
  const through = new Date(next.getTime() - 1).toISOString();
  return { occurrences: { ...occurrencesNow(snapshot, now), through }, accountFrom: through };
}

/**
 * What the Schedule knows about the time since its binding's occurrences were written. A run that has ended without being counted did
 * nothing, because it asked and was refused: its time was skipped.
 */
export function serverSide({ record, recent, running, overlapSkipped }: Snapshot) {
  const known = [...record.accounted, ...running.map(({ run }) => run)];
  const through = Date.parse(record.occurrences.through);
  const cadence = cadenceOf(record);
  const refused = recent.filter(
    ({ run, nominal }) => !known.includes(run) && nominal > through && isOn(cadence, nominal),
  );
  return {
    started: recent.filter(({ run }) => known.includes(run)).map(({ nominal }) => nominal),
    skipped: overlapSkipped - record.overlapSkipped + refused.length,
  };
}
