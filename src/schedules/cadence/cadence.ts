import type { CronFields } from './read-cron-fields.js';

/** One instant. */
export interface Once {
  kind: 'once';
  /** Milliseconds since the epoch, on a whole second, like all instants of a cadence. */
  at: number;
}

/** A start apart from the grid of an interval. */
interface FirstRun {
  /** The first occurrence, on the grid or not; those of the grid count only after it. The grid begins at its anchor when it is left out. */
  first?: number;
}

/** A fixed stretch of elapsed time, counted from `anchor`: the grid never drifts. */
export interface Every extends FirstRun {
  kind: 'every';
  millis: number;
  anchor: number;
}

/** A five-field cron expression read on the wall clock of an IANA zone. */
export interface Cron {
  kind: 'cron';
  expression: string;
  zone: string;
  fields: CronFields;
  /** No run starts before it; without it, the expression is unrestricted. */
  from?: number;
}

/** An ISO-8601 duration with months or years, counted from `anchor` on the UTC calendar. */
export interface Iso extends FirstRun {
  kind: 'iso';
  text: string;
  /** A year counts as twelve. */
  months: number;
  days: number;
  millis: number;
  anchor: number;
}

/** The times of a schedule: the one model of bindings, jobs and producers. */
export type Cadence = Once | Every | Cron | Iso;

/** Temporal's calendars cover the years 2000 to 2100; so do cadences. */
export const firstInstant = Date.UTC(2000, 0, 1);
export const lastInstant = Date.UTC(2100, 11, 31, 23, 59, 59);

export const second = 1000;
export const minute = 60 * second;
export const hour = 60 * minute;
export const day = 24 * hour;

/** Times that no pattern of Temporal's covers are listed for five years; maintenance extends the list. */
export const writtenOutFor = 5 * 365 * day + 2 * day;

/** The first whole second at or after `instant`, the resolution of Temporal's schedules. */
export function wholeSecond(instant: number): number {
  return Math.ceil(instant / second) * second;
}
