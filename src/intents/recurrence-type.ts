import type { ClockTime, DayPart } from './clock.js';

/** Stretches that something can repeat in. */
export type Unit = 'second' | 'minute' | 'hour' | 'day' | 'week' | 'month' | 'quarter' | 'year';

/** What was said about repeating. Each part is said at most once. */
export interface Recurrence {
  every?: { count: number; unit: Unit };
  /** Days of the week as a cron field, ranges kept, and what they were called. */
  weekdays?: string;
  monthDays?: number[];
  /** A day of each year. */
  yearDay?: { month: number; day: number };
  /** The first Monday of a month; the last is -1. A weekday of 7 is any working day. */
  nth?: { ranks: number[]; weekday: number };
  lastDay?: true;
  /** Between two times of a day. */
  window?: [ClockTime, ClockTime];
  /** A minute of every hour. */
  minuteOf?: number;
  /** So many times in each unit, without saying when. */
  perUnit?: number;
  /** The three day fields of a cron expression, kept from a job that is being changed. */
  days?: string;
  /** Something that no cadence can say, in words. */
  beyond?: string;
  part?: DayPart;
}

/** How long each is; months and quarters have no length of their own. */
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
