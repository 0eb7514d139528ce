import type { Client } from '@temporalio/client';
import { refuse } from '../../problems/problem.js';
import type { BeforeRun } from '../../scheduling/bindings/record.js';
import { cadenceOf, isOver } from '../../scheduling/jobs/record.js';
import { nominalTime, trigger } from '../schedules/trigger.js';
import { findJob, type JobSnapshot } from './snapshot.js';

async function describe(client: Client, jobId: string): Promise<JobSnapshot> {
  return (await findJob(client, jobId)) ?? refuse('JOB_UNKNOWN', 'The job has been removed.');
}

/** Refuses when no run may start; returns what `startJobNow` needs to find its own run again. */
export async function prepareJobRun(client: Client, jobId: string): Promise<BeforeRun> {
  const snapshot = await describe(client, jobId);
  const { record, running, recent, overlapSkipped } = snapshot;
  if (isOver(record)) refuse('JOB_STATE', `The job is ${record.state}.`, { hint: 'Enable it first.' });
  if (running.length > 0 && !record.allowOverlap) refuseActive(snapshot);
  const through = Date.parse(record.account.through);
  return { nominal: nominalTime(cadenceOf(record), through, Date.now(), recent), overlapSkipped };
}

/** Starts a run and returns its execution id. */
export async function startJobNow(client: Client, jobId: string, before: BeforeRun): Promise<string> {
  const { record } = await describe(client, jobId);
  const after = await trigger(client, jobId, record.allowOverlap ? 'beside' : 'skip', before, () =>
    describe(client, jobId),
  );
  const started = after.recent.find(({ nominal }) => nominal === before.nominal);
  return started ? started.id : refuseActive(after);
}

function refuseActive({ running }: JobSnapshot): never {
  const active = running[0]?.id;
  return refuse('RUN_ACTIVE', active ? `The run ${active} is active.` : 'A run was active.', {
    ...(active && { executionId: active }),
  });
}
