import type { ScheduleSpec } from '@temporalio/client';
import { second } from './cadence.js';
import { nextOnServer, serverCalendar } from './server-calendar.js';

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
    // The server asks every part anew from the last time found, so one part's find changes what another finds next.
    const found = [
      ...calendars.map((calendar) => nextOnServer(calendar, last, end)),
      ...intervals.map(({ every, offset }) => Math.floor((last - offset) / every) * every + every + offset),
    ].filter((time) => time !== undefined && time <= end) as number[];
    if (found.length === 0) return out;
    last = Math.min(...found);
    out.push(last);
  }
}
