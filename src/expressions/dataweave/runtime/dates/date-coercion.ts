import type { Options } from '../coercion.js';
import { coercionFault, Fault } from '../evaluation-fault.js';
import type { Evaluation } from '../evaluation-state.js';
import { english, type Locale, localeNamed } from '../locales.js';
import { toDec } from '../numbers.js';
import { isDec, T, typeName, type Value } from '../values.js';
import { daysFromCivil, daysInMonth, nanosPerSecond } from './calendar-days.js';
import {
  DateTimeValue,
  DateValue,
  LocalDateTimeValue,
  LocalTimeValue,
  type Temporal,
  TimeValue,
  ZoneValue,
} from './date-values.js';
import { parseDate, parseDateTime, parseLocalDateTime, parseLocalTime, parsePeriod, parseTime } from './parse-iso.js';
import { type PatternToken, tokenize } from './pattern-tokens.js';
import { zoneOfAbbreviation } from './zone-names.js';
import { atZone, inZone, parseZone } from './zone-offsets.js';

/** Date, time and period types. */
export const temporalTypes = T.Date | T.Time | T.LocalTime | T.LocalDateTime | T.DateTime | T.TimeZone | T.Period;

/** Converts `value` to the date or time type in `mask`; null if there is no such conversion. */
export function coerceTemporal(ev: Evaluation, value: Value, mask: number, options: Options): Temporal | null {
  const found = converted(ev, value, mask, options);
  if (found && options.locale !== undefined && found !== value) found.locale = options.locale;
  return found;
}

function converted(ev: Evaluation, value: Value, mask: number, options: Options): Temporal | null {
  if (typeof value === 'string') return fromText(ev, value, mask, options);
  if ((typeof value === 'number' || isDec(value)) && (mask & T.DateTime) !== 0) {
    const whole = toDec(value).trunc();
    const isMillis = options.unit === 'milliseconds';
    if (!isMillis && (options.unit ?? 'seconds') !== 'seconds')
      throw new Fault('DW_FUNCTION_ERROR', "The unit must be 'milliseconds' or 'seconds'");
    const second = isMillis ? whole.div(1000).floor() : whole;
    const nanos = isMillis ? whole.minus(second.times(1000)).toNumber() * 1e6 : 0;
    if (second.abs().gt(3.1556889864e16)) throw coercionFault('Number', 'DateTime');
    const day = second.div(86_400).floor();
    const ofDay = second.minus(day.times(86_400)).toNumber() * 1e9 + nanos;
    return new DateTimeValue(day.toNumber(), ofDay, 0, null, options.format ?? null);
  }
  return fromTemporal(ev, value, mask, options.format ?? null);
}

function fromTemporal(ev: Evaluation, value: Value, mask: number, format: string | null): Temporal | null {
  const day =
    value instanceof DateTimeValue || value instanceof LocalDateTimeValue || value instanceof DateValue
      ? value.day
      : null;
  const nanos =
    value instanceof DateTimeValue ||
    value instanceof LocalDateTimeValue ||
    value instanceof LocalTimeValue ||
    value instanceof TimeValue
      ? value.nanos
      : null;
  const zoned = value instanceof DateTimeValue || value instanceof TimeValue ? value : null;
  if (mask & T.Date && day !== null) return new DateValue(day, format);
  if (mask & T.LocalDateTime && day !== null && nanos !== null) return new LocalDateTimeValue(day, nanos, format);
  if (mask & T.LocalTime && nanos !== null) return new LocalTimeValue(nanos, format);
  if (mask & T.DateTime && day !== null && nanos !== null) {
    if (value instanceof DateTimeValue) return new DateTimeValue(day, nanos, value.offset, value.zone, format);
    const at = atZone(day, nanos, ev.zone());
    return new DateTimeValue(at.day, at.nanos, at.offset, at.zone, format);
  }
  if (mask & T.Time && nanos !== null) return new TimeValue(nanos, zoned ? zoned.offset : zoneOffset(ev), format);
  if (mask & T.TimeZone && zoned) return new ZoneValue('', zoned.offset);
  return null;
}

function zoneOffset(ev: Evaluation): number {
  const zone = ev.zone();
  return zone.offset ?? inZone(Math.floor(ev.env.now / 1000), 0, zone).offset;
}

