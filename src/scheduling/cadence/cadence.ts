import type { CronFields } from './cron-fields.js';

/** One instant. */
export interface Once {
  kind: 'once';
  /** Milliseconds since the epoch, on a whole second, like all instants of a cadence. */
  at: number;
}

/** A fixed stretch of elapsed time, counted from `anchor`: the grid never drifts. */
export interface Every {
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
  /** Nothing runs before it; the whole expression counts when it is left out. */
  from?: number;
}

/** An ISO-8601 duration with months or years, counted from `anchor` on the UTC calendar. */
export interface Iso {
  kind: 'iso';
  text: string;
  /** A year counts as twelve. */
  months: number;
  days: number;
  millis: number;
  anchor: number;
}

/** When a schedule runs: the one model behind bindings, jobs and producers. */
export type Cadence = Once | Every | Cron | Iso;

/** Temporal's calendars know the years 2000 to 2100; no cadence goes further. */
export const firstInstant = Date.UTC(2000, 0, 1);
export const lastInstant = Date.UTC(2100, 11, 31, 23, 59, 59);

export const second = 1000;
export const minute = 60 * second;
export const hour = 60 * minute;
export const day = 24 * hour;

/** Times that have no pattern Temporal knows are written out for five years; maintenance extends them. */
export const writtenOutFor = 5 * 365 * day + 2 * day;

/** The first whole second at or after `instant`: Temporal's schedules know nothing finer. */
export function wholeSecond(instant: number): number {
  return Math.ceil(instant / second) * second;
}
