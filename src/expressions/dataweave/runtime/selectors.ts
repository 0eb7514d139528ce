import type { SelectOp } from '../parse/ast.js';
import { coerceTo } from './coerce.js';
import { temporalField } from './dates/arithmetic.js';
import { readTemporal } from './dates/read.js';
import { DateTimeValue, PeriodValue, Temporal, ZoneValue } from './dates/values.js';
import { tryCoerce } from './equality.js';
import type { Evaluation } from './evaluation.js';
import { Fault, typeFault } from './fault.js';
import { add, asInteger, compareNumbers, type Num, simplify, subtract, toDec, wrapped } from './numbers.js';
import { textOrNull } from './text.js';
import {
  Annotated,
  BinaryValue,
  bare,
  bitsOf,
  DwObject,
  fieldOf,
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
} from './values.js';

/** `value.key`: the first value under the key; over an array, of each object in it. Undefined means there is none. */
export function select(ev: Evaluation, value: Value, key: string): Value | undefined {
  if (value === null) return undefined;
  if (typeof value === 'object') {
    if (value instanceof DwObject) return fieldOf(value, key);
    if (Array.isArray(value)) return selectEach(ev, value, key);
    if (isObjectValue(value)) return fieldOf(value, key);
    if (value instanceof Temporal && !(value instanceof ZoneValue))
      return temporalField(value, key) as Value | undefined;
  }
  if (value instanceof Annotated) return select(ev, value.inner, key);
  return temporalField(asTemporal(ev, value), key) as Value | undefined;
}

/** A number is a moment in seconds, text may spell a date, time or period: both have the fields of what they mean. */
function asTemporal(ev: Evaluation, value: Value): Temporal {
  const text = (bitsOf(value) & (T.String | T.Key)) === 0 ? null : textOrNull(value)!;
  const found =
    text === null
      ? bitsOf(value) === T.Number
        ? (tryCoerce(ev, value, T.DateTime) as Temporal | undefined)
        : null
      : readTemporal(text);
  if (found) return found;
  throw typeFault(`A value of type ${typeName(value)} has no fields`);
}

function selectEach(ev: Evaluation, items: Value[], key: string): Value | undefined {
  ev.charge(items.length);
  const found: Value[] = [];
  for (const given of items) {
    const item = bare(given);
    if (item === null || typeof item !== 'object' || !isObjectValue(item)) continue;
    const value = fieldOf(item, key);
    if (value !== undefined) found.push(value);
  }
  return found.length === 0 ? undefined : found;
}

/** `value.*key`: all values under the key. */
export function selectAll(ev: Evaluation, given: Value, key: string): Value | undefined {
  const value = bare(given);
  if (value === null) return undefined;
  const found: Value[] = [];
  if (Array.isArray(value)) {
    ev.charge(value.length);
    for (const item of value) if (isObjectValue(item)) found.push(...allValues(ev, item, key));
  } else if (isObjectValue(value)) found.push(...allValues(ev, value, key));
  else throw typeFault(`A value of type ${typeName(value)} has no fields`);
  return found.length === 0 ? undefined : found;
}

function allValues(ev: Evaluation, object: Parameters<typeof keyList>[0], key: string): Value[] {
  const keys = keyList(object);
  ev.charge(keys.length);
  const values = valueList(object);
  const found: Value[] = [];
  for (let i = 0; i < keys.length; i++) if (keys[i] === key) found.push(values[i]!);
  return found;
}

/** `value.&key`: the pairs under the key, as an object. */
export function selectPairs(ev: Evaluation, given: Value, key: string): Value | undefined {
  const value = bare(given);
  if (value === null) return undefined;
  if (Array.isArray(value)) {
    ev.charge(value.length);
    const found = value
      .map((item) => (isObjectValue(item) ? pairs(ev, item, key) : undefined))
      .filter((it) => it !== undefined);
    return found.length === 0 ? undefined : found;
  }
  if (isObjectValue(value)) return pairs(ev, value, key);
  throw typeFault(`A value of type ${typeName(value)} has no fields`);
}

function pairs(ev: Evaluation, object: Parameters<typeof keyList>[0], key: string): DwObject | undefined {
  const values = allValues(ev, object, key);
  return values.length === 0
    ? undefined
    : new DwObject(
        values.map(() => key),
        values,
      );
}

/** `value..key` and similar selectors: at any depth, parents before children. */
export function descend(ev: Evaluation, given: Value, key: string | null, op: SelectOp): Value | undefined {
  const value = bare(given);
  if (!Array.isArray(value) && !isObjectValue(value))
    throw typeFault(`A value of type ${typeName(value)} has no fields`);
  const found: Value[] = [];
  const walk = (item: Value, depth: number) => {
    const it = bare(item);
    if (depth > 500) throw new Fault('DW_MAX_EVAL_TIME_EXCEEDED', 'The value nests too deeply');
    if (!Array.isArray(it) && !isObjectValue(it)) return;
    const children = Array.isArray(it) ? it : valueList(it);
    ev.charge(children.length + 1);
    if (key !== null && !Array.isArray(it)) {
      const own = op === '..' ? fieldOf(it, key) : op === '..&' ? pairs(ev, it, key) : undefined;
      if (own !== undefined) found.push(own);
      if (op === '..*') found.push(...allValues(ev, it, key));
    }
    for (const child of children) {
      if (key === null) found.push(child);
      walk(child, depth + 1);
    }
  };
  walk(value, 0);
  ev.collection(found.length);
  return found.length === 0 && key !== null ? undefined : found;
}

