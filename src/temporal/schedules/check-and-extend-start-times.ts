import { type Cadence, day } from '../../schedules/cadence/cadence.js';
import { compile, isWrittenOut } from '../../schedules/cadence/cadence-to-temporal-spec.js';
import { isCoalescedSlot } from '../../schedules/cadence/detect-coalesced-slot.js';
import { countBetween, isOccurrence, nextAfter } from '../../schedules/cadence/occurrences.js';
import { tsToMs } from '../sdk-internals.js';
import type { ScheduleDescription, StartedRun } from './describe-schedule.js';
import type { ScheduleTimes } from './write-schedule.js';

/** Tolerance for a server clock ahead of ours, and for runs that have just become due. */
export const graceMs = 5_000;

/** Irregular start times are listed for five years; with less than four years left, the list is extended to five. */
const enoughMs = 4 * 365 * day;

/** The upcoming times of a Schedule without those that are coalesced: where clocks go back, Temporal starts an additional run. */
export function realTimes(cadence: Cadence, next: readonly number[]): number[] {
  return next.filter((time) => isOccurrence(cadence, time) || !isCoalescedSlot(cadence, time));
}

/**
 * Whether these are the upcoming times of a cadence, without gaps. Without `now` they may start anywhere. Times after `writtenUntil` are
 * ignored: they will be correct once the list is extended.
 */
export function isOnGrid(
  cadence: Cadence,
  planned: readonly number[],
  { writtenUntil }: { writtenUntil?: string },
  now?: number,
): boolean {
  const end = writtenUntil === undefined ? Number.POSITIVE_INFINITY : Date.parse(writtenUntil);
  const next = realTimes(
    cadence,
    planned.filter((time) => time <= end),
  );
  const [first, last] = [next[0], next.at(-1)];
  if (first === undefined || last === undefined) return true;
  if (!next.every((time) => isOccurrence(cadence, time))) return false;
  if (countBetween(cadence, first - 1, last) !== next.length) return false;
  return now === undefined || first <= (nextAfter(cadence, now + graceMs) ?? first);
}

/** Whether too few of the listed start times are left, or none are listed that should be: the rules of a zone may have changed. */
export function needsMoreTimes(cadence: Cadence, { writtenUntil }: { writtenUntil?: string }, now: number): boolean {
  if (writtenUntil !== undefined) return Date.parse(writtenUntil) < now + enoughMs;
  return isWrittenOut(cadence, now);
}

/**
 * Additional irregular start times; undefined while there are enough. Times that were changed outside Journeyman are kept, because
 * correcting them is a repair.
 */
export function extendedTimes(
  cadence: Cadence,
  { raw, next }: Pick<ScheduleDescription, 'raw' | 'next'>,
  record: { writtenUntil?: string },
  now: number,
): ScheduleTimes | undefined {
  if (!needsMoreTimes(cadence, record, now) || !isOnGrid(cadence, next, record)) return undefined;
  // A time that has just come due, and that the server has not processed yet, must still be listed.
  const { spec, completeUntil } = compile(cadence, { now: now - day });
  const { startAt: _, ...times } = spec;
  const begun = raw.schedule?.spec?.startTime;
  return {
    spec: { ...times, ...(begun && { startAt: new Date(tsToMs(begun)) }) },
    ...(completeUntil !== undefined && { completeUntil }),
  };
}

/**
 * The nominal time of a run that starts outside the cadence: now. A run's id holds it in whole seconds, so it is moved back by a second
 * while a run of the cadence is due in that second, or another run had it. Times up to `through` are accounted for.
 */
export function nominalTime(
  cadence: Cadence,
  through: number,
  now: number,
  recent: readonly Pick<StartedRun, 'nominal'>[] = [],
): number {
  const isTaken = (second: number) =>
    (second > through && isOccurrence(cadence, second) && !isOccurrence(cadence, second - 1000)) ||
    isCoalescedSlot(cadence, second) ||
    recent.some(({ nominal }) => secondOf(nominal) === second);
  let nominal = now;
  while (isTaken(secondOf(nominal))) nominal -= 1000;
  return nominal;
}

function secondOf(instant: number): number {
  return Math.floor(instant / 1000) * 1000;
}
