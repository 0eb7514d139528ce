import { randomUUID } from 'node:crypto';
import { type Client, ScheduleNotFoundError } from '@temporalio/client';
import { type Cadence, writtenOutFor } from '../../scheduling/cadence/cadence.js';
import { cadenceOf, isOver, type JobRecord } from '../../scheduling/jobs/record.js';
import { asProblem } from '../failures.js';
import { changeJob } from './change.js';
import { jobEntries } from './entries.js';
import { settleJob } from './settle.js';
import { findJob, type JobSnapshot } from './snapshot.js';

const day = 86_400_000;

/** Tidies up jobs: removes those that were deleted so many days ago, and keeps the others as they say. Answers how many it removed. */
export async function tidyJobs(client: Client, taskQueue: string, days: number, now: number): Promise<number> {
  let removed = 0;
  for await (const { jobId } of jobEntries(client)) {
    // One that something else broke, or removed, does not keep the others from being tidied.
    const found = await findJob(client, jobId).catch(() => undefined);
    if (!found) continue;
    if (found.record.state === 'deleted' && now - Date.parse(found.record.updatedAt) >= days * day) {
      await client.schedule
        .getHandle(jobId)
        .delete()
        .catch((error) => {
          if (!(error instanceof ScheduleNotFoundError)) throw asProblem(error);
        });
      removed += 1;
    } else await keep(client, taskQueue, found, now);
  }
  return removed;
}

async function keep(client: Client, taskQueue: string, found: JobSnapshot, now: number): Promise<void> {
  const { orchestratorId, jobId } = found.record;
  if (isOver(found.record) ? !found.paused : runsOut(found.record, cadenceOf(found.record), now)) {
    const id = { orchestratorId, jobId, key: randomUUID() };
    // Times that are written out are written anew; what must not run is paused again, or the server would remove it.
    await changeJob(client, taskQueue, id, ({ record }) => ({
      record,
      ...(!isOver(record) && { retimes: 'extends' as const }),
    }));
  } else await settleJob(client, taskQueue, orchestratorId, jobId);
}

/** Times that have no pattern are written out for some years: a fifth of them has passed. */
function runsOut({ writtenUntil }: JobRecord, cadence: Cadence, now: number): boolean {
  if (writtenUntil === undefined || cadence.kind === 'once') return false;
  return Date.parse(writtenUntil) - now < writtenOutFor * 0.8;
}