/** `value[index]`: by position, by name, or by range. */
export function selectAt(ev: Evaluation, given: Value, index: Value): Value | undefined {
  const value = bare(given);
  if (typeof index === 'number' || isDec(index)) return atPosition(ev, value, index);
  if (typeof index === 'string') return selectDynamic(ev, value, index);
  if (index instanceof Key) return select(ev, value, index.name);
  if (index instanceof RangeArray) return slice(ev, value, index);
  if (index instanceof WideRange) return sliceBetween(ev, value, index.from, index.to);
  if (value !== null && (index instanceof PeriodValue || index instanceof DateTimeValue))
    return atPosition(ev, value, coerceTo(ev, index, T.Number) as Num);
  if (index instanceof Temporal ? value !== null : typeof index === 'boolean' && hasParts(value))
    return select(ev, value, textOrNull(index)!);
  throw new Fault(
    'DW_TYPE_MISMATCH',
    `${typeName(index)} cannot select from ${typeName(value)}`,
    index === null || value === null,
    'UnexpectedFunctionCallTypesException',
  );
}

function hasParts(value: Value): boolean {
  return Array.isArray(value) || isObjectValue(value);
}

/** Computed text selects a field; from text, which has no fields, it selects a position if it spells one. */
function selectDynamic(ev: Evaluation, value: Value, index: string): Value | undefined {
  const position = (bitsOf(value) & (T.String | T.Boolean)) === 0 ? undefined : tryCoerce(ev, index, T.Number);
  return position === undefined ? select(ev, value, index) : atPosition(ev, value, position as Num);
}

function atPosition(ev: Evaluation, value: Value, index: Num): Value | undefined {
  if (value === null) return undefined;
  const n = Math.trunc(asInteger(index) ?? (typeof index === 'number' ? index : index.toNumber()));
  if (value instanceof WideRange) return itemOf(ev, value, n);
  const at = (length: number) => (n < 0 ? length + n : n);
  if (Array.isArray(value)) return value[at(value.length)];
  if (isObjectValue(value)) {
    const values = valueList(value);
    return values[at(values.length)];
  }
  if (value instanceof BinaryValue) return byteAt(value, at(value.bytes.length));
  const text = textOrNull(value);
  if (text === null) throw typeFault(`A value of type ${typeName(value)} has no positions`);
  const position = wrapped(index);
  return text[position < 0 ? text.length + position : position];
}

/** One byte, which is a binary again. The real engine makes one up where there is none; that is refused here. */
function byteAt(value: BinaryValue, index: number): BinaryValue {
  if (index < 0 || index >= value.bytes.length) throw new Fault('DW_INDEX_OUT_OF_BOUNDS', 'There is no such byte');
  return new BinaryValue(value.bytes.slice(index, index + 1));
}

function itemOf(ev: Evaluation, range: WideRange, index: number): Value | undefined {
  const at = index < 0 ? range.size.plus(index) : toDec(index);
  if (at.isNegative() || at.gte(range.size)) return undefined;
  const steps = simplify(at, ev.limits.digits);
  return compareNumbers(range.from, range.to) <= 0 ? add(ev, range.from, steps) : subtract(ev, range.from, steps);
}

function slice(ev: Evaluation, value: Value, range: RangeArray): Value | undefined {
  const from = range[0];
  const to = range[range.length - 1];
  return sliceBetween(ev, value, from as Num, to as Num);
}

/** `value[from to to]`: nothing if out of range, reversed if the range falls. */
export function sliceBetween(ev: Evaluation, given: Value, from: Num, to: Num): Value | undefined {
  const value = bare(given);
  const [start, end] = [position(from), position(to)];
  if (Array.isArray(value)) {
    const bounds = within(start, end, value.length);
    if (!bounds) return undefined;
    const [a, b] = bounds;
    ev.charge(Math.abs(b - a) + 1);
    return a <= b ? value.slice(a, b + 1) : value.slice(b, a + 1).reverse();
  }
  if (value instanceof BinaryValue) {
    const bounds = within(start, end, value.bytes.length);
    if (!bounds) return undefined;
    const [a, b] = bounds;
    return new BinaryValue(a <= b ? value.bytes.slice(a, b + 1) : value.bytes.slice(b, a + 1).reverse());
  }
  const text = value === null || (bitsOf(value) & (T.Object | T.Function)) !== 0 ? null : textOrNull(value);
  if (text === null)
    throw new Fault('DW_TYPE_MISMATCH', `A value of type ${typeName(value)} has no ranges`, value === null);
  const bounds = within(start, end, text.length);
  if (!bounds) return undefined;
  const [a, b] = bounds;
  if (a <= b) return text.slice(a, b + 1);
  let reversed = '';
  for (let i = a; i >= b; i--) reversed += text[i];
  return reversed;
}

function position(n: Num): number | null {
  const whole = typeof n === 'number' ? Math.trunc(n) : n.trunc().toNumber();
  return Number.isSafeInteger(whole) ? whole : null;
}

function within(start: number | null, end: number | null, length: number): [number, number] | null {
  if (start === null || end === null) return null;
  const a = start < 0 ? length + start : start;
  const b = end < 0 ? length + end : end;
  return a < 0 || b < 0 || a >= length || b >= length ? null : [a, b];
}
