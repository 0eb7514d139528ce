import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import type { JsonObject } from '../../json/value.js';
import { accountRun, madeUp } from '../../scheduling/bindings/occurrences.js';
import {
  accountedFor,
  type BindingRecord,
  cadenceOf,
  type FinishedRun,
  isExhausted,
  lackedRun,
} from '../../scheduling/bindings/record.js';
import { type Change, changeBinding } from './change.js';
import { extended } from './extend.js';
import { bindingNote } from './note.js';
import { ranBefore } from './run-status.js';
import { isBroken, isUnknown, runsLeft, type Snapshot, serverSide } from './snapshot.js';

/**
 * Writes what a run leaves behind into its binding, once; without a context the previous one stays. False: the binding is gone or is a
 * different one, because it was replaced, or deleted and made again.
 */
export async function finishRun(client: Client, run: FinishedRun, handedOn?: JsonObject): Promise<boolean> {
  try {
    const { record } = await changeBinding(client, run.scheduleId, run.run, async (snapshot) => {
      const { record, context } = snapshot;
      if (record.creator !== run.creator) return undefined;
      const late = await isLate(client, record, run);
      const counted = countRun(snapshot, run, late, Date.now());
      const extension = extended(snapshot, counted, Date.now());
      return {
        ...(extension && { spec: extension.spec }),
        ...afterRuns(snapshot, extension?.record ?? counted),
        context: handedOn ?? context,
        // The next run is a new one: fixes made since the binding was made apply to it.
        raises: true,
      };
    });
    return record.creator === run.creator;
  } catch (error) {
    if (isUnknown(error) || isBroken(error)) return false;
    throw error;
  }
}

/**
 * Makes a Schedule say what readers of its binding count, and pauses it once it is exhausted: a list knows nothing else, and the server
 * removes a Schedule that will start nothing more unless it is paused.
 */
export async function settleBinding(client: Client, scheduleId: string): Promise<Snapshot> {
  return await changeBinding(client, scheduleId, randomUUID(), (snapshot) => {
    const { record, isWritten, paused } = snapshot;
    return isWritten && (paused || !isExhausted(record)) ? undefined : afterRuns(snapshot, record);
  });
}

/** What a binding becomes once runs of it have been counted. */
function afterRuns({ context, paused, note, running }: Snapshot, record: BindingRecord): Change {
  const exhausted = isExhausted(record);
  return {
    record,
    context,
    paused: paused || exhausted,
    note: paused && !exhausted ? note : bindingNote(record),
    remaining: runsLeft({ running, record }),
  };
}

/**
 * Whether the run was started, as by a backfill, for a time that had been accounted for without one. When a time that already had its run
 * is run again, the id is the same.
 */
async function isLate(client: Client, record: BindingRecord, run: FinishedRun): Promise<boolean> {
  if (run.id === undefined || record.accounted.includes(run.run)) return false;
  return lackedRun(record, run.nominal) && !(await ranBefore(client, run.id));
}

/** The record after a run. A run whose key was forgotten among too many changes, and which writes again, does not count again. */
function countRun(snapshot: Snapshot, run: FinishedRun, late: boolean, now: number): BindingRecord {
  const { record, overlapSkipped } = snapshot;
  const { holder, ...rest } = record;
  const isNew = !record.accounted.includes(run.run);
  const account = accountRun(cadenceOf(record), record.occurrences, { ...run, until: now }, serverSide(snapshot));
  const counted: BindingRecord = {
    ...rest,
    ...(holder && holder.run !== run.run && { holder }),
    // It is full already if a run was terminated before it did anything.
    runsExecuted: Math.min(record.maxRuns, record.runsExecuted + (isNew ? 1 : 0)),
    occurrences: late ? madeUp(account) : account,
    overlapSkipped,
    ...(run.result !== undefined && { lastResult: run.result }),
  };
  return accountedFor(counted, [run.run]);
}

/** The context that a run hands on, from its own memo. */
export async function handedOn(client: Client, workflowId: string, runId: string): Promise<JsonObject> {
  const { memo } = await client.workflow.getHandle(workflowId, runId).describe();
  return memo?.context as JsonObject;
}
