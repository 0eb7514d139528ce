import { addMonths, civilFromDays, daysFromCivil, daysInMonth } from '../runtime/dates/calendar-days.js';
import {
  DateTimeValue,
  DateValue,
  durationPeriod,
  LocalDateTimeValue,
  LocalTimeValue,
  PeriodValue,
  TimeValue,
  ZoneValue,
} from '../runtime/dates/date-values.js';
import { dayOfWeek } from '../runtime/dates/format-with-pattern.js';
import { checkedDay, checkedTime } from '../runtime/dates/parse-iso.js';
import { atZone, parseZone } from '../runtime/dates/zone-offsets.js';
import { coercionFault, Fault } from '../runtime/evaluation-fault.js';
import type { Evaluation } from '../runtime/evaluation-state.js';
import { type FunctionDefinition, functionType, overload } from '../runtime/library-function-overloads.js';
import { asInteger, type Num, numberText, toDec } from '../runtime/numbers.js';
import { Dec, DwObject, type FunctionValue, fieldOf, isDec, T, type Value } from '../runtime/values.js';
import { absent, type Obj } from './core-collections.js';
import { currentTime } from './core-general.js';

type Dated = DateValue | LocalDateTimeValue | DateTimeValue;

function atDay(value: Dated, day: number): Value {
  if (value instanceof DateValue) return new DateValue(day);
  if (value instanceof LocalDateTimeValue) return new LocalDateTimeValue(day, 0);
  return value.zone === null ? new DateTimeValue(day, 0, value.offset) : atZone(day, 0, parseZone(value.zone)!);
}

function atNanos(value: LocalDateTimeValue | DateTimeValue | LocalTimeValue | TimeValue, nanos: number): Value {
  if (value instanceof LocalTimeValue) return new LocalTimeValue(nanos);
  if (value instanceof TimeValue) return new TimeValue(nanos, value.offset);
  if (value instanceof LocalDateTimeValue) return new LocalDateTimeValue(value.day, nanos);
  return new DateTimeValue(value.day, nanos, value.offset, value.zone);
}

function beginning(
  name: string,
  start: (day: number) => number,
  types: number[] = [T.DateTime, T.LocalDateTime, T.Date],
): FunctionDefinition {
  return [name, ...types.map((type) => overload([type], (_ev: Evaluation, it: Dated) => atDay(it, start(it.day))))];
}

function whole(object: Obj, name: string, fallback: number | null = null): number {
  const value = fieldOf(object, name);
  const n = typeof value === 'number' || isDec(value ?? null) ? asInteger(value as Num) : null;
  if (n !== null) return n;
  if (value !== undefined || fallback === null)
    throw new Fault('DW_TYPE_MISMATCH', `The field '${name}' must be a whole number`);
  return fallback;
}

function dayFrom(object: Obj): number {
  const day = checkedDay(whole(object, 'year'), whole(object, 'month'), whole(object, 'day'));
  if (day === null) throw new Fault('DW_FUNCTION_ERROR', 'Not a valid date');
  return day;
}

function nanosFrom(object: Obj): number {
  const seconds = toDec((fieldOf(object, 'seconds') ?? 0) as Num)
    .toDecimalPlaces(0, Dec.ROUND_HALF_UP)
    .toNumber();
  const nanos = checkedTime(whole(object, 'hour'), whole(object, 'minutes'), seconds, '');
  if (nanos === null) throw new Fault('DW_FUNCTION_ERROR', 'Not a valid time');
  return nanos;
}

function zoneFrom(object: Obj): ZoneValue {
  const value = fieldOf(object, 'timeZone');
  if (!(value instanceof ZoneValue)) throw new Fault('DW_TYPE_MISMATCH', "The field 'timeZone' must be a time zone");
  return value;
}

function today(ev: Evaluation, offset: number): Value {
  return new DateValue(currentTime(ev).day + offset);
}

/** Functions of dw::core::Dates. */
export const dateFunctions: readonly FunctionDefinition[] = [
  beginning('atBeginningOfDay', (day) => day, [T.DateTime, T.LocalDateTime]),
  beginning('atBeginningOfMonth', (day) => day - civilFromDays(day).day + 1),
  beginning('atBeginningOfWeek', (day) => day - (dayOfWeek(day) % 7)),
  beginning('atBeginningOfYear', (day) => daysFromCivil(civilFromDays(day).year, 1, 1)),
  [
    'atBeginningOfHour',
    ...[T.DateTime, T.LocalDateTime, T.Time, T.LocalTime].map((type) =>
      overload([type], (_ev: Evaluation, it: LocalTimeValue) => atNanos(it, it.nanos - (it.nanos % 3.6e12))),
    ),
  ],
  ['date', overload([T.Object], (_ev: Evaluation, it: Obj) => new DateValue(dayFrom(it)))],
  ['dateTime', overload([T.Object], (_ev: Evaluation, it: Obj) => atZone(dayFrom(it), nanosFrom(it), zoneFrom(it)))],
  [
    'localDateTime',
    overload([T.Object], (_ev: Evaluation, it: Obj) => new LocalDateTimeValue(dayFrom(it), nanosFrom(it))),
  ],
  ['localTime', overload([T.Object], (_ev: Evaluation, it: Obj) => new LocalTimeValue(nanosFrom(it)))],
  ['time', overload([T.Object], (_ev: Evaluation, it: Obj) => new TimeValue(nanosFrom(it), zoneFrom(it).offset ?? 0))],
  ['today', overload([], (ev: Evaluation) => today(ev, 0))],
  ['tomorrow', overload([], (ev: Evaluation) => today(ev, 1))],
  ['yesterday', overload([], (ev: Evaluation) => today(ev, -1))],
];

