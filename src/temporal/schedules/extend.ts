import { randomUUID } from 'node:crypto';
import type { Client, ScheduleSpec } from '@temporalio/client';
import { type BindingRecord, cadenceOf, isExhausted, writtenOut } from '../../scheduling/bindings/record.js';
import { type Cadence, day } from '../../scheduling/cadence/cadence.js';
import { compile, isWrittenOut } from '../../scheduling/cadence/compile.js';
import { asProblem } from '../failures.js';
import { tsToMs } from '../sdk.js';
import { changeBinding } from './change.js';
import { isOnGrid } from './drift.js';
import { cadenceOfTags, type Tagged, tagged } from './keywords.js';
import { activeOnes } from './list.js';
import { isBroken, isUnknown, runsLeft, type Snapshot } from './snapshot.js';

/** Times are written out for five years; with less than four left, five are written again. */
export const enough = 4 * 365 * day;
const pageSize = 200;

function isShort({ writtenUntil }: Pick<Tagged, 'writtenUntil'>, cadence: Cadence | undefined, now: number): boolean {
  if (writtenUntil !== undefined) return Date.parse(writtenUntil) < now + enough;
  return cadence !== undefined && isWrittenOut(cadence, now);
}

/**
 * More of the times that have no pattern and are written out one by one; undefined while there are enough. Times that somebody else gave the
 * Schedule stay: putting those right is a repair.
 */
export function extended(
  { raw, next }: Pick<Snapshot, 'raw' | 'next'>,
  record: BindingRecord,
  now: number,
): { spec: ScheduleSpec; record: BindingRecord } | undefined {
  const cadence = cadenceOf(record);
  if (!isShort(record, cadence, now) || !isOnGrid(cadence, next, record)) return undefined;
  // What has just come due, and the server has not looked at yet, must still be there.
  const { spec, completeUntil } = compile(cadence, { now: now - day });
  const { startAt: _, ...times } = spec;
  const begun = raw.schedule?.spec?.startTime;
  return {
    spec: { ...times, ...(begun && { startAt: new Date(tsToMs(begun)) }) },
    record: writtenOut(record, completeUntil),
  };
}

/** Extends every binding that has not run for so long that its own runs did not; returns how many. */
export async function extendAll(client: Client, now: number): Promise<number> {
  const { namespace } = client.options;
  let count = 0;
  let nextPageToken: Uint8Array | undefined;
  do {
    const page = await client.workflowService
      .listSchedules({
        namespace,
        query: activeOnes,
        maximumPageSize: pageSize,
        ...(nextPageToken && { nextPageToken }),
      })
      .catch((error) => Promise.reject(asProblem(error)));
    for (const { scheduleId, searchAttributes } of page.schedules) {
      const tags = tagged(searchAttributes);
      if (isShort(tags, cadenceOfTags(tags), now) && (await extendOne(client, scheduleId ?? '', now))) count++;
    }
    nextPageToken = page.nextPageToken?.length ? page.nextPageToken : undefined;
  } while (nextPageToken);
  return count;
}

async function extendOne(client: Client, scheduleId: string, now: number): Promise<boolean> {
  let changed = false;
  try {
    await changeBinding(client, scheduleId, randomUUID(), (snapshot) => {
      const extension = isExhausted(snapshot.record) ? undefined : extended(snapshot, snapshot.record, now);
      changed = extension !== undefined;
      const { context, paused, note } = snapshot;
      return extension && { ...extension, context, paused, note, remaining: runsLeft(snapshot) };
    });
  } catch (error) {
    // It was deleted meanwhile, or waits for a repair.
    if (!isUnknown(error) && !isBroken(error)) throw error;
  }
  return changed;
}
