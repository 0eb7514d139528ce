import { difference, shift } from './dates/date-arithmetic.js';
import {
  DateTimeValue,
  DateValue,
  LocalDateTimeValue,
  type LocalTimeValue,
  type PeriodValue,
  type Temporal,
  TimeValue,
  type ZoneValue,
} from './dates/date-values.js';
import { atZone, inZone } from './dates/zone-offsets.js';
import { equalValues, similarValues } from './equality-and-order.js';
import type { Evaluation } from './evaluation-state.js';
import { defineFunctions, noMatchingOverload, overload } from './library-function-overloads.js';
import { add, divide, multiply, subtract } from './numbers.js';
import { textOrNull } from './text-encodings.js';
import { DwObject, type Key, keyList, T, type Value, valueList } from './values.js';

type Obj = DwObject | Parameters<typeof keyList>[0];
const dateTypes = [T.DateTime, T.LocalDateTime, T.Date, T.Time, T.LocalTime] as const;

function concat(ev: Evaluation, a: Value[], b: Value[]): Value {
  ev.chargeCollection(a.length + b.length);
  return [...a, ...b];
}

function merge(ev: Evaluation, a: Obj, b: Obj): Value {
  const keys = [...keyList(a), ...keyList(b)];
  ev.chargeCollection(keys.length);
  return new DwObject(keys, [...valueList(a), ...valueList(b)]);
}

/** Removes the pairs for which `gone` holds. */
export function withoutPairs(ev: Evaluation, object: Obj, gone: (key: string, value: Value) => boolean): DwObject {
  const keys = keyList(object);
  const values = valueList(object);
  ev.charge(keys.length);
  const out = new DwObject();
  for (let i = 0; i < keys.length; i++) if (!gone(keys[i]!, values[i]!)) out.add(keys[i]!, values[i]!);
  return out;
}

function minus(ev: Evaluation, items: Value[], gone: Value): Value {
  ev.charge(items.length);
  return items.filter((it) => !equalValues(ev, it, gone));
}

/** Implements `--`, which, unlike `-`, also removes items that are equal after a conversion. */
function minusAll(ev: Evaluation, items: Value[], gone: Value[]): Value {
  ev.charge(items.length * Math.max(1, gone.length));
  return items.filter((it) => !gone.some((other) => similarValues(ev, it, other)));
}

function convertZone(value: DateTimeValue, zone: ZoneValue): Value {
  return inZone(value.epochSecond, value.nanos % 1e9, zone);
}

const plusPeriod = (_ev: Evaluation, a: Temporal, b: PeriodValue): Value => shift(a, b, 1);
const minusPeriod = (_ev: Evaluation, a: Temporal, b: PeriodValue): Value => shift(a, b, -1);
const minusDate = (_ev: Evaluation, a: Temporal, b: Temporal): Value => difference(a, b);

function nameToRemove(value: Value): string {
  const text = textOrNull(value);
  if (text === null) throw noMatchingOverload('-', [value]);
  return text;
}

/** Difference of a date and a date-time, in whole days. */
function minusDay(_ev: Evaluation, a: Temporal, b: Temporal): Value {
  return difference(dayOf(a), dayOf(b));
}

function dayOf(value: Temporal): DateValue {
  return new DateValue((value as DateValue | LocalDateTimeValue | DateTimeValue).day);
}

