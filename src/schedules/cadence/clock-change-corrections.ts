import type { CalendarSpec, IntervalSpec, ScheduleSpec } from '@temporalio/client';
import { type Cron, day, hour } from './cadence.js';
import { monthNames, ranges } from './calendar-ranges.js';
import { movedTo } from './cron-occurrences.js';
import { enumerate } from './occurrences.js';
import { serverTimes } from './predict-server-times.js';
import { clockText, offsetAt, type Transition } from './zone-transitions.js';

/** Additions to a spec, so that the server misses nothing around one change of the zone's clock. */
export interface Corrections {
  calendars: CalendarSpec[];
  intervals: IntervalSpec[];
}

/** Changes of the clock confuse the server a few hours ahead and, when midnight is missing, for the whole local day. */
const before = 6 * hour;
const after = 26 * hour;

/** As Samoa did in 2011. The server's behaviour is unknown there, and our model of it does not cover that case. */
export function leavesOutDay({ before, after }: Transition): boolean {
  return Math.abs(after - before) > 12 * hour;
}

/** The one-offs for the times around `change` that the server would not find. */
export function corrections(cron: Cron, spec: ScheduleSpec, change: Transition): Corrections {
  if (leavesOutDay(change)) return { calendars: [], intervals: [] };
  const [from, to] = [change.at - before, change.at + after];
  const wanted = enumerate(cron, from, { until: to });
  // Times within this distance of a change back are shown twice; negative if the clock goes forward.
  const back = change.before - change.after;
  const repeated = new Set(wanted.filter((instant) => instant >= change.at - back && instant < change.at + back));
  const instants = new Set<number>();
  let onlyIntervals = false;
  let added: Corrections = { calendars: [], intervals: [] };
  for (;;) {
    const found = new Set(serverTimes(join(spec, added), from, to));
    const missing = wanted.filter((instant) => !found.has(instant));
    if (missing.length === 0) return added;
    const known = instants.size + Number(onlyIntervals);
    onlyIntervals ||= missing.some((instant) => instants.has(instant));
    for (const instant of missing) instants.add(instant);
    // The server continues its search at each time it finds: adding one instant of a repeated hour makes it miss the other.
    if (missing.some((instant) => repeated.has(instant))) for (const instant of repeated) instants.add(instant);
    // There is nothing more to add.
    if (instants.size + Number(onlyIntervals) === known) return added;
    const plain = [...instants].filter((instant) => !onlyIntervals && !repeated.has(instant)).sort((a, b) => a - b);
    added = {
      calendars: localCalendars(cron, plain),
      intervals: [...instants].filter((instant) => !plain.includes(instant)).map(onlyAt),
    };
  }
}

function join(spec: ScheduleSpec, { calendars, intervals }: Corrections): ScheduleSpec {
  return { ...spec, calendars: [...spec.calendars!, ...calendars], intervals };
}

/**
 * A spec has one zone for all its calendars, which cannot distinguish the two instants of a repeated local time. An interval as long
 * as the instant is from the epoch matches that instant, and not again for decades.
 */
function onlyAt(instant: number): IntervalSpec {
  return { every: instant };
}

/** Calendars in the cron's zone for single instants; those of a day with the same minutes share one. */
function localCalendars(cron: Cron, instants: number[]): CalendarSpec[] {
  const days = new Map<number, Map<number, number[]>>();
  const comments = new Map<number, string>();
  for (const instant of instants) {
    const local = instant + offsetAt(cron.zone, instant);
    const date = Math.floor(local / day) * day;
    const hours = days.get(date) ?? new Map<number, number[]>();
    days.set(date, hours);
    const at = new Date(local);
    hours.set(at.getUTCHours(), [...(hours.get(at.getUTCHours()) ?? []), at.getUTCMinutes()]);
    const moved = movedTo(cron, instant);
    if (moved.length > 0)
      comments.set(date, `instead of ${moved.slice(0, 8).map(clockText).join(', ')}, skipped by the clock`);
  }
  return [...days].flatMap(([date, hours]) => dayCalendars(date, hours, comments.get(date)));
}

function dayCalendars(
  date: number,
  hours: Map<number, number[]>,
  comment = 'missed by the zone calendar',
): CalendarSpec[] {
  const sameMinutes = new Map<string, { minutes: number[]; hours: number[] }>();
  for (const [value, minutes] of hours) {
    const group = sameMinutes.get(minutes.join()) ?? { minutes, hours: [] };
    group.hours.push(value);
    sameMinutes.set(minutes.join(), group);
  }
  const at = new Date(date);
  return [...sameMinutes.values()].map((group) => ({
    year: at.getUTCFullYear(),
    month: monthNames[at.getUTCMonth()]!,
    dayOfMonth: at.getUTCDate(),
    hour: ranges(group.hours),
    minute: ranges(group.minutes),
    comment,
  }));
}
