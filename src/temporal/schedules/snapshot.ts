import type { Client } from '@temporalio/client';
import { decodeMapFromPayloads } from '@temporalio/common/lib/internal-non-workflow/index.js';
import { tsToMs } from '@temporalio/common/lib/time.js';
import type { temporal } from '@temporalio/proto';
import type { JsonObject } from '../../json/value.js';
import { refuse } from '../../problems/problem.js';
import { accountGap, accountRun, type Occurrences } from '../../scheduling/bindings/occurrences.js';
import { type BindingRecord, cadenceOf, isExhausted } from '../../scheduling/bindings/record.js';
import { asProblem, isNotFound } from '../failures.js';

export type RawDescription = temporal.api.workflowservice.v1.IDescribeScheduleResponse;

/** An action that a Schedule took: the run it started. */
export interface Action {
  nominal: number;
  startedAt: number;
  id: string;
}

/** A binding as its Schedule shows it at one moment. */
export interface Snapshot {
  readonly raw: RawDescription;
  readonly record: BindingRecord;
  readonly context: JsonObject;
  readonly paused: boolean;
  readonly note: string;
  /** Actions taken since the Schedule was made. */
  readonly actions: number;
  readonly overlapSkipped: number;
  /** Actions that wait for the end of a run. */
  readonly buffered: number;
  /** Ids of the runs that are active. */
  readonly running: readonly string[];
  /** How many of them have been counted already: a run counts itself just before it ends. */
  readonly counted: number;
  /** The last ten. */
  readonly recent: readonly Action[];
  readonly next: readonly number[];
}

/** A binding, or SCHEDULE_UNKNOWN. */
export async function describeBinding(client: Client, scheduleId: string): Promise<Snapshot> {
  const found = await findBinding(client, scheduleId);
  return found ?? refuse('SCHEDULE_UNKNOWN', `There is no schedule ${JSON.stringify(scheduleId.slice(0, 300))}.`);
}

/** A binding, if there is one of that id. */
export async function findBinding(client: Client, scheduleId: string): Promise<Snapshot | undefined> {
  const { namespace, loadedDataConverter } = client.options;
  const raw = await client.workflowService.describeSchedule({ namespace, scheduleId }).catch((error) => {
    if (isNotFound(error)) return undefined;
    throw asProblem(error);
  });
  const memo = await decodeMapFromPayloads(loadedDataConverter, raw?.schedule?.action?.startWorkflow?.memo?.fields);
  if (!raw || !memo?.binding) return undefined;
  const { info = {}, schedule } = raw;
  const record = memo.binding as BindingRecord;
  const active = info?.runningWorkflows ?? [];
  return {
    raw,
    record,
    context: memo.context as JsonObject,
    paused: schedule?.state?.paused === true,
    note: schedule?.state?.notes ?? '',
    actions: Number(info?.actionCount ?? 0),
    overlapSkipped: Number(info?.overlapSkipped ?? 0),
    buffered: Number(info?.bufferSize ?? 0),
    running: active.map(({ workflowId }) => workflowId ?? ''),
    counted: active.filter(({ runId }) => record.changes.includes(runId ?? '')).length,
    recent: (info?.recentActions ?? []).map(({ scheduleTime, actualTime, startWorkflowResult }) => ({
      nominal: tsToMs(scheduleTime),
      startedAt: tsToMs(actualTime),
      id: startWorkflowResult?.workflowId ?? '',
    })),
    next: (info?.futureActionTimes ?? []).map(tsToMs),
  };
}

/** How long the server takes at most between the time of a run and its start, unless it was away. */
const settlingMs = 1_000;

/** Runs that this generation has had: also those that were terminated and could not say so themselves. */
export function runsOf(snapshot: Snapshot): number {
  const { record, actions } = snapshot;
  const started = actions - record.actionsBefore - underWay(snapshot);
  return Math.max(record.runsExecuted, Math.min(record.maxRuns, started));
}

/** Runs that are active and not among those that it has had. */
export function underWay({ running, counted }: Pick<Snapshot, 'running' | 'counted'>): number {
  return running.length - counted;
}

/** Whether no further run may start. */
export function isSpent(snapshot: Snapshot): boolean {
  return isExhausted({ ...snapshot.record, runsExecuted: runsOf(snapshot) });
}

/** What became of every occurrence until now, also of those that no run has written down yet. */
export function occurrencesNow(snapshot: Snapshot, now: number): Occurrences {
  const { record, recent, running, next } = snapshot;
  const cadence = cadenceOf(record);
  const started = recent.map(({ nominal }) => nominal);
  const active = recent.find(({ id }) => running.includes(id));
  if (active) return accountRun(cadence, record.occurrences, { ...active, until: now }, started);
  if (isSpent(snapshot)) return record.occurrences;
  // What has just come due may still be on its way: the server has not looked at it yet, or is about to start it.
  const settled = Math.min(now - settlingMs, (next[0] ?? now) - 1);
  return accountGap(cadence, record.occurrences, settled, started);
}
