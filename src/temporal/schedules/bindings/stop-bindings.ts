import type { Client } from '@temporalio/client';
import { isExhausted, logged, type StopRequest } from '../../../schedules/bindings/binding-record.js';
import { isBroken, isUnknown } from '../managed-schedule.js';
import type { BindingSource } from './binding-action.js';
import { idOfBinding } from './binding-id.js';
import { occurrencesNow } from './binding-occurrence-counts.js';
import { type BindingSnapshot, type BindingWrite, bindingNote, bindingSchedule } from './binding-schedule.js';
import { keyOf } from './create-binding.js';
import { stoppableBindings } from './list-bindings.js';

/**
 * Stops the bindings of a subject and start state, of every version of the journey; of one owner, unless an operator started the run that
 * asks. Returns how many. A repeated request counts those that it has stopped before.
 */
export async function stopBindings(client: Client, request: StopRequest, source: BindingSource): Promise<number> {
  const key = keyOf(request, source);
  // Lists know of a new schedule a moment later; the one of this version is found by its id.
  const ids = new Set([await idOfBinding(client, key), ...(await stoppableBindings(client, key))]);
  let stopped = 0;
  // Grows while a binding names the one of another version that replaces it.
  for (const id of ids) {
    const { counts, successor } = await stopBinding(client, id, request.by);
    if (counts) stopped += 1;
    if (successor !== undefined) ids.add(successor);
  }
  return stopped;
}

async function stopBinding(
  client: Client,
  scheduleId: string,
  by: string,
): Promise<{ counts: boolean; successor?: string }> {
  const managed = bindingSchedule(client, scheduleId);
  try {
    const { record } = await managed.change(`${by} stops`, (snapshot) =>
      isExhausted(snapshot.record) ? undefined : stoppedWrite(snapshot, by, Date.now()),
    );
    return { counts: record.stopped === by, ...(record.migration && { successor: record.migration.scheduleId }) };
  } catch (error) {
    if (isUnknown(error)) return { counts: false };
    // A repair would let it run again.
    if (isBroken(error)) return { counts: await managed.delete() };
    throw error;
  }
}

function stoppedWrite(snapshot: BindingSnapshot, by: string, now: number): BindingWrite {
  const record = { ...snapshot.record, stopped: by, occurrences: occurrencesNow(snapshot, now) };
  return {
    record: logged(record, by, 'stopped by a journey', now),
    paused: true,
    note: bindingNote(record),
    remaining: 0,
  };
}
