import { coerceTo, tryCoerce } from './coercion.js';
import { compareTemporal, equalTemporal } from './dates/date-arithmetic.js';
import { DateTimeValue, DateValue, LocalDateTimeValue, Temporal } from './dates/date-values.js';
import { Fault } from './evaluation-fault.js';
import type { Evaluation } from './evaluation-state.js';
import { compareNumbers, type Num } from './numbers.js';
import { toText } from './text-encodings.js';
import { TypeValue } from './type-values.js';
import {
  Annotated,
  BinaryValue,
  bitsOf,
  isDec,
  isObjectValue,
  Key,
  keyList,
  RangeArray,
  T,
  typeName,
  type Value,
  valueList,
  WideRange,
  withoutAnnotations,
} from './values.js';

type Same = (ev: Evaluation, x: Value, y: Value) => boolean;

/** Evaluates `==`: same type and same content; objects are compared entry by entry, in order. */
export function equalValues(ev: Evaluation, a: Value, b: Value): boolean {
  if (a === b) return true;
  if (a === null || b === null) return false;
  const type = typeof a;
  if (type !== 'object') {
    if (isDec(b)) return type === 'number' && b.eq(a as number);
    return b instanceof Annotated && equalValues(ev, a, b.inner);
  }
  return structural(ev, a, b, equalValues);
}

function structural(ev: Evaluation, a: Value, b: Value, same: Same): boolean {
  if (a instanceof Annotated || b instanceof Annotated) return same(ev, withoutAnnotations(a), withoutAnnotations(b));
  if (isDec(a)) return (typeof b === 'number' || isDec(b)) && a.eq(b);
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length || a instanceof RangeArray !== b instanceof RangeArray) return false;
    ev.charge(1 + a.length);
    return a.every((item, i) => same(ev, item, b[i]!));
  }
  if (a instanceof Key) return b instanceof Key && a.name === b.name;
  if (a instanceof WideRange)
    return b instanceof WideRange && compareNumbers(a.from, b.from) === 0 && compareNumbers(a.to, b.to) === 0;
  if (a instanceof Temporal) return b instanceof Temporal && equalTemporal(a, b);
  if (a instanceof TypeValue) return b instanceof TypeValue && a.toString() === b.toString();
  if (a instanceof BinaryValue)
    return b instanceof BinaryValue && a.bytes.length === b.bytes.length && a.bytes.every((x, i) => x === b.bytes[i]);
  if (isObjectValue(a)) {
    if (!isObjectValue(b)) return false;
    const [keys, otherKeys] = [keyList(a), keyList(b)];
    if (keys.length !== otherKeys.length || !keys.every((key, i) => key === otherKeys[i])) return false;
    const values = valueList(b);
    ev.charge(2 + 2 * keys.length);
    return valueList(a).every((item, i) => same(ev, item, values[i]!));
  }
  return false;
}

/** Evaluates `~=`: equality after converting one side to the type of the other. */
export function similarValues(ev: Evaluation, a: Value, b: Value): boolean {
  if (equalValues(ev, a, b)) return true;
  if (a === null || b === null) return false;
  const [x, y] = [bitsOf(a), bitsOf(b)];
  if (x === T.Array && y === T.Array)
    return structural(ev, Array.from(a as Value[]), Array.from(b as Value[]), similarValues);
  if (x === y) return typeof a === 'object' && structural(ev, a, b, similarValues);
  if (x === T.Array || y === T.Array || x === T.Object || y === T.Object) return false;
  const converted = tryCoerce(ev, b, x);
  if (converted !== undefined && equalValues(ev, a, converted)) return true;
  const other = tryCoerce(ev, a, y);
  return other !== undefined && equalValues(ev, other, b);
}

/** Fault for two values without an order. */
function orderFault(a: Value, b: Value): Fault {
  const detail = `Types ${typeName(a)} and ${typeName(b)} cannot be compared`;
  return new Fault('DW_TYPE_MISMATCH', detail, false, 'InvalidComparisonException');
}

const ordered =
  T.Number | T.String | T.Boolean | T.Date | T.Time | T.LocalTime | T.LocalDateTime | T.DateTime | T.TimeZone | T.Key;

/** Compares two values: -1, 0 or 1. Converts between text and other types; rejects unordered types. */
export function compareValues(ev: Evaluation, a: Value, b: Value): number {
  if (typeof a === 'number' && typeof b === 'number') return a < b ? -1 : a > b ? 1 : 0;
  if (typeof a === 'string' && typeof b === 'string') return a < b ? -1 : a > b ? 1 : 0;
  const [x, y] = [bitsOf(a), bitsOf(b)];
  if (x === y) {
    if ((x & ordered) === 0) throw orderFault(a, b);
    return compareSame(a, b, x);
  }
  if (x === T.String) return compareSame(coerceTo(ev, a, y), b, checkOrdered(y, b));
  if (y === T.String) return compareSame(a, coerceTo(ev, b, x), checkOrdered(x, a));
  if (a instanceof Temporal && b instanceof Temporal && onTimeline(a) && onTimeline(b)) return compareTemporal(a, b);
  throw orderFault(a, b);
}

function checkOrdered(bits: number, value: Value): number {
  if ((bits & ordered) === 0) throw orderFault(value, value);
  return bits;
}

function onTimeline(value: Temporal): boolean {
  return value instanceof DateValue || value instanceof LocalDateTimeValue || value instanceof DateTimeValue;
}

function compareSame(a: Value, b: Value, bits: number): number {
  if (bits === T.Number) return compareNumbers(a as Num, b as Num);
  if (bits === T.String) return (a as string) < (b as string) ? -1 : (a as string) > (b as string) ? 1 : 0;
  if (bits === T.Boolean) return Number(a) - Number(b);
  if (bits === T.Key || bits === T.TimeZone) {
    const [x, y] = [toText(a), toText(b)];
    return x < y ? -1 : x > y ? 1 : 0;
  }
  return compareTemporal(a as Temporal, b as Temporal);
}

/** Compares two values for `orderBy`, `max` and `min`, which require a single ordered type. */
export function compareStrictly(a: Value, b: Value): number {
  const [x, y] = [bitsOf(a), bitsOf(b)];
  if (x !== y || (x & ordered) === 0) throw orderFault(a, b);
  return compareSame(a, b, x);
}
