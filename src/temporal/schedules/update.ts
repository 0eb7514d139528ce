import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import type { BindingPatch } from '../../scheduling/bindings/patch.js';
import { type BindingRecord, cadenceOf, isExhausted } from '../../scheduling/bindings/record.js';
import { compile } from '../../scheduling/cadence/compile.js';
import { type Change, changeBinding } from './change.js';
import { bindingNote } from './note.js';
import { isSpent, occurrencesNow, runsOf, type Snapshot } from './snapshot.js';

/** Changes cadence or bound. Nothing starts because of it; an exhausted binding whose bound is raised goes on. */
export async function updateBinding(client: Client, scheduleId: string, patch: BindingPatch): Promise<Snapshot> {
  return await changeBinding(client, scheduleId, randomUUID(), (snapshot) => patched(snapshot, patch, Date.now()));
}

function patched(snapshot: Snapshot, patch: BindingPatch, now: number): Change {
  const { record, context, paused, note, running, actions } = snapshot;
  const spent = isSpent(snapshot);
  const runs = runsOf(snapshot);
  const next: BindingRecord = { ...record, ...patch, runsExecuted: runs };
  // Whatever was started by hand while it was exhausted has counted for nothing, and must not count now.
  if (spent) next.actionsBefore = actions - running.length - runs;
  const retimed = spent || next.interval !== record.interval || next.startAt !== record.startAt;
  const { spec } = compile(cadenceOf(next), { now });
  if (retimed) {
    const through = new Date(spec.startAt!.getTime() - 1).toISOString();
    next.occurrences = { ...occurrencesNow(snapshot, now), through };
  }
  const exhausted = isExhausted(next);
  const stays = paused && !spent && !exhausted;
  return {
    record: next,
    context,
    ...(retimed && { spec }),
    paused: stays || exhausted,
    note: stays ? note : bindingNote(next),
    remaining: Math.max(0, next.maxRuns - runs - running.length),
  };
}
