import { difference, shift } from './dates/arithmetic.js';
import {
  DateTimeValue,
  DateValue,
  LocalDateTimeValue,
  type LocalTimeValue,
  type PeriodValue,
  type Temporal,
  TimeValue,
  type ZoneValue,
} from './dates/values.js';
import { atZone, inZone } from './dates/zones.js';
import { library, mismatch, overload } from './dispatch.js';
import { equalValues, similarValues } from './equality.js';
import type { Run } from './evaluation.js';
import { add, divide, multiply, subtract } from './numbers.js';
import { textOrNull } from './text.js';
import { DwObject, type Key, keyList, T, type Value, valueList } from './values.js';

type Obj = DwObject | Parameters<typeof keyList>[0];
const dateTypes = [T.DateTime, T.LocalDateTime, T.Date, T.Time, T.LocalTime] as const;

function concat(run: Run, a: Value[], b: Value[]): Value {
  run.collection(a.length + b.length);
  return [...a, ...b];
}

function merge(run: Run, a: Obj, b: Obj): Value {
  const keys = [...keyList(a), ...keyList(b)];
  run.collection(keys.length);
  return new DwObject(keys, [...valueList(a), ...valueList(b)]);
}

/** `object` without the pairs for which `gone` holds. */
export function without(run: Run, object: Obj, gone: (key: string, value: Value) => boolean): DwObject {
  const keys = keyList(object);
  const values = valueList(object);
  run.charge(keys.length);
  const out = new DwObject();
  for (let i = 0; i < keys.length; i++) if (!gone(keys[i]!, values[i]!)) out.add(keys[i]!, values[i]!);
  return out;
}

function minus(run: Run, items: Value[], gone: Value): Value {
  run.charge(items.length);
  return items.filter((it) => !equalValues(run, it, gone));
}

/** `--` is more generous than `-`: it also removes what is equal after a conversion. */
function minusAll(run: Run, items: Value[], gone: Value[]): Value {
  run.charge(items.length * Math.max(1, gone.length));
  return items.filter((it) => !gone.some((other) => similarValues(run, it, other)));
}

function convertZone(value: DateTimeValue, zone: ZoneValue): Value {
  return inZone(value.epochSecond, value.nanos % 1e9, zone);
}

const plusPeriod = (_run: Run, a: Temporal, b: PeriodValue): Value => shift(a, b, 1);
const minusPeriod = (_run: Run, a: Temporal, b: PeriodValue): Value => shift(a, b, -1);
const minusDate = (_run: Run, a: Temporal, b: Temporal): Value => difference(a, b);

function nameToRemove(value: Value): string {
  const text = textOrNull(value);
  if (text === null) throw mismatch('-', [value]);
  return text;
}

/** A date and a moment differ in whole days. */
function minusDay(_run: Run, a: Temporal, b: Temporal): Value {
  return difference(dayOf(a), dayOf(b));
}

function dayOf(value: Temporal): DateValue {
  return new DateValue((value as DateValue | LocalDateTimeValue | DateTimeValue).day);
}

