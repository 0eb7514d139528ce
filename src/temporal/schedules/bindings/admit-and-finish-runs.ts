import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import type { JsonObject } from '../../../base/json/value.js';
import {
  type Admission,
  type AdmissionRequest,
  accountedFor,
  type BindingRecord,
  bindingCadence,
  type FinishedRun,
  isClosed,
  isExhausted,
  wasCountedWithoutRun,
} from '../../../schedules/bindings/binding-record.js';
import { accountBindingRun, isSuperfluous, recordRecovered } from '../../../schedules/occurrence-counts.js';
import { isBroken, isUnknown } from '../managed-schedule.js';
import { raisedArguments } from './binding-action.js';
import { gapFacts } from './binding-occurrence-counts.js';
import { memoOfRun, ranBefore } from './binding-runs.js';
import {
  type BindingSnapshot,
  type BindingWrite,
  bindingNote,
  bindingSchedule,
  runsLeft,
  uncountedRuns,
} from './binding-schedule.js';

/**
 * Admits or rejects a run that was started by hand, long after its time, or beside others. It is rejected once all runs are used up, and
 * while another is active, because each starts from the context that the previous one ended with. A run that Temporal started because a
 * clock showed its time again is coalesced, because it has no occurrence.
 */
export async function admitRun(client: Client, asking: AdmissionRequest): Promise<Admission> {
  const managed = bindingSchedule(client, asking.scheduleId);
  const key = `${asking.run} holds`;
  // Of several concurrent requests one is admitted, and the remaining actions are reduced, in case the run is terminated.
  try {
    let coalesced = false;
    const after = await managed.change(key, (snapshot) => {
      coalesced = isRepeated(snapshot, asking);
      return isFree(snapshot, asking) && !coalesced ? hold(snapshot, asking) : undefined;
    });
    if (coalesced) {
      await managed.change(`${asking.run} coalesces`, (snapshot) => coalesce(snapshot, asking));
      return 'coalesced';
    }
    if (after.record.holder?.run !== asking.run) return false;
    if (!(await overlapsOther(client, after, asking, key))) return true;
    await managed.change(`${asking.run} withdraws`, (snapshot) => release(snapshot, asking));
    return false;
  } catch (error) {
    if (isUnknown(error) || isBroken(error)) return false;
    throw error;
  }
}

/**
 * Whether the Schedule started a run between our read and our write. Such a run did not see the holder and does not request admission; a
 * run that saw it does, and is rejected.
 */
async function overlapsOther(
  client: Client,
  after: BindingSnapshot,
  { run }: AdmissionRequest,
  key: string,
): Promise<boolean> {
  for (const other of uncountedRuns(after)) {
    if (other.run === run) continue;
    const memo = await memoOfRun(client, other);
    const seen = memo?.binding as BindingRecord | undefined;
    if (seen && !seen.changes.includes(key)) return true;
  }
  return false;
}

function isRepeated({ record }: BindingSnapshot, { creator, nominal }: AdmissionRequest): boolean {
  if (record.creator !== creator) return false;
  return isSuperfluous(bindingCadence(record), record.occurrences, nominal, Date.now());
}

/** Restores the remaining actions, which the Schedule reduced for a run that must not count. */
function coalesce({ record }: BindingSnapshot, { creator, run }: AdmissionRequest): BindingWrite | undefined {
  if (record.creator !== creator || isExhausted(record)) return undefined;
  return { record: accountedFor(record, [run]) };
}

function release({ record, running }: BindingSnapshot, { run }: AdmissionRequest): BindingWrite | undefined {
  const { holder, ...rest } = record;
  if (holder?.run !== run) return undefined;
  return { record: rest, remaining: runsLeft({ record, running: running.filter((it) => it.run !== run) }) };
}

function isFree(snapshot: BindingSnapshot, { creator, run, through }: AdmissionRequest): boolean {
  const { record, running } = snapshot;
  if (isClosed(record) || record.creator !== creator) return false;
  // It was terminated while it requested admission.
  if (record.accounted.includes(run)) return false;
  if (uncountedRuns(snapshot).some((other) => other.run !== run)) return false;
  // A Schedule does not follow a run that was started to overlap others, or does not follow it yet. A run that requests admission after another
  // has ended would start from an outdated context.
  return running.some((it) => it.run === run) || record.occurrences.through === through;
}