/** Operators with their operand types other than numbers. */
export const operatorFunctions = defineFunctions([
  [
    '+',
    overload([T.Array, T.Any], (ev: Evaluation, a: Value[], b: Value) => concat(ev, a, [b])),
    ...dateTypes.map((type) => overload([type, T.Period], plusPeriod)),
    ...dateTypes.map((type) =>
      overload([T.Period, type], (ev: Evaluation, a: PeriodValue, b: Temporal) => plusPeriod(ev, b, a)),
    ),
    overload([T.Number, T.Number], add),
  ],
  [
    '-',
    overload([T.Array, T.Any], (ev: Evaluation, a: Value[], b: Value) => minus(ev, a, b)),
    overload([T.Object, T.String], (ev: Evaluation, a: Obj, b: string) => withoutPairs(ev, a, (key) => key === b)),
    overload([T.Object, T.Key], (ev: Evaluation, a: Obj, b: Key) => withoutPairs(ev, a, (key) => key === b.name)),
    ...dateTypes.map((type) => overload([type, T.Period], minusPeriod)),
    ...dateTypes.map((type) => overload([type, type], minusDate)),
    overload([T.LocalDateTime | T.DateTime, T.LocalDateTime | T.DateTime], minusDate),
    overload([T.Date | T.LocalDateTime | T.DateTime, T.Date | T.LocalDateTime | T.DateTime], minusDay),
    ...dateTypes.map((type) =>
      overload([T.Period, type], (ev: Evaluation, a: PeriodValue, b: Temporal) => minusPeriod(ev, b, a)),
    ),
    overload([T.Number, T.Number], subtract),
  ],
  ['*', overload([T.Number, T.Number], multiply)],
  ['/', overload([T.Number, T.Number], divide)],
  [
    '++',
    overload([T.Array, T.Array], concat),
    overload([T.Object, T.Object], merge),
    overload(
      [T.Date, T.Time],
      (_ev: Evaluation, a: DateValue, b: TimeValue) => new DateTimeValue(a.day, b.nanos, b.offset),
    ),
    overload(
      [T.Date, T.LocalTime],
      (_ev: Evaluation, a: DateValue, b: LocalTimeValue) => new LocalDateTimeValue(a.day, b.nanos),
    ),
    overload(
      [T.Time, T.Date],
      (_ev: Evaluation, b: TimeValue, a: DateValue) => new DateTimeValue(a.day, b.nanos, b.offset),
    ),
    overload(
      [T.LocalTime, T.Date],
      (_ev: Evaluation, b: LocalTimeValue, a: DateValue) => new LocalDateTimeValue(a.day, b.nanos),
    ),
    overload([T.LocalDateTime, T.TimeZone], (_ev: Evaluation, a: LocalDateTimeValue, b: ZoneValue) =>
      atZone(a.day, a.nanos, b),
    ),
    overload([T.TimeZone, T.LocalDateTime], (_ev: Evaluation, b: ZoneValue, a: LocalDateTimeValue) =>
      atZone(a.day, a.nanos, b),
    ),
    overload([T.Date, T.TimeZone], (_ev: Evaluation, a: DateValue, b: ZoneValue) => atZone(a.day, 0, b)),
    overload([T.TimeZone, T.Date], (_ev: Evaluation, b: ZoneValue, a: DateValue) => atZone(a.day, 0, b)),
    overload(
      [T.LocalTime, T.TimeZone],
      (_ev: Evaluation, a: LocalTimeValue, b: ZoneValue) => new TimeValue(a.nanos, b.offset ?? 0),
    ),
    overload(
      [T.TimeZone, T.LocalTime],
      (_ev: Evaluation, b: ZoneValue, a: LocalTimeValue) => new TimeValue(a.nanos, b.offset ?? 0),
    ),
    overload([T.String, T.String], (ev: Evaluation, a: string, b: string) => {
      ev.chargeText(a.length + b.length);
      return a + b;
    }),
  ],
  [
    '--',
    { elements: T.String | T.Key },
    overload([T.Null, T.Any], () => null),
    overload([T.Array, T.Array], minusAll),
    overload([T.Object, T.Object], (ev: Evaluation, a: Obj, b: Obj) => {
      const [keys, values] = [keyList(b), valueList(b)];
      ev.charge(keyList(a).length * Math.max(1, keys.length));
      return withoutPairs(ev, a, (key, value) =>
        keys.some((it, i) => it === key && similarValues(ev, values[i]!, value)),
      );
    }),
    overload([T.Object, T.Array], (ev: Evaluation, a: Obj, b: Value[]) => {
      const gone = new Set(b.map((it) => nameToRemove(it)));
      return withoutPairs(ev, a, (key) => gone.has(key));
    }),
  ],
  ['<<', overload([T.Array, T.Any], (ev: Evaluation, a: Value[], b: Value) => concat(ev, a, [b]))],
  [
    '>>',
    overload([T.DateTime, T.TimeZone], (_ev: Evaluation, a: DateTimeValue, b: ZoneValue) => convertZone(a, b)),
    overload([T.LocalDateTime, T.TimeZone], (ev: Evaluation, a: LocalDateTimeValue, b: ZoneValue) =>
      convertZone(atZone(a.day, a.nanos, ev.zone()), b),
    ),
    overload([T.Any, T.Array], (ev: Evaluation, a: Value, b: Value[]) => concat(ev, [a], b)),
  ],
]);
