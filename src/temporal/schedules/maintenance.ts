import { type Client, ScheduleAlreadyRunning, ScheduleNotFoundError } from '@temporalio/client';
import { TypedSearchAttributes } from '@temporalio/common';
import { maintenanceWorkflow } from '../../../workflows/input.js';
import { pairs } from '../../../workflows/search-attributes.js';
import type { Config } from '../../config/config.js';
import { isExhausted } from '../../scheduling/bindings/record.js';
import { asProblem } from '../failures.js';
import { settleBinding } from './finish.js';
import { listBindings } from './list.js';
import { isBroken, isUnknown } from './snapshot.js';

const scheduleId = 'journeyman-maintenance';
const day = 86_400_000;
const pageSize = 200;

/** Makes the Schedule that tidies up once a day, as configured; one that was made for other settings is replaced. */
export async function ensureMaintenance(client: Client, { temporal, schedules }: Config): Promise<void> {
  const { taskQueue } = temporal;
  const note = `Removes schedules that have been exhausted for ${schedules.keepExhaustedDays} days`;
  const handle = client.schedule.getHandle(scheduleId);
  try {
    const found = await handle.describe().catch(ifThere);
    if (found?.state.note === note && found.action.taskQueue === taskQueue) return;
    if (found) await handle.delete().catch(ifThere);
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
    // Another worker that is starting now was quicker.
    if (!(error instanceof ScheduleAlreadyRunning)) throw asProblem(error);
  }
}

function ifThere(error: unknown): undefined {
  if (error instanceof ScheduleNotFoundError) return undefined;
  throw error;
}

/** Deletes bindings that have been exhausted for that many days; returns how many. The last run of one may have been ended from outside. */
export async function removeExhausted(client: Client, days: number, now: number): Promise<number> {
  let removed = 0;
  let pageToken: string | undefined;
  do {
    const page = await listBindings(client, { pageSize, ...(pageToken && { pageToken }) });
    for (const { scheduleId: id, nextRunAt } of page.items) {
      if (nextRunAt !== null) continue;
      const found = await settleBinding(client, id).catch((error) => {
        if (!isUnknown(error) && !isBroken(error)) throw error;
      });
      if (!found || !isExhausted(found.record) || found.running.length > 0) continue;
      if (now - Date.parse(found.record.updatedAt) < days * day) continue;
      await client.schedule.getHandle(id).delete();
      removed += 1;
    }
    pageToken = page.nextPageToken;
  } while (pageToken !== undefined);
  return removed;
}
