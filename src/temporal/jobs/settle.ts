import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { cadenceOf, isOver } from '../../scheduling/jobs/record.js';
import { changeJob, type JobChange } from './change.js';
import { accountSoFar } from './occurrences.js';
import { findJob, type JobSnapshot } from './snapshot.js';

/** A run of a time that has just come is on its way. */
const settlingMs = 5_000;

/**
 * A job whose one time has passed is over. Its run says so; this is for a run that was ended from outside, or never started. The server
 * removes a Schedule that will start nothing more after a week, unless it is paused.
 */
export async function settleJob(
  client: Client,
  taskQueue: string,
  orchestratorId: string,
  jobId: string,
): Promise<JobSnapshot> {
  return await changeJob(client, taskQueue, { orchestratorId, jobId, key: randomUUID() }, async (found) => {
    const { record, running, buffered, next } = found;
    if (record.state !== 'enabled' || running.length > 0 || buffered > 0 || next.length > 0) return undefined;
    const cadence = cadenceOf(record);
    if (cadence.kind !== 'once' || cadence.at + settlingMs > Date.now()) return undefined;
    return await disabled(client, found);
  });
}

/** The last step of the run of a job that had one time: the job is over, unless somebody gave it another meanwhile. */
export async function exhaustJob(client: Client, taskQueue: string, jobId: string, executionId: string): Promise<void> {
  const found = await findJob(client, jobId);
  if (!found) return;
  const { orchestratorId } = found.record;
  const key = `${executionId} exhausted`;
  await changeJob(client, taskQueue, { orchestratorId, jobId, key }, async (snapshot) => {
    const cadence = cadenceOf(snapshot.record);
    if (isOver(snapshot.record) || cadence.kind !== 'once' || cadence.at > Date.now()) return undefined;
    return await disabled(client, snapshot);
  });
}

async function disabled(client: Client, found: JobSnapshot): Promise<JobChange> {
  return { record: { ...found.record, state: 'disabled', account: await accountSoFar(client, found) } };
}
