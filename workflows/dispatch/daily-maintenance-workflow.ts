import { proxyActivities } from '@temporalio/workflow';

const { maintainSchedules } = proxyActivities<{ maintainSchedules(days: number): Promise<number> }>({
  startToCloseTimeout: '10m',
  heartbeatTimeout: '6s',
});

/** Runs once a day: extends start times of schedules, restarts ended pipelines, removes old schedules and jobs. Returns the number removed. */
export async function maintenance(keepExhaustedDays: number): Promise<{ removed: number }> {
  return { removed: await maintainSchedules(keepExhaustedDays) };
}
