import type { Finding } from '../../base/problems/problem.js';
import type { Code } from '../../base/problems/registry.js';
import { type Duration, parseDuration } from '../../base/time/duration.js';
import { parseInstant } from '../../base/time/instant.js';
import { zoneFault } from '../../base/time/zones.js';
import { type Cadence, day, firstInstant, hour, lastInstant, minute, second, wholeSecond } from './cadence.js';
import { type Bounds, outOfBounds } from './interval-bounds.js';
import { readCronFields } from './read-cron-fields.js';

/** A cadence, or all findings about its text. */
export type CadenceReading = { cadence: Cadence; findings: [] } | { cadence?: never; findings: Finding[] };

/** The position of the text, and the bounds that apply. */
export interface ReadOptions {
  /** JSON pointer of the value that is read. */
  pointer?: string;
  bounds?: Bounds;
}

/** A finding about the value at `pointer`. */
export function fault(pointer: string, code: Code, message: string, hint: string): Finding {
  return { code, severity: 'error', message, pointer, hint };
}

function refused(pointer: string, code: Code, message: string, hint: string): { findings: Finding[] } {
  return { findings: [fault(pointer, code, message, hint)] };
}

/** An instant, or findings about its text. */
export type InstantReading = { instant: number; findings: [] } | { instant?: never; findings: Finding[] };

/** An RFC 3339 timestamp as the whole second at or after it. */
export function readInstant(text: string, pointer = ''): InstantReading {
  const instant = parseInstant(text);
  if (instant === undefined)
    return refused(
      pointer,
      'CADENCE_INSTANT_INVALID',
      `"${text}" is not a timestamp`,
      'Write a date, a time and an offset, for example 2027-01-31T09:00:00Z or 2027-01-31T09:00:00+01:00.',
    );
  if (instant < firstInstant || instant > lastInstant)
    return refused(
      pointer,
      'CADENCE_YEAR_OUT_OF_RANGE',
      `"${text}" lies outside the years 2000 to 2100`,
      'Temporal runs schedules between these years only.',
    );
  return { instant: wholeSecond(instant), findings: [] };
}

/** A cadence of one instant; refused if that is not after `now`, because nothing would ever run. */
export function readOnce(text: string, now: number | undefined, { pointer = '' }: ReadOptions = {}): CadenceReading {
  const { instant, findings } = readInstant(text, pointer);
  if (instant === undefined) return { findings };
  if (now !== undefined && instant <= now)
    return refused(pointer, 'CADENCE_IN_THE_PAST', `"${text}" has passed`, 'Name a time in the future.');
  return { cadence: { kind: 'once', at: instant }, findings: [] };
}

/** A cron expression on the wall clock of a zone. */
export function readCron(
  expression: string,
  zone: string | undefined,
  { pointer = '', bounds, zonePointer = pointer }: ReadOptions & { zonePointer?: string } = {},
): CadenceReading {
  const findings: Finding[] = [];
  const read = readCronFields(expression);
  for (const { code, message, hint } of read.faults) findings.push(fault(pointer, code, message, hint));
  if (zone === undefined || zone === '')
    findings.push(
      fault(
        zonePointer,
        'CADENCE_ZONE_MISSING',
        'The time zone is missing',
        'Name one, for example Europe/Berlin or UTC.',
      ),
    );
  else {
    const wrong = zoneFault(zone);
    if (wrong) findings.push(fault(zonePointer, 'CADENCE_ZONE_UNKNOWN', wrong.message, wrong.hint));
  }
  if (findings.length > 0 || !('fields' in read)) return { findings };
  const normal = expression.trim().split(/\s+/).join(' ');
  return checked({ kind: 'cron', expression: normal, zone: zone!, fields: read.fields }, pointer, bounds);
}

const shorthand = /^(\d{1,9})\s*(s|m|h|d)$/;
const lengths: Record<string, number> = { s: second, m: minute, h: hour, d: day };

/** `5m`, `90s`, `12h`, `1d` or an ISO-8601 duration. */
function readDuration(text: string): Duration | undefined {
  const short = shorthand.exec(text.trim());
  if (short) return { years: 0, months: 0, days: 0, millis: Number(short[1]) * lengths[short[2]!]! };
  return parseDuration(text);
}

/** Beyond this, an offset from the epoch would not fit into an interval. */
const longestEvery = 3653 * day;

/**
 * A repeated stretch of time from `anchor` on: a number of seconds, a short form such as `5m`, or an ISO-8601 duration.
 * Months and years follow the UTC calendar; everything else is elapsed time.
 */
export function readInterval(value: string | number, anchor: number, options: ReadOptions = {}): CadenceReading {
  const { pointer = '', bounds } = options;
  const duration =
    typeof value === 'number' ? { years: 0, months: 0, days: 0, millis: value * second } : readDuration(value);
  const text = String(value);
  if (!duration || Object.values(duration).some((part) => part < 0 || !Number.isFinite(part)))
    return refused(
      pointer,
      'CADENCE_DURATION_INVALID',
      `"${text}" is not a duration`,
      'Write an ISO-8601 duration such as PT15M, P1D or P1M, or a short form such as 15m.',
    );
  if (duration.millis % second !== 0)
    return refused(pointer, 'CADENCE_NOT_WHOLE_SECONDS', `"${text}" has a fraction of a second`, 'Use whole seconds.');
  const months = duration.years * 12 + duration.months;
  const millis = duration.days * day + duration.millis;
  if (months === 0 && millis === 0)
    return refused(pointer, 'CADENCE_TOO_SHORT', `"${text}" has no length`, 'Give a duration above zero.');
  if (months > 1200 || millis > longestEvery)
    return refused(
      pointer,
      'CADENCE_TOO_LONG',
      `"${text}" is too long`,
      'At most 100 years, or 3653 days without months.',
    );
  const start = wholeSecond(anchor);
  const cadence: Cadence =
    months === 0
      ? { kind: 'every', millis, anchor: start }
      : { kind: 'iso', text: text.trim(), months, days: duration.days, millis: duration.millis, anchor: start };
  return checked(cadence, pointer, bounds);
}

function checked(cadence: Cadence, pointer: string, bounds: Bounds | undefined): CadenceReading {
  const wrong = bounds && outOfBounds(cadence, bounds);
  if (!wrong) return { cadence, findings: [] };
  return refused(pointer, wrong.code, wrong.message, wrong.hint);
}
