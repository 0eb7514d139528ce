import type { Client } from '@temporalio/client';
import { type AskingRun, isExhausted } from '../../scheduling/bindings/record.js';
import { type Change, changeBinding } from './change.js';
import { statusOf } from './run-status.js';
import { findBinding, type Snapshot, underWay } from './snapshot.js';

/**
 * Whether a run that was started by hand, or long after its time, may do anything: not when all runs have been had, and never beside
 * another, because each starts from the context the one before ended with.
 */
export async function admitRun(client: Client, asking: AskingRun): Promise<boolean> {
  const found = await findBinding(client, asking.scheduleId);
  if (!found || !(await isFree(client, found, asking))) return false;
  if (underWay(found)[0]?.run === asking.run) return true;
  // A Schedule does not follow a run that was started to overlap others, or not yet. Several of them may ask now: one gets it, and those
  // that ask when it has ended would start from a context of before.
  const { record } = await changeBinding(client, asking.scheduleId, `${asking.run} holds`, async (snapshot) => {
    const isFirst = snapshot.record.occurrences.through === asking.through;
    return isFirst && (await isFree(client, snapshot, asking)) ? held(snapshot, asking) : undefined;
  });
  return record.holder?.run === asking.run;
}

async function isFree(client: Client, snapshot: Snapshot, asking: AskingRun): Promise<boolean> {
  const { record } = snapshot;
  const { creator, holder, accounted } = record;
  if (isExhausted(record) || creator !== asking.creator) return false;
  // It was terminated while it asked.
  if (accounted.includes(asking.run)) return false;
  const first = underWay(snapshot)[0];
  if (first && first.run !== asking.run) return false;
  if (!holder || holder.run === asking.run || accounted.includes(holder.run)) return true;
  return (await statusOf(client, holder)) !== 'active';
}

function held({ record, context, paused, note }: Snapshot, { id, run }: AskingRun): Change {
  const remaining = Math.max(0, record.maxRuns - record.runsExecuted - 1);
  return { record: { ...record, holder: { id, run } }, context, paused, note, remaining };
}
