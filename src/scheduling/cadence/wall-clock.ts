import { day, minute } from './cadence.js';
import type { CronFields } from './cron-fields.js';

/*
 * Times here are what a wall clock shows, as milliseconds since the epoch read as if the clock stood in UTC. Zones and
 * their changes are no concern of this file.
 */

/** Whether a date (the clock's time at its midnight) is one the expression names. */
export function dateMatches(fields: CronFields, midnight: number): boolean {
  const date = new Date(midnight);
  if (!fields.months.includes(date.getUTCMonth() + 1)) return false;
  const ofMonth = fields.daysOfMonth.includes(date.getUTCDate());
  const ofWeek = fields.daysOfWeek.includes(date.getUTCDay());
  return fields.eitherDay ? ofMonth || ofWeek : ofMonth && ofWeek;
}

/** Whether the clock showing `time` is a time to run. */
export function timeMatches(fields: CronFields, time: number): boolean {
  const midnight = Math.floor(time / day) * day;
  const minutes = (time - midnight) / minute;
  return (
    fields.minutes.includes(minutes % 60) &&
    fields.hours.includes(Math.floor(minutes / 60)) &&
    dateMatches(fields, midnight)
  );
}

/** The first matching time in [from, to), or undefined. */
export function firstMatch(fields: CronFields, from: number, to: number): number | undefined {
  let midnight = Math.floor(from / day) * day;
  for (let earliest = Math.ceil((from - midnight) / minute); midnight < to; midnight += day, earliest = 0) {
    if (!dateMatches(fields, midnight)) continue;
    const found = firstMinute(fields, earliest);
    if (found === undefined) continue;
    const time = midnight + found * minute;
    return time < to ? time : undefined;
  }
  return undefined;
}

/** The last matching time in [from, to), or undefined. */
export function lastMatch(fields: CronFields, from: number, to: number): number | undefined {
  let midnight = Math.floor((to - 1) / day) * day;
  for (let latest = Math.ceil((to - midnight) / minute) - 1; midnight + day > from; midnight -= day, latest = 1439) {
    if (!dateMatches(fields, midnight)) continue;
    const found = lastMinute(fields, latest);
    if (found === undefined) continue;
    const time = midnight + found * minute;
    return time >= from ? time : undefined;
  }
  return undefined;
}

/** How many matching times lie in [from, to). */
export function countMatches(fields: CronFields, from: number, to: number): number {
  let count = 0;
  const perDay = fields.hours.length * fields.minutes.length;
  for (let midnight = Math.floor(from / day) * day; midnight < to; midnight += day) {
    if (!dateMatches(fields, midnight)) continue;
    const whole = midnight >= from && midnight + day <= to;
    count += whole ? perDay : countMinutes(fields, from - midnight, to - midnight);
  }
  return count;
}

function countMinutes({ hours, minutes }: CronFields, from: number, to: number): number {
  let count = 0;
  for (const h of hours)
    for (const m of minutes) {
      const time = (h * 60 + m) * minute;
      if (time >= from && time < to) count++;
    }
  return count;
}

function firstMinute({ hours, minutes }: CronFields, earliest: number): number | undefined {
  for (const h of hours) {
    if (h * 60 + 59 < earliest) continue;
    const m = minutes.find((value) => h * 60 + value >= earliest);
    if (m !== undefined) return h * 60 + m;
  }
  return undefined;
}

function lastMinute({ hours, minutes }: CronFields, latest: number): number | undefined {
  for (const h of hours.toReversed()) {
    if (h * 60 > latest) continue;
    const m = minutes.findLast((value) => h * 60 + value <= latest);
    if (m !== undefined) return h * 60 + m;
  }
  return undefined;
}
