import { Fault } from '../evaluation-fault.js';
import { english, type Locale } from '../locales.js';
import { civilFromDays, daysFromCivil } from './calendar-days.js';
import {
  DateTimeValue,
  DateValue,
  isoOffset,
  LocalDateTimeValue,
  LocalTimeValue,
  pad,
  type Temporal,
  TimeValue,
} from './date-values.js';
import { tokenize } from './pattern-tokens.js';
import { zoneName } from './zone-names.js';

interface DateParts {
  day: number | null;
  nanos: number | null;
  offset: number | null;
  zone: string | null;
}

function partsOf(value: Temporal): DateParts {
  if (value instanceof DateTimeValue) return value;
  if (value instanceof LocalDateTimeValue) return { day: value.day, nanos: value.nanos, offset: null, zone: null };
  if (value instanceof DateValue) return { day: value.day, nanos: null, offset: null, zone: null };
  if (value instanceof LocalTimeValue) return { day: null, nanos: value.nanos, offset: null, zone: null };
  if (value instanceof TimeValue) return { day: null, nanos: value.nanos, offset: value.offset, zone: null };
  return { day: null, nanos: null, offset: null, zone: null };
}

function missing(): Fault {
  return new Fault(
    'DW_TYPE_MISMATCH',
    'The date pattern requires a field that the value does not have',
    true,
    'UnsupportedTypeCoercionException',
  );
}

/** Formats a date or time with a pattern in Java's notation. */
export function formatTemporal(value: Temporal, pattern: string, locale = english): string {
  const parts = partsOf(value);
  let out = '';
  /** Start positions of the open optional sections, and the depth inside a skipped one. */
  const starts: number[] = [];
  let skipped = 0;
  for (const token of tokenize(pattern)) {
    if (skipped > 0) skipped += token.kind === 'open' ? 1 : token.kind === 'close' ? -1 : 0;
    else if (token.kind === 'open') starts.push(out.length);
    else if (token.kind === 'close') starts.pop();
    else if (token.kind === 'text') out += token.text;
    else if (token.kind === 'field') {
      if (starts.length > 0 && !has(parts, token.letter)) {
        out = out.slice(0, starts.pop());
        skipped = 1;
      } else out += field(parts, token.letter, token.count, locale);
    }
  }
  return out;
}

const dateLetters = 'GuyDMLdQqYwWEecF';
const timeLetters = 'ahKkHmsSAnNB';

function has({ day, nanos, offset }: DateParts, letter: string): boolean {
  return (dateLetters.includes(letter) ? day : timeLetters.includes(letter) ? nanos : offset) !== null;
}

/** Words available only in English: eras, quarters, day periods, zone names, stand-alone short names. */
function isEnglishOnly({ zone }: DateParts, letter: string, count: number): boolean {
  if (letter === 'Q' || letter === 'q') return count === 3 || count === 4;
  if (letter === 'L' || letter === 'c') return count === 3;
  if (letter === 'z') return zone !== null;
  return 'GBO'.includes(letter) || (letter === 'Z' && count === 4);
}

function field(parts: DateParts, letter: string, count: number, locale: Locale): string {
  if (locale !== english && isEnglishOnly(parts, letter, count))
    throw new Fault('DW_UNSUPPORTED_SYNTAX', 'The date pattern requires a word that is available only in English');
  if (dateLetters.includes(letter)) {
    if (parts.day === null) throw missing();
    return dateField(parts.day, letter, count, locale);
  }
  if (timeLetters.includes(letter)) {
    if (parts.nanos === null) throw missing();
    return timeField(parts.nanos, letter, count, locale);
  }
  if (parts.offset === null) throw missing();
  return zoneField(parts.offset, parts.zone, letter, count);
}

/** Day of the week; 1 is Monday. */
export function dayOfWeek(day: number): number {
  return ((((day + 3) % 7) + 7) % 7) + 1;
}

/** Day of the year, from 1. */
export function dayOfYear(day: number): number {
  return day - daysFromCivil(civilFromDays(day).year, 1, 1) + 1;
}

/** Week number if weeks start on Sunday and the first one contains 1 January. */
function sundayWeek(day: number): { year: number; week: number } {
  const { year } = civilFromDays(day);
  const start = (y: number) => {
    const first = daysFromCivil(y, 1, 1);
    return first - (dayOfWeek(first) % 7);
  };
  const owner = day >= start(year + 1) ? year + 1 : year;
  return { year: owner, week: Math.floor((day - start(owner)) / 7) + 1 };
}

function yearText(year: number, count: number): string {
  if (count === 2) return pad(((year % 100) + 100) % 100, 2);
  // A year longer than its letters gets a sign, so that it can be parsed again.
  return (count > 3 && year >= 10 ** count ? '+' : '') + pad(year, count);
}

function name(full: readonly string[], short: readonly string[], index: number, count: number): string {
  return count === 4 ? full[index]! : count === 5 ? full[index]![0]!.toUpperCase() : short[index]!;
}