/** Exact duration of a number of units. The reference library converts through text, whose seconds have at most nine decimals. */
function span(n: Num, unitSeconds: number): PeriodValue {
  const total = toDec(n).times(unitSeconds);
  if (total.decimalPlaces() > 9 || numberText(total.mod(60)).includes('E')) throw coercionFault('String', 'Period');
  const seconds = total.floor();
  if (seconds.abs().gt(9e15)) throw coercionFault('String', 'Period');
  return durationPeriod(seconds.toNumber(), total.minus(seconds).times(1e9).floor().toNumber());
}

/** Years, months and days are 32-bit integers. */
const maxCount = 2_147_483_647;

function wholeNumber(n: Num): number {
  const whole = asInteger(n);
  if (!toDec(n).isInteger()) throw new Fault('DW_FUNCTION_ERROR', 'The number must be whole');
  if (whole === null || Math.abs(whole) > maxCount) throw coercionFault('String', 'Period');
  return whole;
}

function exactly(name: string, seconds: number): FunctionDefinition {
  return [name, overload([T.Number], (_ev: Evaluation, n: Num) => span(n, seconds))];
}

function between(_ev: Evaluation, end: DateValue, start: DateValue): Value {
  const [a, b] = [civilFromDays(start.day), civilFromDays(end.day)];
  let months = (b.year - a.year) * 12 + (b.month - a.month);
  let days = b.day - a.day;
  if (months > 0 && days < 0) {
    months--;
    days = end.day - addMonths(start.day, months);
  } else if (months < 0 && days > 0) {
    months++;
    days -= daysInMonth(b.year, b.month);
  }
  return new PeriodValue(Math.trunc(months / 12), months % 12, days);
}

function calendarPeriod(_ev: Evaluation, it: Obj): Value {
  return new PeriodValue(whole(it, 'years', 0), whole(it, 'months', 0), whole(it, 'days', 0));
}

function exactPeriod(_ev: Evaluation, it: Obj): Value {
  const part = (name: string, seconds: number) => toDec((fieldOf(it, name) ?? 0) as Num).times(seconds);
  const total = part('days', 86_400).plus(part('hours', 3600)).plus(part('minutes', 60)).plus(part('seconds', 1));
  return span(total, 1);
}

/** Functions of dw::core::Periods. */
export const periodFunctions: readonly FunctionDefinition[] = [
  [
    'days',
    overload([T.Number], (_ev: Evaluation, n: Num) =>
      toDec(n).isInteger() ? new PeriodValue(0, 0, wholeNumber(n)) : span(n, 86_400),
    ),
  ],
  exactly('hours', 3600),
  exactly('minutes', 60),
  exactly('seconds', 1),
  ['months', overload([T.Number], (_ev: Evaluation, n: Num) => new PeriodValue(0, wholeNumber(n), 0))],
  ['years', overload([T.Number], (_ev: Evaluation, n: Num) => new PeriodValue(wholeNumber(n), 0, 0))],
  ['period', overload([T.Object], calendarPeriod)],
  ['duration', overload([T.Object], exactPeriod)],
  ['between', overload([T.Date, T.Date], between)],
];

/** Functions of dw::util::Timer. The clock is frozen during an evaluation, so every measured time is zero. */
export const timerFunctions: readonly FunctionDefinition[] = [
  [
    'toMilliseconds',
    overload(
      [T.DateTime],
      (_ev: Evaluation, it: DateTimeValue) => it.epochSecond * 1000 + Math.floor((it.nanos % 1e9) / 1e6),
    ),
  ],
  ['currentMilliseconds', overload([], (ev: Evaluation) => ev.env.now)],
  [
    'duration',
    overload(
      [functionType(0)],
      (ev: Evaluation, f: FunctionValue) => new DwObject(['time', 'result'], [0, f.call(ev, absent, absent, absent)]),
    ),
  ],
  [
    'time',
    overload(
      [functionType(0)],
      (ev: Evaluation, f: FunctionValue) =>
        new DwObject(
          ['start', 'result', 'end'],
          [currentTime(ev), f.call(ev, absent, absent, absent), currentTime(ev)],
        ),
    ),
  ],
];
