import { Fault } from '../evaluation-fault.js';
import { addMonths, civilFromDays, nanosPerDay, nanosPerSecond } from './calendar-days.js';
import {
  DateTimeValue,
  DateValue,
  durationPeriod,
  isoOffset,
  LocalDateTimeValue,
  LocalTimeValue,
  PeriodValue,
  type Temporal,
  TimeValue,
  ZoneValue,
} from './date-values.js';
import { dayOfWeek, dayOfYear } from './format-with-pattern.js';
import { atZone, inZone, parseZone } from './zone-offsets.js';

const limit = 3.6e8;

function checked(day: number): number {
  if (!(Math.abs(day) <= limit)) throw new Fault('DW_FUNCTION_ERROR', 'The date is out of range');
  return day;
}

function unit(name: string): Fault {
  return new Fault('DW_TYPE_MISMATCH', `This kind of value has no ${name}`);
}

/** Shifts `value` by `period`, forwards (1) or backwards (-1). */
export function shift(value: Temporal, period: PeriodValue, sign: 1 | -1): Temporal {
  const months = sign * (period.years * 12 + period.months);
  const days = sign * period.days;
  const moveDay = (day: number) => checked(addMonths(checked(day), months) + days);
  const seconds = sign * (period.seconds ?? 0);
  const nanos = sign * period.nanos;
  const calendar = !period.exact;
  if (value instanceof DateValue) {
    if (!calendar && (seconds !== 0 || nanos !== 0)) throw unit('seconds');
    return new DateValue(moveDay(value.day));
  }
  if (value instanceof LocalTimeValue || value instanceof TimeValue) {
    if (calendar && (months !== 0 || days !== 0)) throw unit('days');
    const total = value.nanos + (seconds % 86_400) * nanosPerSecond + nanos;
    const wrapped = ((total % nanosPerDay) + nanosPerDay) % nanosPerDay;
    return value instanceof TimeValue ? new TimeValue(wrapped, value.offset) : new LocalTimeValue(wrapped);
  }
  if (value instanceof LocalDateTimeValue) {
    const [day, rest] = move(moveDay(value.day), value.nanos, seconds, nanos);
    return new LocalDateTimeValue(day, rest);
  }
  if (value instanceof DateTimeValue) return shiftDateTime(value, moveDay, seconds, nanos, calendar);
  throw unit('arithmetic');
}

function move(day: number, nanosOfDay: number, seconds: number, nanos: number): [number, number] {
  const wholeDays = Math.trunc(seconds / 86_400);
  const total = nanosOfDay + (seconds - wholeDays * 86_400) * nanosPerSecond + nanos;
  const carry = Math.floor(total / nanosPerDay);
  return [checked(day + wholeDays + carry), total - carry * nanosPerDay];
}

function shiftDateTime(
  value: DateTimeValue,
  moveDay: (day: number) => number,
  seconds: number,
  nanos: number,
  calendar: boolean,
): DateTimeValue {
  const zone = value.zone === null ? new ZoneValue('', value.offset) : parseZone(value.zone)!;
  if (calendar) return atZone(moveDay(value.day), value.nanos, zone);
  const total = (value.nanos % nanosPerSecond) + nanos;
  const carry = Math.floor(total / nanosPerSecond);
  const epoch = value.epochSecond + seconds + carry;
  checked(Math.floor(epoch / 86_400));
  return inZone(epoch, total - carry * nanosPerSecond, zone);
}

/** Seconds and nanoseconds of a value on its own time line; null without a common one. */
function instant(value: Temporal): [number, number] | null {
  if (value instanceof DateTimeValue) return [value.epochSecond, value.nanos % nanosPerSecond];
  if (value instanceof LocalDateTimeValue)
    return [value.day * 86_400 + Math.floor(value.nanos / nanosPerSecond), value.nanos % nanosPerSecond];
  if (value instanceof DateValue) return [value.day * 86_400, 0];
  if (value instanceof LocalTimeValue) return [Math.floor(value.nanos / nanosPerSecond), value.nanos % nanosPerSecond];
  if (value instanceof TimeValue)
    return [Math.floor(value.nanos / nanosPerSecond) - value.offset, value.nanos % nanosPerSecond];
  return null;
}

