import { type Client, ScheduleAlreadyRunning } from '@temporalio/client';
import { TypedSearchAttributes } from '@temporalio/common';
import { maintenanceWorkflow } from '../../../workflows/input.js';
import { pairs } from '../../../workflows/search-attributes.js';
import type { Config } from '../../config/config.js';
import { asProblem } from '../failures.js';
import { listBindings } from './list.js';
import { findBinding, isSpent } from './snapshot.js';

const scheduleId = 'journeyman-maintenance';
const day = 86_400_000;
const pageSize = 200;

/** Makes the Schedule that tidies up once a day, unless it is there. */
export async function ensureMaintenance(client: Client, { temporal, schedules }: Config): Promise<void> {
  try {
    await client.schedule.create({
      scheduleId,
      spec: { intervals: [{ every: day, offset: day / 8 }] },
      action: {
        type: 'startWorkflow',
        workflowType: maintenanceWorkflow,
        workflowId: scheduleId,
        taskQueue: temporal.taskQueue,
        args: [schedules.keepExhaustedDays],
      },
      state: { note: `Removes schedules that have been exhausted for ${schedules.keepExhaustedDays} days` },
      typedSearchAttributes: new TypedSearchAttributes(pairs({ ScheduleKind: 'maintenance' })),
    });
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw asProblem(error);
  }
}

/** Deletes bindings that have been exhausted for so many days; answers how many. */
export async function removeExhausted(client: Client, days: number, now: number): Promise<number> {
  let removed = 0;
  let pageToken: string | undefined;
  do {
    const page = await listBindings(client, { state: 'exhausted', pageSize, ...(pageToken && { pageToken }) });
    for (const { scheduleId: id } of page.items) {
      const found = await findBinding(client, id);
      if (!found || !isSpent(found) || found.running.length > 0) continue;
      if (now - Date.parse(found.record.updatedAt) < days * day) continue;
      await client.schedule.getHandle(id).delete();
      removed += 1;
    }
    pageToken = page.nextPageToken;
  } while (pageToken !== undefined);
  return removed;
}
