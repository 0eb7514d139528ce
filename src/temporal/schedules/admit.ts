import type { Client } from '@temporalio/client';
import { type AskingRun, isExhausted } from '../../scheduling/bindings/record.js';
import { type Change, changeBinding } from './change.js';
import { isUnknown, type Snapshot, underWay } from './snapshot.js';

/**
 * Whether a run that was started by hand, or long after its time, may do anything: not when all runs have been had, and never beside
 * another, because each starts from the context the one before ended with.
 */
export async function admitRun(client: Client, asking: AskingRun): Promise<boolean> {
  // Several may ask now: one gets it, and the bound behind our count goes down, should somebody terminate it.
  try {
    const { record } = await changeBinding(client, asking.scheduleId, `${asking.run} holds`, (snapshot) =>
      isFree(snapshot, asking) ? held(snapshot, asking) : undefined,
    );
    return record.holder?.run === asking.run;
  } catch (error) {
    if (isUnknown(error)) return false;
    throw error;
  }
}

function isFree(snapshot: Snapshot, { creator, run, through }: AskingRun): boolean {
  const { record, running } = snapshot;
  if (isExhausted(record) || record.creator !== creator) return false;
  // It was terminated while it asked.
  if (record.accounted.includes(run)) return false;
  if (underWay(snapshot).some((other) => other.run !== run)) return false;
  // A Schedule does not follow a run that was started to overlap others, or not yet. One that asks when another has ended would start
  // from a context of before.
  return running.some((it) => it.run === run) || record.occurrences.through === through;
}

function held({ record, context, paused, note }: Snapshot, { id, run }: AskingRun): Change {
  const remaining = Math.max(0, record.maxRuns - record.runsExecuted - 1);
  return { record: { ...record, holder: { id, run } }, context, paused, note, remaining };
}
