import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import type { DispatchMemo } from '../../../workflows/dispatch-input.js';
import { refuse } from '../../problems/problem.js';
import { describe } from '../../scheduling/cadence/describe.js';
import { cadenceOf, type JobRecord } from '../../scheduling/jobs/record.js';
import type { JobSummary } from '../../service/jobs.js';
import { write } from '../schedules/change.js';
import type { Broken } from '../schedules/snapshot.js';
import { decodeMapFromPayloads } from '../sdk.js';
import { changeJob, encodeJob } from './change.js';
import { driftOf } from './drift.js';
import { accountSoFar, runsOf } from './occurrences.js';
import { listDispatches } from './runs.js';
import { findBrokenJob, type JobSnapshot } from './snapshot.js';
import { publicJob } from './view.js';

const tries = 10;

/** Makes a Schedule do what its job says again, whatever Temporal's own tools did to it; returns whether it had to. */
export async function repairJob(
  client: Client,
  taskQueue: string,
  orchestratorId: string,
  jobId: string,
): Promise<{ snapshot: JobSnapshot; changed: boolean }> {
  let changed = false;
  for (let attempt = 0; attempt < tries; attempt++) {
    const broken = await findBrokenJob(client, orchestratorId, jobId);
    if (!broken) break;
    changed = true;
    const record = (await recovered(client, broken, jobId)) ?? refuseLost(jobId);
    const state = broken.paused && record.state === 'enabled' ? 'paused' : record.state;
    await write(
      client,
      jobId,
      broken.raw,
      await encodeJob(client, taskQueue, { record: { ...record, state }, retimes: true }),
    );
  }
  const id = { orchestratorId, jobId, key: randomUUID() };
  const snapshot = await changeJob(client, taskQueue, id, async (found) => {
    if (driftOf(found, Date.now()).length === 0) return undefined;
    changed = true;
    const account = await accountSoFar(client, found);
    return { record: { ...found.record, account }, retimes: true, ...(found.paused && { note: found.note }) };
  });
  return { snapshot, changed };
}

function refuseLost(jobId: string): never {
  return refuse('SCHEDULE_BROKEN', `Nothing is left from which the job ${jobId} could be repaired.`, {
    hint: 'Delete it and make it again.',
  });
}

/** The newest record that is left: its runs carry it, and its Schedule keeps the one that it was made with. */
async function recovered(client: Client, { raw }: Broken, jobId: string): Promise<JobRecord | undefined> {
  const { infos } = await listDispatches(client, runsOf(jobId), { pageSize: 10 });
  const ran = infos.map(({ memo }) => ((memo ?? {}) as DispatchMemo).job);
  const made = (await decodeMapFromPayloads(client.options.loadedDataConverter, raw.memo?.fields)) as DispatchMemo;
  const records = [...ran, made?.job].filter((it) => it !== undefined);
  return records.sort((a, b) => Date.parse(b.updatedAt) - Date.parse(a.updatedAt))[0];
}

/** What a list shows of a job that has lost its record; undefined when that is not what is wrong with it. */
export async function brokenSummary(
  client: Client,
  orchestratorId: string,
  jobId: string,
): Promise<JobSummary | undefined> {
  const broken = await findBrokenJob(client, orchestratorId, jobId);
  const record = broken && (await recovered(client, broken, jobId));
  if (!record) return undefined;
  return {
    ...publicJob(record),
    nextRunAt: null,
    lastRunAt: null,
    lastResult: { outcome: 'failed', code: 'SCHEDULE_BROKEN' },
    cadence: describe(cadenceOf(record)),
  };
}
