import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, ScheduleOverlapPolicy } from '@temporalio/client';
import { asProblem } from '../classify-temporal-errors.js';
import { msNumberToTs, tsToMs } from '../sdk-internals.js';
import { describeSchedule, type StartedRun } from './describe-schedule.js';

const pollMs = 20;
/** A server may lose a request for a Schedule that was created just before. */
const againMs = 2_000;
/** Within an hour that clocks show twice, a server lists times that it would not reach from an earlier start. */
const earlierMs = 3 * 3_600_000;

/** The start times of a Schedule within an interval, from Temporal's own calendar, independent of the current time. */
export async function timesOf(client: Client, scheduleId: string, after: number, until: number): Promise<number[]> {
  const { startTime } = await client.workflowService
    .listScheduleMatchingTimes({
      namespace: client.options.namespace,
      scheduleId,
      startTime: msNumberToTs(after - earlierMs),
      endTime: msNumberToTs(until),
    })
    .catch((error) => Promise.reject(asProblem(error)));
  return startTime.map(tsToMs).filter((time) => time > after && time <= until);
}

/** Makes Temporal start the run for one of a Schedule's times, as if it were due; returns that run. */
export async function startAt(client: Client, scheduleId: string, time: number): Promise<StartedRun> {
  for (;;) {
    const at = new Date(time);
    await client.schedule
      .getHandle(scheduleId)
      .backfill({ start: at, end: at, overlap: ScheduleOverlapPolicy.ALLOW_ALL });
    for (const since = Date.now(); Date.now() - since < againMs; await sleep(pollMs)) {
      const started = (await describeSchedule(client, scheduleId))?.recent.find(({ nominal }) => nominal === time);
      if (started) return started;
    }
  }
}
