import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { refuse } from '../../problems/problem.js';
import { isOn } from '../../scheduling/bindings/occurrences.js';
import { type BeforeRun, cadenceOf } from '../../scheduling/bindings/record.js';
import { trigger } from './change.js';
import { describeBinding, isSpent, type Snapshot } from './snapshot.js';

const patienceMs = 10_000;

/** Refuses where no run may start; answers what `startNow` needs to find its own run again. */
export async function prepareRunNow(client: Client, scheduleId: string): Promise<BeforeRun> {
  const snapshot = await describeBinding(client, scheduleId);
  if (isSpent(snapshot)) refuse('SCHEDULE_EXHAUSTED', `${scheduleId} has had ${snapshot.record.maxRuns} runs.`);
  if (snapshot.running.length > 0) refuseActive(snapshot);
  return { nominal: nominalTime(snapshot, Date.now()), overlapSkipped: snapshot.overlapSkipped };
}

/** Starts a run and answers its id. A trigger answers nothing, so the Schedule is watched for what comes of it. */
export async function startNow(client: Client, scheduleId: string, before: BeforeRun): Promise<string> {
  const end = Date.now() + patienceMs;
  for (let asked = false; Date.now() < end; await sleep(25)) {
    const snapshot = await describeBinding(client, scheduleId);
    const started = snapshot.recent.find(({ nominal }) => nominal === before.nominal);
    if (started) return started.id;
    if (asked && snapshot.overlapSkipped > before.overlapSkipped && snapshot.running.length > 0) refuseActive(snapshot);
    if (!asked) await trigger(client, scheduleId, 'skip', before.nominal);
    asked = true;
  }
  return refuse('SCHEDULE_BUSY', `${scheduleId} did not start a run within ${patienceMs / 1000} s.`);
}

/** A run's id has its time in whole seconds; one of the grid's would take away the id of the run that is due then. */
function nominalTime({ record }: Snapshot, now: number): number {
  const cadence = cadenceOf(record);
  const second = Math.floor(now / 1000) * 1000;
  return isOn(cadence, second) && !isOn(cadence, second - 1000) ? second - 1 : now;
}

function refuseActive({ running }: Snapshot): never {
  return refuse('RUN_ACTIVE', `The run ${running[0]} is active.`, { journeyId: running[0] });
}
