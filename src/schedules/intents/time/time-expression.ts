import type { JsonObject } from '../../../base/json/value.js';
import type { ClockTime, DayPart } from './clock-time-phrases.js';
import type { DateExpression } from './date-phrases.js';
import type { ZoneExpression } from './zone-phrases.js';

/** A complete schedule. */
export interface FixedSchedule {
  scheduleType: 'once' | 'interval' | 'cron';
  schedule: JsonObject;
}

/** Everything that an utterance says about time. */
export interface When {
  recurrence: Recurrence;
  date?: DateExpression;
  times?: ClockTime[];
  part?: DayPart;
  zone?: ZoneExpression;
  /** Delay from now, in milliseconds. */
  delay?: number;
  /** Start of an interval. */
  start?: When;
  /** An end was named. Cadences do not have one. */
  end?: true;
  /** A second schedule. A job can only have one. */
  other?: When;
  /** Words that were not understood. */
  unclear?: string;
  /** The time answers the question when it should run; the day is still open. */
  anyDay?: true;
  /** A cron expression as it was written. */
  cron?: string;
  /** A schedule chosen by an answer. */
  fixed?: FixedSchedule;
}

export function emptyWhen(): When {
  return { recurrence: {} };
}

/** Whether an utterance says when something should run. */
export function hasSchedule(when: When): boolean {
  const { recurrence, zone: _, part: __, anyDay: ___, ...rest } = when;
  return Object.keys(rest).length > 0 || Object.keys(recurrence).some((key) => key !== 'part');
}

/** Units of a recurrence. */
export type Unit = 'second' | 'minute' | 'hour' | 'day' | 'week' | 'month' | 'quarter' | 'year';

/** A recurrence as the utterance states it. Each part occurs at most once. */
export interface Recurrence {
  every?: { count: number; unit: Unit };
  /** Weekdays as a cron field, with ranges. */
  weekdays?: string;
  monthDays?: number[];
  /** Weekdays on which it does not run, as a cron field. */
  except?: string;
  /** Months, January is 1. */
  months?: number[];
  /** A day of each year. */
  yearDay?: { month: number; day: number };
  /** The nth weekday of a month; -1 is the last, weekday 7 is any working day. */
  nth?: { ranks: number[]; weekday: number };
  lastDay?: true;
  /** Range of times within a day. */
  window?: [ClockTime, ClockTime];
  /** Minutes of every hour. */
  minuteOf?: number[];
  /** Number of times per unit, without times of day. */
  perUnit?: number;
  /** The three day fields of a cron expression, taken from the job that is changed. */
  days?: string;
  /** Description of a condition that cadences cannot express. */
  beyond?: string;
  part?: DayPart;
}

/** Whether a unit is shorter than a day. */
export function isWithinDay(unit: Unit): boolean {
  return unit === 'second' || unit === 'minute' || unit === 'hour';
}

/** Length of each unit in seconds; 0 for months and quarters, which vary. */
export const unitSeconds: Record<Unit, number> = {
  second: 1,
  minute: 60,
  hour: 3600,
  day: 86_400,
  week: 604_800,
  month: 0,
  quarter: 0,
  year: 31_536_000,
};
