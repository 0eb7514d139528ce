import type { CalendarSpec, ScheduleSpec } from '@temporalio/client';
import { type Iso, lastInstant, writtenOutFor } from './cadence.js';
import { step, stepAfter } from './calendar-steps.js';
import { monthNames, named, yearRanges } from './ranges.js';

/** The fewest times to write out, however far they reach: a schedule without a future would be removed. */
const atLeast = 5;

/** Months and years as calendars in UTC: a pattern where there is one, written out where days or hours shift it. */
export function compileIso(iso: Iso, now: number): ScheduleSpec & { completeUntil?: number } {
  if (iso.days === 0 && iso.millis === 0) return { calendars: pattern(iso), timezone: 'UTC' };
  const first = stepAfter(iso, now);
  const completeUntil = Math.max(now + writtenOutFor, step(iso, first + atLeast));
  const calendars: CalendarSpec[] = [];
  for (let k = first; step(iso, k) <= Math.min(completeUntil, lastInstant); k++)
    calendars.push(oneInstant(step(iso, k)));
  return { calendars, timezone: 'UTC', completeUntil };
}

/**
 * The whole grid in few calendars: months that share their day and their years share one. The day differs from the
 * anchor's where a month is too short for it, and in February by leap years.
 */
function pattern(iso: Iso): CalendarSpec[] {
  const firstYear = new Date(iso.anchor).getUTCFullYear();
  const grid = new Map<string, { month: number; day: number; years: number[] }>();
  // The grid is continued back to the first January, so that all months of a yearly pattern have the same years.
  const begin = -Math.ceil(12 / iso.months);
  for (let k = begin; step(iso, k) <= lastInstant; k++) {
    const at = new Date(step(iso, k));
    if (at.getUTCFullYear() < firstYear) continue;
    const key = `${at.getUTCMonth()}-${at.getUTCDate()}`;
    const entry = grid.get(key) ?? { month: at.getUTCMonth(), day: at.getUTCDate(), years: [] };
    entry.years.push(at.getUTCFullYear());
    grid.set(key, entry);
  }
  const shared = new Map<string, { months: number[]; day: number; years: number[] }>();
  for (const { month, day: date, years } of grid.values()) {
    const key = `${date}-${years.join()}`;
    const entry = shared.get(key) ?? { months: [], day: date, years };
    entry.months.push(month);
    shared.set(key, entry);
  }
  const at = new Date(iso.anchor);
  const everyYear = new Date(lastInstant).getUTCFullYear() - firstYear + 1;
  return [...shared.values()].map(({ months, day: date, years }) => ({
    ...(years.length < everyYear && { year: yearRanges(years) }),
    ...(months.length < 12 && {
      month: named(
        months.sort((a, b) => a - b),
        monthNames,
      ),
    }),
    dayOfMonth: date,
    hour: at.getUTCHours(),
    minute: at.getUTCMinutes(),
    second: at.getUTCSeconds(),
    comment: iso.text,
  }));
}

/** A calendar in UTC that matches one second. */
export function oneInstant(instant: number): CalendarSpec {
  const at = new Date(instant);
  return {
    year: at.getUTCFullYear(),
    month: monthNames[at.getUTCMonth()]!,
    dayOfMonth: at.getUTCDate(),
    hour: at.getUTCHours(),
    minute: at.getUTCMinutes(),
    second: at.getUTCSeconds(),
  };
}
