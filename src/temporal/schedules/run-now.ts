import type { Client } from '@temporalio/client';
import { refuse } from '../../problems/problem.js';
import { type BeforeRun, cadenceOf, isExhausted } from '../../scheduling/bindings/record.js';
import { describeBinding, refuseMoved, type Snapshot } from './snapshot.js';
import { nominalTime, trigger } from './trigger.js';

/** Refuses when no run may start; returns what `startNow` needs to find its own run again. */
export async function prepareRunNow(client: Client, scheduleId: string): Promise<BeforeRun> {
  const snapshot = await describeBinding(client, scheduleId);
  const { record, running, recent, overlapSkipped } = snapshot;
  refuseMoved(record);
  if (isExhausted(record)) refuse('SCHEDULE_EXHAUSTED', `${scheduleId} has had ${record.maxRuns} runs.`);
  if (running.length > 0) refuseActive(snapshot);
  return {
    nominal: nominalTime(cadenceOf(record), Date.parse(record.occurrences.through), Date.now(), recent),
    overlapSkipped,
  };
}

/** Starts a run and returns its id. */
export async function startNow(client: Client, scheduleId: string, before: BeforeRun): Promise<string> {
  const after = await trigger(client, scheduleId, 'skip', before, () => describeBinding(client, scheduleId));
  const started = after.recent.find(({ nominal }) => nominal === before.nominal);
  return started ? started.id : refuseActive(after);
}

function refuseActive({ running }: Snapshot): never {
  const active = running[0]?.id;
  return refuse('RUN_ACTIVE', active ? `The run ${active} is active.` : 'A run was active.', {
    ...(active && { journeyId: active }),
  });
}
