import { type Client, ScheduleAlreadyRunning, ScheduleNotFoundError } from '@temporalio/client';
import { TypedSearchAttributes } from '@temporalio/common';
import { maintenanceWorkflow } from '../../../workflows/journey/workflow-contract.js';
import { pairs } from '../../../workflows/shared/run-search-attributes.js';
import type { Config } from '../../config/config-types.js';
import { isExhausted } from '../../schedules/bindings/binding-record.js';
import { day } from '../../schedules/cadence/cadence.js';
import { isFinished } from '../../schedules/jobs/job-record.js';
import { asProblem } from '../classify-temporal-errors.js';
import { settleBinding } from './bindings/admit-and-finish-runs.js';
import { bindingSchedule } from './bindings/binding-schedule.js';
import { cadenceOfTags, readBindingTags } from './bindings/binding-tags.js';
import { listBindings, unexhausted } from './bindings/list-bindings.js';
import { needsMoreTimes } from './check-and-extend-start-times.js';
import { changeJob, type JobSnapshot, jobSchedule, settleJob } from './jobs/job-schedule.js';
import { jobEntries } from './jobs/list-and-view-jobs.js';
import { allSchedules } from './list-schedules.js';
import { isBroken, isUnknown } from './managed-schedule.js';

const scheduleId = 'journeyman-maintenance';
const pageSize = 200;

/** Creates the daily maintenance Schedule, as configured; one with other settings is replaced. */
export async function ensureMaintenance(client: Client, { temporal, schedules }: Config): Promise<void> {
  const { taskQueue } = temporal;
  const note = `Removes schedules that have been exhausted for ${schedules.keepExhaustedDays} days`;
  const handle = client.schedule.getHandle(scheduleId);
  try {
    const found = await handle.describe().catch(ifMissing);
    if (found?.state.note === note && found.action.taskQueue === taskQueue) return;
    if (found) await handle.delete().catch(ifMissing);
    await client.schedule.create({
      scheduleId,
      spec: { intervals: [{ every: day, offset: day / 8 }] },
      action: {
        type: 'startWorkflow',
        workflowType: maintenanceWorkflow,
        workflowId: scheduleId,
        taskQueue,
        args: [schedules.keepExhaustedDays],
      },
      state: { note },
      typedSearchAttributes: new TypedSearchAttributes(pairs({ ScheduleKind: 'maintenance' })),
    });
  } catch (error) {
    // Another worker that is starting was first.
    if (!(error instanceof ScheduleAlreadyRunning)) throw asProblem(error);
  }
}

function ifMissing(error: unknown): undefined {
  if (error instanceof ScheduleNotFoundError) return undefined;
  throw error;
}

/** Adds start times to bindings that have not run for a long time; usually their runs do so. Returns the number of bindings. */
export async function extendBindings(client: Client, now: number): Promise<number> {
  let count = 0;
  for await (const entry of allSchedules(client, unexhausted)) {
    const tags = readBindingTags(entry);
    const cadence = cadenceOfTags(tags);
    if (!cadence || !needsMoreTimes(cadence, tags, now)) continue;
    const extended = await bindingSchedule(client, entry.id).extend(now).catch(ifGone);
    if (extended) count++;
  }
  return count;
}

/** Deletes bindings that have been exhausted for that many days; returns their number. The last run of one may have been terminated. */
export async function removeExhausted(client: Client, days: number, now: number): Promise<number> {
  let removed = 0;
  let pageToken: string | undefined;
  do {
    const page = await listBindings(client, { pageSize, ...(pageToken && { pageToken }) });
    for (const { scheduleId: id, nextRunAt } of page.items) {
      if (nextRunAt !== null) continue;
      const found = await settleBinding(client, id).catch(ifGone);
      if (!found || !isExhausted(found.record) || found.running.length > 0) continue;
      if (now - Date.parse(found.record.updatedAt) < days * day) continue;
      if (await bindingSchedule(client, id).delete()) removed += 1;
    }
    pageToken = page.nextPageToken;
  } while (pageToken !== undefined);
  return removed;
}

/** Whether a schedule was deleted in the meantime, or needs a repair. */
function ifGone(error: unknown): undefined {
  if (isUnknown(error) || isBroken(error)) return undefined;
  throw error;
}

/** Removes jobs that were deleted that many days ago, and disables one-off jobs that are over. Returns the number of removed jobs. */
export async function tidyJobs(client: Client, taskQueue: string, days: number, now: number): Promise<number> {
  let removed = 0;
  for await (const { jobId } of jobEntries(client)) {
    const managed = jobSchedule(client, jobId);
    // A broken or deleted job does not prevent maintenance of the others.
    const found = await managed.find().catch(() => undefined);
    if (!found) continue;
    if (found.record.state === 'deleted' && now - Date.parse(found.record.updatedAt) >= days * day) {
      await managed.delete();
      removed += 1;
    } else await tidyJob(client, taskQueue, found, now);
  }
  return removed;
}

async function tidyJob(client: Client, taskQueue: string, found: JobSnapshot, now: number): Promise<void> {
  const { record, paused } = found;
  const { orchestratorId, jobId } = record;
  const managed = jobSchedule(client, jobId);
  if (!isFinished(record)) {
    if (managed.extension(found, now)) await managed.extend(now);
    await settleJob(client, taskQueue, orchestratorId, jobId);
  } else if (!paused)
    // A job that must not run stays paused; otherwise the server would remove it.
    await changeJob(client, taskQueue, { orchestratorId, jobId }, ({ record: current }) => ({ record: current }));
}
