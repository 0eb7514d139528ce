import type { Options } from '../coerce.js';
import type { Evaluation } from '../evaluation.js';
import { coercionFault, Fault } from '../fault.js';
import { type Locale, localeNamed } from '../locales.js';
import { toDec } from '../numbers.js';
import { isDec, Key, T, typeName, type Value } from '../values.js';
import { parseByPattern } from './parse-pattern.js';
import { readDate, readDateTime, readLocalDateTime, readLocalTime, readPeriod, readTime } from './read.js';
import {
  DateTimeValue,
  DateValue,
  LocalDateTimeValue,
  LocalTimeValue,
  type Temporal,
  TimeValue,
  ZoneValue,
} from './values.js';
import { atZone, inZone, parseZone } from './zones.js';

/** All types of dates, times and periods. */
export const temporalTypes = T.Date | T.Time | T.LocalTime | T.LocalDateTime | T.DateTime | T.TimeZone | T.Period;

/** `value` as the date or time type in `mask`, or null where there is no such conversion. */
export function coerceTemporal(ev: Evaluation, value: Value, mask: number, options: Options): Temporal | null {
  const found = converted(ev, value, mask, options);
  if (found && options.locale !== undefined && found !== value) found.locale = options.locale;
  return found;
}

function converted(ev: Evaluation, value: Value, mask: number, options: Options): Temporal | null {
  const input = value instanceof Key ? value.name : value;
  if (typeof input === 'string') return fromText(ev, input, mask, options);
  if ((typeof input === 'number' || isDec(input)) && (mask & T.DateTime) !== 0) {
    const scaled = toDec(input);
    const seconds = options.unit === 'milliseconds' ? scaled.div(1000) : scaled;
    const whole = seconds.floor();
    const trunc = options.unit === 'milliseconds' ? whole : seconds.trunc();
    const nanos = options.unit === 'milliseconds' ? seconds.minus(whole).times(1e9).floor().toNumber() : 0;
    if (trunc.abs().gt(3.1556889864e16)) throw coercionFault('Number', 'DateTime');
    const day = trunc.div(86_400).floor();
    return new DateTimeValue(day.toNumber(), trunc.minus(day.times(86_400)).toNumber() * 1e9 + nanos, 0);
  }
  return fromTemporal(ev, input, mask, options.format ?? null);
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
  if (mask & T.Period) return readPeriod(text);
  if (mask & T.Date) {
    const date = readDate(text);
    if (date) return date;
  }
  if (mask & T.TimeZone) {
    const zone = parseZone(text);
    if (zone) return zone;
  }
  const any = readLocalDateTime(text) ?? readDateTime(text) ?? readLocalTime(text) ?? readTime(text);
  return any ? fromTemporal(ev, any, mask, null) : null;
}

/** A day that a month does not have is the month's last one (SMART). The other two ways to read a pattern are not ours. */
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