function fromText(ev: Evaluation, text: string, mask: number, options: Options): Temporal | null {
  if (text.length > 100) return null;
  if (options.format !== undefined && (mask & (T.Period | T.TimeZone)) === 0) {
    checkMode(options.mode);
    return fromPattern(text, mask, options.format, localeNamed(options.locale));
  }
  if (mask & T.Period) return parsePeriod(text);
  if (mask & T.Date) {
    const date = parseDate(text);
    if (date) return date;
  }
  if (mask & T.TimeZone) {
    const zone = parseZone(text);
    if (zone) return zone;
  }
  const any = parseLocalDateTime(text) ?? parseDateTime(text) ?? parseLocalTime(text) ?? parseTime(text);
  return any ? fromTemporal(ev, any, mask, null) : null;
}

/** Only SMART parsing is supported: a day beyond the end of the month becomes its last day. */
function checkMode(mode = 'SMART'): void {
  const name = mode.toUpperCase();
  if (name === 'SMART') return;
  if (name !== 'LENIENT' && name !== 'STRICT')
    throw new Fault('DW_FUNCTION_ERROR', "The mode must be 'LENIENT', 'SMART' or 'STRICT'");
  throw new Fault('DW_UNSUPPORTED_SYNTAX', `The mode ${name} is not supported`);
}

function fromPattern(text: string, mask: number, format: string, locale: Locale): Temporal {
  const found = parseByPattern(text, format, locale);
  if (found) {
    const { day, nanos, zone } = found;
    if (mask & T.Date && day !== null) return new DateValue(day, format);
    if (mask & T.LocalDateTime && day !== null && nanos !== null) return new LocalDateTimeValue(day, nanos, format);
    if (mask & T.LocalTime && nanos !== null) return new LocalTimeValue(nanos, format);
    if (mask & T.Time && nanos !== null && zone?.offset != null) return new TimeValue(nanos, zone.offset, format);
    if (mask & T.DateTime && day !== null && nanos !== null && zone) {
      const at = atZone(day, nanos, zone);
      return new DateTimeValue(at.day, at.nanos, at.offset, at.zone, format);
    }
  }
  throw coercionFault(typeName(text), 'a date or time');
}

/** Fields that a pattern extracted from a text. */
interface ParsedFields {
  day: number | null;
  nanos: number | null;
  zone: ZoneValue | null;
}

interface State {
  at: number;
  zone: ZoneValue | null;
  readonly locale: Locale;
}

const zoneLetters = 'XxZVzO';

/** Parses `text` with a pattern in Java's notation; null if it does not match. A day beyond the end of the month becomes its last day. */
function parseByPattern(text: string, pattern: string, locale = english): ParsedFields | null {
  const tokens = tokenize(pattern);
  const values = new Map<string, number>();
  const state: State = { at: 0, zone: null, locale };
  if (!readTokens(tokens, 0, tokens.length, text, values, state)) return null;
  return state.at === text.length ? resolve(values, state.zone) : null;
}

function readTokens(
  tokens: PatternToken[],
  from: number,
  to: number,
  text: string,
  values: Map<string, number>,
  state: State,
): boolean {
  for (let i = from; i < to; i++) {
    const token = tokens[i]!;
    if (token.kind === 'open') {
      let depth = 1;
      let end = i + 1;
      for (; end < to && depth > 0; end++) {
        if (tokens[end]!.kind === 'open') depth++;
        if (tokens[end]!.kind === 'close') depth--;
      }
      const back = state.at;
      const saved = new Map(values);
      if (!readTokens(tokens, i + 1, end - 1, text, values, state)) {
        state.at = back;
        values.clear();
        for (const [key, value] of saved) values.set(key, value);
      }
      i = end - 1;
    } else if (token.kind === 'text') {
      if (text.slice(state.at, state.at + token.text.length).toLowerCase() !== token.text.toLowerCase()) return false;
      state.at += token.text.length;
    } else if (
      token.kind === 'field' &&
      !readField(token.letter, token.count, adjacent(tokens, i), text, values, state)
    )
      return false;
  }
  return true;
}

/** Digits that the directly following numeric fields consume. */
function adjacent(tokens: PatternToken[], i: number): number {
  let claimed = 0;
  for (let j = i + 1; j < tokens.length; j++) {
    const next = tokens[j]!;
    if (next.kind !== 'field' || !isNumeric(next.letter, next.count)) break;
    claimed += next.count;
  }
  return claimed;
}

function isNumeric(letter: string, count: number): boolean {
  if ('ML'.includes(letter)) return count <= 2;
  return 'uyYDdHhKkmsSAnN'.includes(letter);
}

