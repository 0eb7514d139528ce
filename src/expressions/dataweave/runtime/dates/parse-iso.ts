import { daysFromCivil, daysInMonth, nanosPerSecond } from './calendar-days.js';
import {
  DateTimeValue,
  DateValue,
  durationPeriod,
  LocalDateTimeValue,
  LocalTimeValue,
  PeriodValue,
  type Temporal,
  TimeValue,
  type ZoneValue,
} from './date-values.js';
import { atZone, parseZone } from './zone-offsets.js';

const datePart = String.raw`(-?\d{4}|[+-]\d{5,9})-(\d{2})-(\d{2})`;
const timePart = String.raw`(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?`;
const zonePart = String.raw`(Z|[+-]\d{2}:\d{2}(?::\d{2})?)`;
const dateText = new RegExp(`^${datePart}$`);
const timeText = new RegExp(`^${timePart}$`);
const zonedTimeText = new RegExp(`^${timePart}${zonePart}$`, 'i');
const localDateTimeText = new RegExp(`^${datePart}T${timePart}$`, 'i');
const dateTimeText = new RegExp(`^${datePart}T${timePart}${zonePart}?(?:\\[([\\w/+-]+)\\])?$`, 'i');
const calendarText = /^P(?:(-?\d+)Y)?(?:(-?\d+)M)?(?:(-?\d+)D)?$/i;
const weeksText = /^P(?:(-?\d+)Y)?(?:(-?\d+)M)?(?:(-?\d+)W)?(?:(-?\d+)D)?$/i;
const durationText = /^P(?:(-?\d+)D)?T(?:(-?\d+)H)?(?:(-?\d+)M)?(?:(-?\d+)(?:\.(\d{1,9}))?S)?$/;

/** Day count of a valid civil date, or null. */
export function checkedDay(year: number, month: number, day: number): number | null {
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return null;
  return daysFromCivil(year, month, day);
}

/** Nanoseconds of a valid time of day, or null. */
export function checkedTime(hour: number, minute: number, second: number, fraction: string): number | null {
  if (hour > 23 || minute > 59 || second > 59) return null;
  return (hour * 3600 + minute * 60 + second) * nanosPerSecond + Number(fraction.padEnd(9, '0'));
}

function dayOf(m: RegExpExecArray, at: number): number | null {
  return checkedDay(Number(m[at]), Number(m[at + 1]), Number(m[at + 2]));
}

function timeOf(m: RegExpExecArray, at: number): number | null {
  return checkedTime(Number(m[at]), Number(m[at + 1]), Number(m[at + 2] ?? 0), m[at + 3] ?? '');
}

/** Parses an ISO 8601 date; null if invalid. */
export function parseDate(text: string): DateValue | null {
  const m = dateText.exec(text);
  const day = m && dayOf(m, 1);
  return m && day !== null ? new DateValue(day) : null;
}

/** Parses an ISO 8601 time without an offset; null if invalid. */
export function parseLocalTime(text: string): LocalTimeValue | null {
  const m = timeText.exec(text);
  const nanos = m && timeOf(m, 1);
  return m && nanos !== null ? new LocalTimeValue(nanos) : null;
}

/** Parses an ISO 8601 time with an offset; null if invalid. */
export function parseTime(text: string): TimeValue | null {
  const m = zonedTimeText.exec(text);
  const nanos = m && timeOf(m, 1);
  return m && nanos !== null ? new TimeValue(nanos, parseZone(m[5]!.toUpperCase())?.offset ?? 0) : null;
}

/** Parses an ISO 8601 date and time without an offset; null if invalid. */
export function parseLocalDateTime(text: string): LocalDateTimeValue | null {
  const m = localDateTimeText.exec(text);
  const day = m && dayOf(m, 1);
  const nanos = m && timeOf(m, 4);
  return m && day !== null && nanos !== null ? new LocalDateTimeValue(day, nanos) : null;
}

/** Parses a date and time with an offset, or with a zone in brackets, which takes precedence. */
export function parseDateTime(text: string): DateTimeValue | null {
  const m = dateTimeText.exec(text);
  if (!m || m[8] === undefined) return null;
  const day = dayOf(m, 1);
  const nanos = timeOf(m, 4);
  if (day === null || nanos === null) return null;
  const offset = parseZone(m[8].toUpperCase())?.offset ?? null;
  if (offset === null) return null;
  if (m[9] === undefined) return new DateTimeValue(day, nanos, offset);
  const zone = parseZone(m[9]);
  if (!zone) return null;
  const local = atZone(day, nanos, zone);
  if (local.offset === offset) return local;
  const shifted = day * 86_400 + Math.floor(nanos / 1e9) - offset;
  const target = zone.offset === null ? local.offset : zone.offset;
  const seconds = shifted + target;
  const newDay = Math.floor(seconds / 86_400);
  return new DateTimeValue(newDay, (seconds - newDay * 86_400) * 1e9 + (nanos % 1e9), target, zone.id);
}

/** Parses a period: a calendar period, or an exact duration if it has a time part. Weeks are valid in text, not in literals. */
export function parsePeriod(text: string, weeks = true): PeriodValue | null {
  const n = (s: string | undefined) => (s === undefined ? 0 : Number(s));
  const exact = durationText.exec(text);
  if (exact && text.length > 2 && !/t$/i.test(text)) {
    const [, d, h, m, s, f] = exact;
    const sign = s?.startsWith('-') ? -1 : 1;
    return durationPeriod(n(d) * 86_400 + n(h) * 3600 + n(m) * 60 + n(s), sign * Number((f ?? '').padEnd(9, '0')));
  }
  const calendar = calendarText.exec(text);
  if (calendar && text.length > 1) return new PeriodValue(n(calendar[1]), n(calendar[2]), n(calendar[3]));
  const long = weeks ? weeksText.exec(text) : null;
  return long && text.length > 1 ? new PeriodValue(n(long[1]), n(long[2]), n(long[3]) * 7 + n(long[4])) : null;
}

/** Parses a date, time or period; null if invalid. */
export function parseTemporal(text: string): Temporal | null {
  if (text.length > 100) return null;
  return (
    parseDate(text) ??
    parseLocalDateTime(text) ??
    parseDateTime(text) ??
    parseLocalTime(text) ??
    parseTime(text) ??
    parsePeriod(text)
  );
}

/** Parses the date, time or period of a `|…|` literal; null if invalid. */
export function parseTemporalLiteral(text: string): Temporal | null {
  if (/[a-z]/.test(text)) return null;
  if (text.startsWith('P')) return parsePeriod(text, false);
  if (text === 'Z' || /^[+-]\d{2}:\d{2}$/.test(text)) return parseZone(text) as ZoneValue | null;
  if (text.includes('[')) return null;
  return parseDate(text) ?? parseLocalDateTime(text) ?? parseDateTime(text) ?? parseLocalTime(text) ?? parseTime(text);
}
