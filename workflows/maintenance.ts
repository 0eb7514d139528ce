import { proxyActivities } from '@temporalio/workflow';

const { schedulesTidied } = proxyActivities<{ schedulesTidied(days: number): Promise<number> }>({
  startToCloseTimeout: '10m',
  heartbeatTimeout: '6s',
});

/** Runs once a day: removes schedules that have been exhausted for so many days, and answers how many. */
export async function maintenance(keepExhaustedDays: number): Promise<{ removed: number }> {
  return { removed: await schedulesTidied(keepExhaustedDays) };
}
