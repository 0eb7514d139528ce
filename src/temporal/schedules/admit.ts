import type { Client } from '@temporalio/client';
import { isSuperfluous } from '../../scheduling/bindings/occurrences.js';
import {
  type Admission,
  type AskingRun,
  accountedFor,
  type BindingRecord,
  cadenceOf,
  isClosed,
  isExhausted,
  type RunName,
} from '../../scheduling/bindings/record.js';
import { type Change, changeBinding } from './change.js';
import { memoOf } from './run-status.js';
import { isBroken, isUnknown, runsLeft, type Snapshot, underWay } from './snapshot.js';

/**
 * Whether a run that was started by hand, long after its time, or beside others may do anything: not once every run has been used up, and
 * never beside another, because each starts from the context that the one before ended with. One that Temporal started because a clock
 * showed its time again stands for no occurrence at all.
 */
export async function admitRun(client: Client, asking: AskingRun): Promise<Admission> {
  const key = `${asking.run} holds`;
  // Several may ask at once: one gets it, and the bound behind our count goes down, in case somebody terminates it.
  try {
    let coalesced = false;
    const after = await changeBinding(client, asking.scheduleId, key, (snapshot) => {
      coalesced = isRepeated(snapshot, asking);
      return isFree(snapshot, asking) && !coalesced ? held(snapshot, asking) : undefined;
    });
    if (coalesced) {
      await changeBinding(client, asking.scheduleId, `${asking.run} coalesces`, (it) => coalescing(it, asking));
      return 'coalesced';
    }
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
 * Whether the Schedule started a run of its own between our look and our note: such a run knows nothing of the note, and does not ask. One
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

function isRepeated({ record }: Snapshot, { creator, nominal }: AskingRun): boolean {
  if (nominal === undefined || record.creator !== creator) return false;
  return isSuperfluous(cadenceOf(record), record.occurrences, nominal, Date.now());
}

/** The Schedule has taken such a run for one of those it may still start; and nobody needs to count it. */
function coalescing({ record, context, paused, note, running }: Snapshot, { creator, run }: AskingRun) {
  if (record.creator !== creator || isExhausted(record)) return undefined;
  const after = accountedFor(record, [run]);
  return { record: after, context, paused, note, remaining: runsLeft({ record: after, running }) };
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
  if (isClosed(record) || record.creator !== creator) return false;
  // It was terminated while it asked.
  if (record.accounted.includes(run)) return false;
  if (underWay(snapshot).some((other) => other.run !== run)) return false;
  // A Schedule does not follow a run that was started to overlap others, or does not follow it yet. One that asks after another has ended
  // would start from an outdated context.
  return running.some((it) => it.run === run) || record.occurrences.through === through;
}

function held({ record, context, paused, note }: Snapshot, { id, run }: AskingRun): Change {
  const remaining = Math.max(0, record.maxRuns - record.runsExecuted - 1);
  return { record: { ...record, holder: { id, run } }, context, paused, note, remaining };
}