function dateField(days: number, letter: string, count: number, locale: Locale): string {
  const { year, month, day } = civilFromDays(days);
  const quarter = Math.ceil(month / 3);
  const weekday = dayOfWeek(days);
  switch (letter) {
    case 'G':
      return count === 4
        ? year > 0
          ? 'Anno Domini'
          : 'Before Christ'
        : count === 5
          ? year > 0
            ? 'A'
            : 'B'
          : year > 0
            ? 'AD'
            : 'BC';
    case 'u':
      return yearText(year, count);
    case 'y':
      return yearText(year > 0 ? year : 1 - year, count);
    case 'Y':
      return yearText(sundayWeek(days).year, count);
    case 'M':
    case 'L':
      return count <= 2 ? pad(month, count) : name(locale.months, locale.shortMonths, month - 1, count);
    case 'd':
      return pad(day, count);
    case 'D':
      return pad(dayOfYear(days), count);
    case 'Q':
    case 'q':
      if (count <= 2) return pad(quarter, count);
      if (count === 3) return `Q${quarter}`;
      return count === 4 ? `${['1st', '2nd', '3rd', '4th'][quarter - 1]} quarter` : String(quarter);
    case 'w':
      return pad(sundayWeek(days).week, count);
    case 'W': {
      const first = daysFromCivil(year, month, 1);
      return pad(Math.floor((day - 1 + (dayOfWeek(first) % 7)) / 7) + 1, count);
    }
    case 'F':
      return pad(Math.ceil(day / 7), count);
    case 'E':
      return name(locale.days, locale.shortDays, weekday - 1, count);
    default:
      return count <= 2 ? pad((weekday % 7) + 1, count) : name(locale.days, locale.shortDays, weekday - 1, count);
  }
}

/** English name of a part of the day. */
function dayPeriod(nanos: number, count: number): string {
  const hour = Math.floor(nanos / 3.6e12);
  if (nanos === 0) return count === 5 ? 'mi' : 'midnight';
  if (nanos < 4.326e13 && hour === 12) return count === 5 ? 'n' : 'noon';
  if (hour < 6 || hour >= 21) return 'at night';
  return hour < 12 ? 'in the morning' : hour < 18 ? 'in the afternoon' : 'in the evening';
}

function timeField(nanos: number, letter: string, count: number, locale: Locale): string {
  const hour = Math.floor(nanos / 3.6e12);
  switch (letter) {
    case 'a':
      return locale.halves[hour < 12 ? 0 : 1];
    case 'B':
      return dayPeriod(nanos, count);
    case 'H':
      return pad(hour, count);
    case 'k':
      return pad(hour === 0 ? 24 : hour, count);
    case 'K':
      return pad(hour % 12, count);
    case 'h':
      return pad(hour % 12 === 0 ? 12 : hour % 12, count);
    case 'm':
      return pad(Math.floor(nanos / 6e10) % 60, count);
    case 's':
      return pad(Math.floor(nanos / 1e9) % 60, count);
    case 'S':
      return pad(nanos % 1e9, 9)
        .padEnd(count, '0')
        .slice(0, count);
    case 'A':
      return pad(Math.floor(nanos / 1e6), count);
    case 'n':
      return pad(nanos % 1e9, count);
    case 'N':
      return pad(nanos, count);
  }
  throw missing();
}

function zoneField(offset: number, zone: string | null, letter: string, count: number): string {
  const abs = Math.abs(offset);
  const sign = offset < 0 ? '-' : '+';
  const hh = pad(Math.floor(abs / 3600), 2);
  const mm = pad(Math.floor(abs / 60) % 60, 2);
  switch (letter) {
    case 'X':
      if (offset === 0) return 'Z';
      return count === 1 ? `${sign}${hh}${mm === '00' ? '' : mm}` : `${sign}${hh}${count % 2 === 1 ? ':' : ''}${mm}`;
    case 'x':
      return count === 1 ? `${sign}${hh}${mm === '00' ? '' : mm}` : `${sign}${hh}${count % 2 === 1 ? ':' : ''}${mm}`;
    case 'Z':
      if (count < 4) return `${sign}${hh}${mm}`;
      return count === 4 ? (offset === 0 ? 'GMT' : `GMT${sign}${hh}:${mm}`) : isoOffset(offset);
    case 'O':
      if (offset === 0) return 'GMT';
      return count === 4
        ? `GMT${sign}${hh}:${mm}`
        : `GMT${sign}${Math.floor(abs / 3600)}${mm === '00' ? '' : `:${mm}`}`;
    case 'z':
      if (zone === null) return isoOffset(offset);
      return zoneName(zone, offset, count === 4) ?? nameless(zone, `GMT${sign}${hh}:${mm}`);
    default:
      return zone ?? isoOffset(offset);
  }
}

/** Zones that are a plain offset are named by it. Other zones without a known name are rejected. */
function nameless(zone: string, name: string): string {
  if (/^(?:Etc\/)?(?:GMT|UTC|UT)?[+-]?\d*(?::\d\d)*$/.test(zone)) return name;
  throw new Fault('DW_UNSUPPORTED_SYNTAX', 'This time zone has no known name');
}