function readField(
  letter: string,
  count: number,
  claimed: number,
  text: string,
  values: Map<string, number>,
  state: State,
): boolean {
  const rest = text.slice(state.at);
  if (zoneLetters.includes(letter)) {
    const m = /^(Z|[+-]\d{2}(?::?\d{2})?(?::?\d{2})?|[A-Za-z][\w/+-]*)/.exec(rest);
    const zone = m && parseZone(letter === 'z' ? zoneOfAbbreviation(m[0]) : m[0]);
    if (!m || !zone) return false;
    state.zone = zone;
    state.at += m[0].length;
    return true;
  }
  if (letter === 'a') {
    const lower = rest.toLowerCase();
    const half = state.locale.halves.findIndex((it) => lower.startsWith(it.toLowerCase()));
    if (half === -1) return false;
    values.set('a', half);
    state.at += state.locale.halves[half]!.length;
    return true;
  }
  if (!isNumeric(letter, count)) return readName(letter, count, rest, values, state);
  const fixed = letter === 'S' || claimed > 0 || (count === 2 && letter !== 'D') || (count === 1 && false);
  const open = (letter === 'u' || letter === 'y') && count !== 2;
  const digits = /^[+-]?\d+/.exec(rest)?.[0] ?? '';
  if (!isSigned(digits, letter, count, open && claimed === 0)) return false;
  let width = fixed ? count : Math.max(count, open ? 10 : 19);
  if (claimed > 0 && open) width = Math.max(count, digits.length - claimed);
  const taken = digits.slice(0, width);
  if (taken.length < (letter === 'S' || fixed || count > 1 ? count : 1)) return false;
  state.at += taken.length;
  const n = Number(taken);
  if (letter === 'S') values.set('S', Number(taken.padEnd(9, '0')));
  else if ((letter === 'u' || letter === 'y') && count === 2) values.set('u', 2000 + n);
  else values.set(letter === 'y' || letter === 'Y' ? 'u' : letter === 'L' ? 'M' : letter, n);
  return true;
}

/** Whether the sign of a number is allowed: `u` allows a minus, and a year longer than its four or more letters requires a plus. */
function isSigned(digits: string, letter: string, count: number, isYear: boolean): boolean {
  if (digits.startsWith('-')) return letter === 'u';
  const hasPlus = digits.startsWith('+');
  if (!isYear || count < 4) return !hasPlus;
  return hasPlus === digits.length - (hasPlus ? 1 : 0) > count;
}

function readName(letter: string, count: number, rest: string, values: Map<string, number>, state: State): boolean {
  const { locale } = state;
  const isMonth = letter === 'M' || letter === 'L';
  const isDay = letter === 'E' || letter === 'e' || letter === 'c';
  const full = count === 4;
  const names = isMonth
    ? full
      ? locale.months
      : locale.shortMonths
    : isDay
      ? full
        ? locale.days
        : locale.shortDays
      : null;
  if (!names) {
    const era = letter === 'G' ? /^(AD|BC)/i.exec(rest) : null;
    if (!era) return false;
    state.at += 2;
    return true;
  }
  const lower = rest.toLowerCase();
  for (const [i, name] of names.entries()) {
    const wanted = name.toLowerCase();
    if (!lower.startsWith(wanted)) continue;
    state.at += wanted.length;
    values.set(isMonth ? 'M' : 'E', i + 1);
    return true;
  }
  return false;
}

function resolve(values: Map<string, number>, zone: ZoneValue | null): ParsedFields | null {
  const day = resolveDay(values);
  const nanos = resolveTime(values);
  return day === undefined || nanos === undefined ? null : { day, nanos, zone };
}

function resolveDay(values: Map<string, number>): number | null | undefined {
  const year = values.get('u');
  if (year === undefined) return null;
  const ordinal = values.get('D');
  if (ordinal !== undefined) return daysFromCivil(year, 1, 1) + ordinal - 1;
  const month = values.get('M');
  const day = values.get('d');
  if (month === undefined || day === undefined) return null;
  if (month < 1 || month > 12 || day < 1 || day > 31) return undefined;
  return daysFromCivil(year, month, Math.min(day, daysInMonth(year, month)));
}

function resolveTime(values: Map<string, number>): number | null | undefined {
  const half = values.get('a');
  let hour = values.get('H');
  const twelve = values.get('h') ?? values.get('K');
  if (hour === undefined && values.has('k')) hour = values.get('k')! % 24;
  if (hour === undefined && twelve !== undefined && half !== undefined) hour = (twelve % 12) + half * 12;
  if (hour === undefined) return null;
  const minute = values.get('m') ?? 0;
  const second = values.get('s') ?? 0;
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  return (hour * 3600 + minute * 60 + second) * nanosPerSecond + (values.get('S') ?? values.get('n') ?? 0);
}
