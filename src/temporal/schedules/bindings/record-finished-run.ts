import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import type { JsonObject } from '../../../base/json/value.js';
import {
  accountedFor,
  type BindingRecord,
  bindingCadence,
  type FinishedRun,
  isExhausted,
  wasCountedWithoutRun,
} from '../../../schedules/bindings/binding-record.js';
import { accountBindingRun, recordRecovered } from '../../../schedules/occurrence-counts.js';
import { isBroken, isUnknown } from '../managed-schedule.js';
import { raisedArguments } from './binding-action.js';
import { gapFacts } from './binding-occurrence-counts.js';
import { ranBefore } from './binding-runs.js';
import { type BindingSnapshot, type BindingWrite, bindingNote, bindingSchedule } from './binding-schedule.js';

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
