import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, ScheduleOverlapPolicy } from '@temporalio/client';
import { asProblem } from '../failures.js';
import { msNumberToTs, tsToMs } from '../sdk.js';
import { type Action, readSchedule } from './snapshot.js';

const pollMs = 20;
/** A server that was just told of a Schedule may lose the first word about it. */
const againMs = 2_000;
/** Asked from within an hour that clocks show twice, a server names times that it would not come to from one before. */
const earlierMs = 3 * 3_600_000;

/** The times of a Schedule after one instant and up to another, as Temporal's own calendar says, whatever time it is now. */
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

/** Lets Temporal start what a Schedule starts at one of its times, as if that time had come; answers what it started. */
export async function startAt(client: Client, scheduleId: string, time: number): Promise<Action> {
  for (;;) {
    const at = new Date(time);
    await client.schedule
      .getHandle(scheduleId)
      .backfill({ start: at, end: at, overlap: ScheduleOverlapPolicy.ALLOW_ALL });
    for (const since = Date.now(); Date.now() - since < againMs; await sleep(pollMs)) {
      const started = (await readSchedule(client, scheduleId))?.recent.find(({ nominal }) => nominal === time);
      if (started) return started;
    }
  }
}