/** The operators, with the types they take besides numbers. */
export const operatorFunctions = library([
  [
    '+',
    overload([T.Array, T.Any], (run: Run, a: Value[], b: Value) => concat(run, a, [b])),
    ...dateTypes.map((type) => overload([type, T.Period], plusPeriod)),
    ...dateTypes.map((type) =>
      overload([T.Period, type], (run: Run, a: PeriodValue, b: Temporal) => plusPeriod(run, b, a)),
    ),
    overload([T.Number, T.Number], add),
  ],
  [
    '-',
    overload([T.Array, T.Any], (run: Run, a: Value[], b: Value) => minus(run, a, b)),
    overload([T.Object, T.String], (run: Run, a: Obj, b: string) => without(run, a, (key) => key === b)),
    overload([T.Object, T.Key], (run: Run, a: Obj, b: Key) => without(run, a, (key) => key === b.name)),
    ...dateTypes.map((type) => overload([type, T.Period], minusPeriod)),
    ...dateTypes.map((type) => overload([type, type], minusDate)),
    overload([T.LocalDateTime | T.DateTime, T.LocalDateTime | T.DateTime], minusDate),
    overload([T.Date | T.LocalDateTime | T.DateTime, T.Date | T.LocalDateTime | T.DateTime], minusDay),
    ...dateTypes.map((type) =>
      overload([T.Period, type], (run: Run, a: PeriodValue, b: Temporal) => minusPeriod(run, b, a)),
    ),
    overload([T.Number, T.Number], subtract),
  ],
  ['*', overload([T.Number, T.Number], multiply)],
  ['/', overload([T.Number, T.Number], divide)],
  [
    '++',
    overload([T.Array, T.Array], concat),
    overload([T.Object, T.Object], merge),
    overload([T.Date, T.Time], (_run: Run, a: DateValue, b: TimeValue) => new DateTimeValue(a.day, b.nanos, b.offset)),
    overload(
      [T.Date, T.LocalTime],
      (_run: Run, a: DateValue, b: LocalTimeValue) => new LocalDateTimeValue(a.day, b.nanos),
    ),
    overload([T.Time, T.Date], (_run: Run, b: TimeValue, a: DateValue) => new DateTimeValue(a.day, b.nanos, b.offset)),
    overload(
      [T.LocalTime, T.Date],
      (_run: Run, b: LocalTimeValue, a: DateValue) => new LocalDateTimeValue(a.day, b.nanos),
    ),
    overload([T.LocalDateTime, T.TimeZone], (_run: Run, a: LocalDateTimeValue, b: ZoneValue) =>
      atZone(a.day, a.nanos, b),
    ),
    overload([T.TimeZone, T.LocalDateTime], (_run: Run, b: ZoneValue, a: LocalDateTimeValue) =>
      atZone(a.day, a.nanos, b),
    ),
    overload([T.Date, T.TimeZone], (_run: Run, a: DateValue, b: ZoneValue) => atZone(a.day, 0, b)),
    overload([T.TimeZone, T.Date], (_run: Run, b: ZoneValue, a: DateValue) => atZone(a.day, 0, b)),
    overload(
      [T.LocalTime, T.TimeZone],
      (_run: Run, a: LocalTimeValue, b: ZoneValue) => new TimeValue(a.nanos, b.offset ?? 0),
    ),
    overload(
      [T.TimeZone, T.LocalTime],
      (_run: Run, b: ZoneValue, a: LocalTimeValue) => new TimeValue(a.nanos, b.offset ?? 0),
    ),
    overload([T.String, T.String], (run: Run, a: string, b: string) => {
      run.text(a.length + b.length);
      return a + b;
    }),
  ],
  [
    '--',
    overload([T.Null, T.Any], () => null),
    overload([T.Array, T.Array], minusAll),
    overload([T.Object, T.Object], (run: Run, a: Obj, b: Obj) => {
      const [keys, values] = [keyList(b), valueList(b)];
      run.charge(keyList(a).length * Math.max(1, keys.length));
      return without(run, a, (key, value) => keys.some((it, i) => it === key && similarValues(run, values[i]!, value)));
    }),
    overload([T.Object, T.Array], (run: Run, a: Obj, b: Value[]) => {
      const gone = new Set(b.map((it) => nameToRemove(it)));
      return without(run, a, (key) => gone.has(key));
    }),
  ],
  ['<<', overload([T.Array, T.Any], (run: Run, a: Value[], b: Value) => concat(run, a, [b]))],
  [
    '>>',
    overload([T.DateTime, T.TimeZone], (_run: Run, a: DateTimeValue, b: ZoneValue) => convertZone(a, b)),
    overload([T.LocalDateTime, T.TimeZone], (run: Run, a: LocalDateTimeValue, b: ZoneValue) =>
      convertZone(atZone(a.day, a.nanos, run.zone()), b),
    ),
    overload([T.Any, T.Array], (run: Run, a: Value, b: Value[]) => concat(run, [a], b)),
  ],
]);
