import type { Client } from '@temporalio/client';
import { type AskingRun, type BindingRecord, isExhausted, type RunName } from '../../scheduling/bindings/record.js';
import { type Change, changeBinding } from './change.js';
import { memoOf } from './run-status.js';
import { isBroken, isUnknown, runsLeft, type Snapshot, underWay } from './snapshot.js';

/**
 * Whether a run that was started by hand, long after its time, or beside others, may do anything: not when all runs have been had, and never beside
 * another, because each starts from the context the one before ended with.
 */
export async function admitRun(client: Client, asking: AskingRun): Promise<boolean> {
  const key = `${asking.run} holds`;
  // Several may ask now: one gets it, and the bound behind our count goes down, should somebody terminate it.
  try {
    const after = await changeBinding(client, asking.scheduleId, key, (snapshot) =>
      isFree(snapshot, asking) ? held(snapshot, asking) : undefined,
    );
    if (after.record.holder?.run !== asking.run) return false;
    if (!(await isBesideOther(client, after, asking, key))) return true;
    await changeBinding(client, asking.scheduleId, `${asking.run} withdraws`, (snapshot) => released(snapshot, asking));
    return false;
  } catch (error) {
    if (isUnknown(error) || isBroken(error)) return false;
    throw error;
  }
}

/**
 * Whether the Schedule started a run of its own between our look and our note: that one knows nothing of the note, and does not ask. One
 * that does know of it asks, and is refused.
 */
async function isBesideOther(client: Client, after: Snapshot, { run }: AskingRun, key: string): Promise<boolean> {
  for (const other of underWay(after)) {
    if (other.run === run) continue;
    const memo = await memoOf(client, other);
    const seen = memo?.binding as BindingRecord | undefined;
    if (seen && !seen.changes.includes(key)) return true;
  }
  return false;
}

function released({ record, context, paused, note, running }: Snapshot, { run }: AskingRun): Change | undefined {
  const { holder, ...rest } = record;
  if (holder?.run !== run) return undefined;
  return { record: rest, context, paused, note, remaining: runsLeft({ record, running: without(running, run) }) };
}

function without(running: readonly RunName[], run: string): readonly RunName[] {
  return running.filter((it) => it.run !== run);
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
