import type { CalendarSpec, ScheduleSpec } from '@temporalio/client';
import { day, hour, minute, second } from './cadence.js';
import { dayNames, monthNames, span, valuesOf } from './calendar-ranges.js';
import { offsetAt, segmentAt } from './zone-transitions.js';

/*
 * Start times as Temporal's server finds them in a zone whose clock changes. It resolves local times in its own way: a time in a gap is
 * skipped (or shifted, when the clock changes by less than an hour), a repeated time is found once or twice depending on the zone's longitude,
 * and the weekday of a day whose midnight does not exist may be the day before. `compile` uses this file to add times that would be lost; tests
 * compare it with a real server.
 */

/** Every time after `after` and up to `until` that Temporal's server finds for a compiled spec. */
export function serverTimes(spec: ScheduleSpec, after: number, until: number): number[] {
  const calendars = (spec.calendars ?? []).map((calendar) => serverCalendar(calendar, spec.timezone ?? 'UTC'));
  const intervals = (spec.intervals ?? []).map(({ every, offset }) => ({
    every: every as number,
    offset: (offset as number | undefined) ?? 0,
  }));
  const end = Math.min(until, spec.endAt?.getTime() ?? until);
  const out: number[] = [];
  let last = Math.max(after, (spec.startAt?.getTime() ?? after) - second);
  for (;;) {
    // The server searches every part again from the last time found, so the result of one part affects the others.
    const found = [
      ...calendars.map((calendar) => nextOnServer(calendar, last, end)),
      ...intervals.map(({ every, offset }) => Math.floor((last - offset) / every) * every + every + offset),
    ].filter((time) => time !== undefined && time <= end) as number[];
    if (found.length === 0) return out;
    last = Math.min(...found);
    out.push(last);
  }
}

/** A calendar as the server evaluates it. */
interface ServerCalendar {
  zone: string;
  /** Undefined is every year. */
  years: Set<number> | undefined;
  months: Set<number>;
  daysOfMonth: Set<number>;
  daysOfWeek: Set<number>;
  hours: Set<number>;
  minutes: Set<number>;
  seconds: Set<number>;
}

/** Prepares a calendar for `nextOnServer`. */
function serverCalendar(spec: CalendarSpec, zone: string): ServerCalendar {
  return {
    zone,
    years: spec.year === undefined || spec.year === '*' ? undefined : new Set(valuesOf(spec.year, [])),
    months: new Set(valuesOf(spec.month ?? '*', monthNames).map((index) => index + 1)),
    daysOfMonth: new Set(valuesOf(spec.dayOfMonth ?? '*', span(1, 31))),
    daysOfWeek: new Set(valuesOf(spec.dayOfWeek ?? '*', dayNames)),
    hours: new Set(valuesOf(spec.hour ?? 0, span(0, 23))),
    minutes: new Set(valuesOf(spec.minute ?? 0, span(0, 59))),
    seconds: new Set(valuesOf(spec.second ?? 0, span(0, 59))),
  };
}

/** The instant that the server's runtime computes for `local` in a zone, even if that local time does not exist or is repeated. */
function serverInstant(zone: string, local: number): number {
  const guess = segmentAt(zone, local);
  const instant = local - guess.offset;
  if (instant >= guess.start && instant < guess.end) return instant;
  return local - offsetAt(zone, instant);
}

/** The first instant after `after` and not after `until` that the server finds for the calendar. */
function nextOnServer(calendar: ServerCalendar, after: number, until: number): number | undefined {
  const { zone, hours, minutes, seconds } = calendar;
  const clockAt = (instant: number) => instant + offsetAt(zone, instant);
  const start = Math.floor(clockAt(after) / second) * second;
  // The server looks for the second copy of an hour by adding an hour to the first.
  let repeated = hourOf(clockAt(after - hour)) === hourOf(start) ? hour : 0;
  // Carrying into the next hour is the moment at which the server notices that it jumps over a repeated one.
  const carry = (time: number, unit: number) => {
    const next = Math.floor(time / unit) * unit + unit;
    if (next % hour !== 0) return next;
    const again = repeated === 0 && serverInstant(zone, next) - serverInstant(zone, next - hour) > hour;
    repeated = again ? hour : 0;
    return again ? next - hour : next;
  };

  const limit = until + 2 * day;
  let time = carry(start, second);
  search: while (time <= limit) {
    while (!dateOnServer(calendar, time)) {
      time = Math.floor(time / day) * day + day;
      repeated = 0;
      if (time > limit) return undefined;
    }
    while (!hours.has(hourOf(time))) {
      time = Math.floor(time / hour) * hour + hour;
      repeated = 0;
      if (time % day === 0) continue search;
    }
    while (!minutes.has(Math.floor(time / minute) % 60)) {
      time = carry(time, minute);
      if (time % hour === 0) continue search;
    }
    while (!seconds.has((time / second) % 60)) {
      time = carry(time, second);
      if (time % minute === 0) continue search;
    }
    const found = serverInstant(zone, time);
    if (hourOf(clockAt(found)) === hourOf(time)) return found + repeated <= until ? found + repeated : undefined;
    time = Math.floor(time / hour) * hour + hour;
  }
  return undefined;
}

function hourOf(time: number): number {
  return Math.floor(time / hour) % 24;
}

function dateOnServer({ zone, years, months, daysOfMonth, daysOfWeek }: ServerCalendar, time: number): boolean {
  const date = new Date(time);
  if (years && !years.has(date.getUTCFullYear())) return false;
  if (!months.has(date.getUTCMonth() + 1) || !daysOfMonth.has(date.getUTCDate())) return false;
  const instant = serverInstant(zone, time);
  return daysOfWeek.has(new Date(instant + offsetAt(zone, instant)).getUTCDay());
}
