import type { Client } from '@temporalio/client';
import {
  type Admission,
  type AdmissionRequest,
  accountedFor,
  type BindingRecord,
  bindingCadence,
  isClosed,
  isExhausted,
} from '../../../schedules/bindings/binding-record.js';
import { isSuperfluous } from '../../../schedules/occurrence-counts.js';
import { isBroken, isUnknown } from '../managed-schedule.js';
import { memoOfRun } from './binding-runs.js';
import {
  type BindingSnapshot,
  type BindingWrite,
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