function hold({ record }: BindingSnapshot, { id, run }: AdmissionRequest): BindingWrite {
  return {
    record: { ...record, holder: { id, run } },
    remaining: Math.max(0, record.maxRuns - record.runsExecuted - 1),
  };
}

/**
 * Counts a run in its binding, once, and stores the context that it passes on; without one, the previous context is kept. False if the
 * binding does not exist or is a different one, because it was replaced, or deleted and created again.
 */
export async function finishRun(client: Client, run: FinishedRun, context?: JsonObject): Promise<boolean> {
  const managed = bindingSchedule(client, run.scheduleId);
  try {
    const { record } = await managed.change(run.run, async (snapshot) => {
      if (snapshot.record.creator !== run.creator) return undefined;
      const now = Date.now();
      const counted = countRun(snapshot, run, await isLate(client, snapshot.record, run), now);
      const times = managed.extension({ ...snapshot, record: counted }, now);
      return {
        ...afterRuns(snapshot, counted),
        // The next run is new, so it gets the current interpreter version.
        ...(await raisedArguments(client, snapshot, counted)),
        ...(times && { times }),
        ...(context && { memo: { context } }),
      };
    });
    return record.creator === run.creator;
  } catch (error) {
    if (isUnknown(error) || isBroken(error)) return false;
    throw error;
  }
}

/**
 * Writes the count of terminated runs into the Schedule, and pauses an exhausted one: lists show only what is written, and the server
 * removes a Schedule without future runs unless it is paused.
 */
export async function settleBinding(client: Client, scheduleId: string): Promise<BindingSnapshot> {
  return await bindingSchedule(client, scheduleId).change(randomUUID(), (snapshot) => {
    const { record, isWritten, paused } = snapshot;
    return isWritten && (paused || !isExhausted(record)) ? undefined : afterRuns(snapshot, record);
  });
}

/** The contents of a Schedule once runs have been counted in its record. */
function afterRuns({ paused, note }: BindingSnapshot, record: BindingRecord): BindingWrite {
  const exhausted = isExhausted(record);
  return {
    record,
    paused: paused || exhausted,
    note: paused && !exhausted ? note : bindingNote(record),
  };
}

/**
 * Whether the run was started, for example by a backfill, for a time that was accounted for without a run. A second run for the same
 * time has the same id.
 */
async function isLate(client: Client, record: BindingRecord, run: FinishedRun): Promise<boolean> {
  if (record.accounted.includes(run.run)) return false;
  return wasCountedWithoutRun(record, run.nominal) && !(await ranBefore(client, run.id));
}

/** The record after a run. A run that writes again after its key was dropped from the list of changes does not count again. */
function countRun(snapshot: BindingSnapshot, run: FinishedRun, late: boolean, now: number): BindingRecord {
  const { record, overlapSkipped } = snapshot;
  const { holder, ...rest } = record;
  const isNew = !record.accounted.includes(run.run);
  // The account of a binding that was stopped ends there.
  const account =
    record.stopped === undefined
      ? accountBindingRun(bindingCadence(record), record.occurrences, { ...run, until: now }, gapFacts(snapshot))
      : record.occurrences;
  const counted: BindingRecord = {
    ...rest,
    ...(holder && holder.run !== run.run && { holder }),
    // It is already full if a run was terminated before it started its work.
    runsExecuted: Math.min(record.maxRuns, record.runsExecuted + (isNew ? 1 : 0)),
    occurrences: late ? recordRecovered(account) : account,
    overlapSkipped,
    lastResult: run.result,
  };
  return accountedFor(counted, [run.run]);
}

/** Reads the context that a run passes on from its memo. */
export async function contextOfRun(client: Client, workflowId: string, runId: string): Promise<JsonObject> {
  const { memo } = await client.workflow.getHandle(workflowId, runId).describe();
  return memo?.context as JsonObject;
}