/** Seconds since the start of the local day in UTC. Days are kept apart, because distant ones exceed the exact range of seconds. */
function secondOfDay(value: DateTimeValue): number {
  return Math.floor(value.nanos / nanosPerSecond) - value.offset;
}

/** Exact duration from `b` to `a`. */
export function difference(a: Temporal, b: Temporal): PeriodValue {
  if (a instanceof DateTimeValue && b instanceof DateTimeValue) {
    const seconds = secondOfDay(a) - secondOfDay(b);
    return durationPeriod((a.day - b.day) * 86_400 + seconds, (a.nanos % nanosPerSecond) - (b.nanos % nanosPerSecond));
  }
  const [x, y] = [instant(a), instant(b)];
  if (!x || !y) throw unit('difference');
  return durationPeriod(x[0] - y[0], x[1] - y[1]);
}

/** Compares two values of the same kind. */
export function compareTemporal(a: Temporal, b: Temporal): number {
  const [x, y] = [instant(a), instant(b)];
  if (!x || !y) throw new Fault('DW_TYPE_MISMATCH', 'These values cannot be ordered');
  if (x[0] !== y[0]) return x[0] < y[0] ? -1 : 1;
  if (x[1] !== y[1]) return x[1] < y[1] ? -1 : 1;
  // For the same instant at two offsets, local time decides.
  return a instanceof TimeValue && b instanceof TimeValue ? Math.sign(a.nanos - b.nanos) : 0;
}

/** Whether two dates, times or periods are equal. */
export function equalTemporal(a: Temporal, b: Temporal): boolean {
  if (a.bits !== b.bits) return false;
  if (a instanceof PeriodValue || a instanceof ZoneValue) return a.iso() === b.iso();
  return compareTemporal(a, b) === 0;
}

/** Field of a date, time or period by selector name; undefined if it has no such field. */
export function temporalField(value: Temporal, name: string): number | string | ZoneValue | undefined {
  if (value instanceof PeriodValue) return periodField(value, name);
  const day = 'day' in value ? (value as DateValue).day : undefined;
  const nanos = 'nanos' in value ? (value as LocalTimeValue).nanos : undefined;
  if (day !== undefined) {
    const found = dayField(day, name);
    if (found !== undefined) return found;
  }
  if (nanos !== undefined) {
    if (name === 'hour') return Math.floor(nanos / 3.6e12);
    if (name === 'minutes') return Math.floor(nanos / 6e10) % 60;
    if (name === 'seconds') return Math.floor(nanos / 1e9) % 60;
    if (name === 'milliseconds') return Math.floor((nanos % 1e9) / 1e6);
    if (name === 'nanoseconds') return nanos % 1e9;
  }
  if (value instanceof DateTimeValue || value instanceof TimeValue) {
    if (name === 'offsetSeconds') return value.offset;
    if (name === 'timezone') return new ZoneValue(isoOffset(value.offset), value.offset);
  }
  return undefined;
}

function dayField(day: number, name: string): number | undefined {
  const civil = civilFromDays(day);
  if (name === 'year') return civil.year;
  if (name === 'month') return civil.month;
  if (name === 'day') return civil.day;
  if (name === 'quarter') return Math.ceil(civil.month / 3);
  if (name === 'dayOfWeek') return dayOfWeek(day);
  if (name === 'dayOfYear') return dayOfYear(day);
  return undefined;
}

function periodField(value: PeriodValue, name: string): number | undefined {
  if (value.seconds === null) {
    if (name === 'years') return value.years;
    if (name === 'months') return value.months;
    return name === 'days' ? value.days : undefined;
  }
  const total = value.seconds;
  if (name === 'days') return Math.trunc(total / 86_400);
  if (name === 'hours') return Math.trunc((total % 86_400) / 3600);
  if (name === 'minutes') return Math.trunc((total % 3600) / 60);
  if (name === 'secs') return total % 60;
  if (name === 'seconds') return total;
  return undefined;
}
