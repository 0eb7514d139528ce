import type { CalendarSpec, ScheduleSpec } from '@temporalio/client';
import { type Cadence, type Every, type Iso, lastInstant, second, wholeSecond, writtenOutFor } from './cadence.js';
import { monthNames, namedRanges, yearRanges } from './calendar-ranges.js';
import { compileCron } from './cron-to-temporal-calendars.js';
import { nextAfter, step, stepAfter } from './occurrences.js';

/** Options of a compilation. */
export interface CompileOptions {
  now: number;
  /** No run starts before it. A cadence with its own start, like an interval, does not need it. */
  startAt?: number;
  /** A start that is not in the future means an immediate first run, as for bindings. */
  runAtOnce?: boolean;
  /** The bound on runs. */
  maxRuns?: number;
}

/** A cadence in Temporal's terms. */
export interface Compiled {
  spec: ScheduleSpec;
  /** The caller starts the first run now; `spec` continues after it, on the anchored grid. */
  startsNow: boolean;
  /** `maxRuns` without the run that starts now: the guard behind our own count. */
  remainingActions?: number;
  /** Times were written out only up to here; compile again before then. */
  completeUntil?: number;
}

/** Compiles a cadence to structured calendars and anchored intervals, never to a cron string. */
export function compile(cadence: Cadence, options: CompileOptions): Compiled {
  const { now, startAt, runAtOnce = false, maxRuns } = options;
  const own = ownStart(cadence);
  const start = startAt === undefined ? (own ?? now) : wholeSecond(startAt);
  const startsNow = runAtOnce && start <= now;
  const { completeUntil, ...spec } = times(cadence, now);
  const first = nextAfter(cadence, Math.max(now, startsNow ? start : start - 1));
  return {
    spec: { ...spec, ...((own !== undefined || start > now) && { startAt: new Date(first ?? lastInstant + second) }) },
    startsNow,
    ...(maxRuns !== undefined && { remainingActions: Math.max(0, maxRuns - (startsNow ? 1 : 0)) }),
    ...(completeUntil !== undefined && { completeUntil }),
  };
}

/** The start of a cadence that has one; after the last instant if no occurrence is left. */
function ownStart(cadence: Cadence): number | undefined {
  if (cadence.kind === 'every' || cadence.kind === 'iso') return cadence.first ?? cadence.anchor;
  if (cadence.kind === 'once' || cadence.from === undefined) return undefined;
  return nextAfter(cadence, cadence.from - 1) ?? lastInstant + second;
}

function times(cadence: Cadence, now: number): ScheduleSpec & { completeUntil?: number } {
  switch (cadence.kind) {
    case 'once':
      return { calendars: [oneInstant(cadence.at)], timezone: 'UTC' };
    case 'every':
      return withFirst(cadence, { intervals: [onGrid(cadence)] }, now);
    case 'iso':
      return withFirst(cadence, compileIso(cadence, now), now);
    case 'cron':
      return compileCron(cadence, now);
  }
}

/** The times with a calendar for a first run that is still to come. */
function withFirst<S extends ScheduleSpec>({ first }: Every | Iso, spec: S, now: number): S {
  if (first === undefined || first <= now) return spec;
  return { ...spec, calendars: [oneInstant(first), ...(spec.calendars ?? [])], timezone: 'UTC' };
}

/** Whether some of its times have no pattern that Temporal knows, so that they are written out for the next years only. */
export function isWrittenOut(cadence: Cadence, now: number): boolean {
  if (cadence.kind === 'cron') return compileCron(cadence, now).completeUntil !== undefined;
  return cadence.kind === 'iso' && (cadence.days > 0 || cadence.millis > 0);
}

/** Temporal aligns intervals with the epoch; the offset shifts them onto the anchor. */
function onGrid({ millis, anchor }: Every) {
  return { every: millis, offset: anchor % millis };
}

/** The fewest times to write out, however far they reach: a schedule without a future would be removed. */
const atLeast = 5;

/** Months and years as calendars in UTC: a pattern if possible, listed times if days or hours shift it. */
function compileIso(iso: Iso, now: number): ScheduleSpec & { completeUntil?: number } {
  if (iso.days === 0 && iso.millis === 0) return { calendars: pattern(iso), timezone: 'UTC' };
  const first = stepAfter(iso, now);
  const completeUntil = Math.max(now + writtenOutFor, step(iso, first + atLeast));
  const calendars = [...grid(iso, first, Math.min(completeUntil, lastInstant))].map(oneInstant);
  return { calendars, timezone: 'UTC', completeUntil };
}

/** The occurrences from number `k` on, up to `until`. */
function* grid(iso: Iso, k: number, until: number): Generator<number> {
  for (let [i, at] = [k, step(iso, k)]; at <= until; at = step(iso, ++i)) yield at;
}

/**
 * The whole grid in few calendars: months that share their day and their years share one. The day differs from the
 * anchor's where a month is too short for it, and in February by leap years.
 */
function pattern(iso: Iso): CalendarSpec[] {
  const firstYear = new Date(iso.anchor).getUTCFullYear();
  const dates = new Map<string, { month: number; day: number; years: number[] }>();
  // The grid is continued back to the first January, so that all months of a yearly pattern have the same years.
  const begin = -Math.ceil(12 / iso.months);
  for (const instant of grid(iso, begin, lastInstant)) {
    const at = new Date(instant);
    if (at.getUTCFullYear() < firstYear) continue;
    const key = `${at.getUTCMonth()}-${at.getUTCDate()}`;
    const entry = dates.get(key) ?? { month: at.getUTCMonth(), day: at.getUTCDate(), years: [] };
    entry.years.push(at.getUTCFullYear());
    dates.set(key, entry);
  }
  const shared = new Map<string, { months: number[]; day: number; years: number[] }>();
  for (const { month, day: date, years } of dates.values()) {
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
      month: namedRanges(
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
function oneInstant(instant: number): CalendarSpec {
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
