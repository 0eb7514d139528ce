import { type Cron, day, firstInstant, lastInstant, minute } from './cadence.js';
import type { CronFields } from './read-cron-fields.js';
import { segmentAt, type ZoneSegment } from './zone-transitions.js';

/**
 * The occurrences of a cron expression within one period of constant offset.
 *
 * Implements the rule for clock changes. A cron expression whose hours are a wildcard or stepped follows the clock: every
 * matching time counts, those of a repeated hour twice. With fixed hours each local time counts once: a repeated time is
 * skipped, and a time in a gap moves to the first minute after the gap.
 */
interface Piece {
  segment: ZoneSegment;
  /** The times the clock shows that count here: [from, to). */
  from: number;
  to: number;
  /** A time was jumped over, so the first instant of the segment counts although the clock shows no matching time. */
  moved: boolean;
}

function pieceAt({ fields, zone }: Cron, instant: number): Piece {
  const segment = segmentAt(zone, instant);
  const shows = segment.start + segment.offset;
  const to = segment.end + segment.offset;
  if (fields.followsClock) return { segment, from: shows, to, moved: false };
  const shown = segment.start + segmentAt(zone, segment.start - 1).offset;
  const jumped = shown < shows && firstMatch(fields, shown, shows) !== undefined;
  return { segment, from: Math.max(shows, shown), to, moved: jumped && !timeMatches(fields, shows) };
}

function firstOf({ from = firstInstant }: Cron): number {
  return Math.max(from, firstInstant);
}

/** The first occurrence after `instant`. */
export function nextOfCron(cron: Cron, instant: number): number | undefined {
  let after = Math.max(instant, firstOf(cron) - 1);
  while (after < lastInstant) {
    const { segment, from, to, moved } = pieceAt(cron, after + 1);
    if (moved && segment.start > after) return segment.start;
    const time = firstMatch(cron.fields, Math.max(from, after + 1 + segment.offset), to);
    if (time !== undefined) return time - segment.offset;
    after = segment.end - 1;
  }
  return undefined;
}

/** The last occurrence before `instant`. */
export function previousOfCron(cron: Cron, instant: number): number | undefined {
  let before = Math.min(instant, lastInstant + 1);
  const first = firstOf(cron);
  while (before > first) {
    const { segment, from, to, moved } = pieceAt(cron, before - 1);
    const time = lastMatch(cron.fields, Math.max(from, first + segment.offset), Math.min(to, before + segment.offset));
    if (time !== undefined) return time - segment.offset;
    if (moved && segment.start >= first) return segment.start;
    before = segment.start;
  }
  return undefined;
}

/** The number of occurrences after `after` and up to `until`. */
export function countOfCron(cron: Cron, after: number, until: number): number {
  let count = 0;
  let start = Math.max(after + 1, firstOf(cron));
  const end = Math.min(until, lastInstant) + 1;
  while (start < end) {
    const { segment, from, to, moved } = pieceAt(cron, start);
    count += countMatches(cron.fields, Math.max(from, start + segment.offset), Math.min(to, end + segment.offset));
    if (moved && segment.start >= start) count++;
    start = segment.end;
  }
  return count;
}

/** Whether the cron runs at exactly this instant. */
export function isOfCron(cron: Cron, instant: number): boolean {
  return nextOfCron(cron, instant - 1) === instant;
}

/** The local times that do not exist and were moved to `instant`; empty almost always. */
export function movedTo(cron: Cron, instant: number): number[] {
  const { segment } = pieceAt(cron, instant);
  if (segment.start !== instant || cron.fields.followsClock) return [];
  const times: number[] = [];
  const shows = instant + segment.offset;
  let time = firstMatch(cron.fields, instant + segmentAt(cron.zone, instant - 1).offset, shows);
  while (time !== undefined) {
    times.push(time);
    time = firstMatch(cron.fields, time + 1, shows);
  }
  return times;
}

/*
 * Times below are those that a wall clock shows, in milliseconds since the epoch as if the clock were in UTC. They know
 * nothing of zones and their changes.
 */

/** Whether a date (the clock's time at its midnight) is one the expression names. */
function dateMatches(fields: CronFields, midnight: number): boolean {
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
function lastMatch(fields: CronFields, from: number, to: number): number | undefined {
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

/** The number of matching times in [from, to). */
function countMatches(fields: CronFields, from: number, to: number): number {
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
