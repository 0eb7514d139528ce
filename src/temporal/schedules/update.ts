import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { refuse } from '../../problems/problem.js';
import { type BindingPatch, withTimes } from '../../scheduling/bindings/patch.js';
import {
  accountedFor,
  type BindingRecord,
  cadenceOf,
  hasTimesOf,
  isExhausted,
  logged,
  writtenOut,
} from '../../scheduling/bindings/record.js';
import { compile } from '../../scheduling/cadence/compile.js';
import { fault } from '../../scheduling/cadence/read.js';
import { counted } from '../../scheduling/cadence/wording.js';
import { type Change, changeBinding } from './change.js';
import { driftOf } from './drift.js';
import { bindingNote } from './note.js';
import { closedAccount, refuseMoved, runsLeft, type Snapshot, underWay } from './snapshot.js';

/** Changes cadence or bound. Nothing starts because of it; an exhausted binding whose bound is raised goes on. */
export async function updateBinding(
  client: Client,
  scheduleId: string,
  patch: BindingPatch,
  by: string,
): Promise<Snapshot> {
  const what = Object.entries(patch).map(([name, value]) => `${name} ${value}`);
  return await changeBinding(client, scheduleId, randomUUID(), (snapshot) => {
    const change = patched(snapshot, patch, Date.now());
    return { ...change, record: logged(change.record, by, `set ${what.join(', ')}`, Date.now()) };
  });
}

/** What has run has run: a lower bound would claim that there were fewer runs. */
function refuseBelow(runs: number, { maxRuns }: BindingPatch): void {
  if (maxRuns === undefined || maxRuns >= runs) return;
  const message = `"maxRuns" is ${maxRuns}, but it has had ${counted(runs, 'run')}`;
  const hint = `Give at least ${runs}; ${runs} itself ends it.`;
  const finding = fault('/maxRuns', 'SCHEDULE_INVALID', message, hint);
  refuse('SCHEDULE_INVALID', `${message}.`, { pointer: finding.pointer, errors: [finding] });
}

function patched(snapshot: Snapshot, patch: BindingPatch, now: number): Change {
  const { context, running, recent, paused, note, overlapSkipped } = snapshot;
  refuseMoved(snapshot.record);
  const spent = isExhausted(snapshot.record);
  // A run that somebody started while it was exhausted does nothing, and never counts.
  const idle = spent ? recent.map(({ run }) => run) : [];
  const record = accountedFor(snapshot.record, idle);
  refuseBelow(record.runsExecuted + underWay({ record, running }).length, patch);
  const { maxRuns = record.maxRuns, ...times } = patch;
  let next: BindingRecord = { ...withTimes(record, patch), maxRuns };
  // Somebody else may have given it other times: whoever sets the times here means these.
  const drifted = Object.keys(times).length > 0 && driftOf(snapshot, now).length > 0;
  const retimed = spent || drifted || !hasTimesOf(next, record);
  const { spec, completeUntil } = compile(cadenceOf(next), { now });
  if (retimed)
    next = { ...writtenOut(next, completeUntil), ...closedAccount(snapshot, now, spec.startAt!), overlapSkipped };
  const exhausted = isExhausted(next);
  const stays = paused && !spent && !exhausted;
  return {
    record: next,
    context,
    ...(retimed && { spec, resets: true }),
    paused: stays || exhausted,
    note: stays ? note : bindingNote(next),
    remaining: runsLeft({ running, record: next }),
  };
}
