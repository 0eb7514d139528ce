import type { SelectOp } from '../parse/ast.js';
import { coerceTo, tryCoerce } from './coercion.js';
import { temporalField } from './dates/date-arithmetic.js';
import { DateTimeValue, PeriodValue, Temporal, ZoneValue } from './dates/date-values.js';
import { parseTemporal } from './dates/parse-iso.js';
import { Fault, typeFault } from './evaluation-fault.js';
import type { Evaluation } from './evaluation-state.js';
import { add, compareNumbers, type Num, simplify, subtract, toDec, wrapTo32Bits } from './numbers.js';
import { textOrNull } from './text-encodings.js';
import {
  Annotated,
  BinaryValue,
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
  withoutAnnotations,
} from './values.js';

/** `value.key`: the first value with the key; for an array, of each object in it. Undefined if there is none. */
export function selectField(ev: Evaluation, value: Value, key: string): Value | undefined {
  if (value === null) return undefined;
  if (typeof value === 'object') {
    if (value instanceof DwObject) return fieldOf(value, key);
    if (Array.isArray(value)) return selectEach(ev, value, key);
    if (isObjectValue(value)) return fieldOf(value, key);
    if (value instanceof Temporal && !(value instanceof ZoneValue))
      return temporalField(value, key) as Value | undefined;
  }
  if (value instanceof Annotated) return selectField(ev, value.inner, key);
  return temporalField(asTemporal(ev, value), key) as Value | undefined;
}

/** Converts a number (seconds since the epoch) or text to a date, time or period, whose fields it then has. */
function asTemporal(ev: Evaluation, value: Value): Temporal {
  if (typeof value === 'string') {
    const found = parseTemporal(value);
    if (found) return found;
  } else if (bitsOf(value) === T.Number) {
    const found = tryCoerce(ev, value, T.DateTime);
    if (found) return found as Temporal;
  }
  throw typeFault(`A value of type ${typeName(value)} has no fields`);
}

function selectEach(ev: Evaluation, items: Value[], key: string): Value | undefined {
  ev.charge(items.length);
  const found: Value[] = [];
  for (const given of items) {
    const item = withoutAnnotations(given);
    if (item === null || typeof item !== 'object' || !isObjectValue(item)) continue;
    const value = fieldOf(item, key);
    if (value !== undefined) found.push(value);
  }
  return found.length === 0 ? undefined : found;
}

/** `value.*key`: all values with the key. */
export function selectAll(ev: Evaluation, given: Value, key: string): Value | undefined {
  const value = withoutAnnotations(given);
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

/** `value.&key`: the pairs with the key, as an object. */
export function selectPairs(ev: Evaluation, given: Value, key: string): Value | undefined {
  const value = withoutAnnotations(given);
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
  const value = withoutAnnotations(given);
  if (!Array.isArray(value) && !isObjectValue(value))
    throw typeFault(`A value of type ${typeName(value)} has no fields`);
  const found: Value[] = [];
  const walk = (item: Value, depth: number) => {
    const it = withoutAnnotations(item);
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
      if (!(child instanceof RangeArray)) walk(child, depth + 1);
    }
  };
  walk(value, 0);
  ev.chargeCollection(found.length);
  return found.length === 0 && key !== null ? undefined : found;
}

/** `value[index]`: by position, by name, or by range. */
export function selectAt(ev: Evaluation, given: Value, index: Value): Value | undefined {
  const value = withoutAnnotations(given);
  if (typeof index === 'number' || isDec(index)) return atPosition(ev, value, index);
  if (typeof index === 'string') return selectDynamic(ev, value, index);
  if (index instanceof Key) return selectField(ev, value, index.name);
  if (index instanceof RangeArray) return slice(ev, value, index);
  if (index instanceof WideRange) return sliceBetween(ev, value, index.from, index.to);
  if (index instanceof PeriodValue || index instanceof DateTimeValue || index instanceof BinaryValue)
    return atPosition(ev, value, coerceTo(ev, index, T.Number) as Num);
  if ((index instanceof Temporal || typeof index === 'boolean') && hasParts(value))
    return selectField(ev, value, textOrNull(index)!);
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

/** Selects a field by computed text. In text, which has no fields, it selects a position if it is numeric. */
function selectDynamic(ev: Evaluation, value: Value, index: string): Value | undefined {
  const position = (bitsOf(value) & (T.String | T.Boolean)) === 0 ? undefined : tryCoerce(ev, index, T.Number);
  return position === undefined ? selectField(ev, value, index) : atPosition(ev, value, position as Num);
}

function atPosition(ev: Evaluation, value: Value, index: Num): Value | undefined {
  if (value === null) return undefined;
  const n = wholeOf(index);
  if (value instanceof WideRange) return itemOf(ev, value, n);
  if (Array.isArray(value)) return value[n < 0 ? value.length + n : n];
  const position = wrapTo32Bits(index);
  const at = (length: number) => (position < 0 ? length + position : position);
  if (isObjectValue(value)) {
    const values = valueList(value);
    return values[at(values.length)];
  }
  if (value instanceof BinaryValue) return byteAt(value, at(value.bytes.length));
  const text = textOrNull(value);
  if (text === null) throw typeFault(`A value of type ${typeName(value)} has no positions`);
  return text[at(text.length)];
}

/** One byte, as a binary. The reference engine invents a byte outside the bounds; here it is rejected. */
function byteAt(value: BinaryValue, index: number): BinaryValue {
  if (index < 0 || index >= value.bytes.length)
    throw new Fault('DW_INDEX_OUT_OF_BOUNDS', 'The byte position is out of bounds');
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

/** `value[from to to]`: nothing if out of bounds, reversed if the range is descending. */
export function sliceBetween(ev: Evaluation, given: Value, from: Num, to: Num): Value | undefined {
  const value = withoutAnnotations(given);
  const [start, end] = [wrapTo32Bits(from), wrapTo32Bits(to)];
  if (Array.isArray(value)) {
    const bounds = within(start, end, value.length);
    if (!bounds) return undefined;
    const [a, b] = bounds;
    ev.charge(Math.abs(b - a) + 1);
    return a <= b ? value.slice(a, b + 1) : value.slice(b, a + 1).reverse();
  }
  if (value instanceof BinaryValue) {
    const bounds = within(wholeOf(from), wholeOf(to), value.bytes.length);
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

/**
 * The part of `value`, which has `length` positions, from `from` up to but not including `until`. Positions beyond 32 bits wrap, as in
 * the reference engine; one that is then out of bounds is the end.
 */
export function sliceUntil(ev: Evaluation, value: Value, length: number, from: Num, until: Num): Value | undefined {
  const [start, end] = [Math.max(0, toDec(from).toNumber()), toDec(until).toNumber()];
  if (start >= end) return undefined;
  const last = end < 2 ** 31 ? Math.min(end, length) - 1 : wrapTo32Bits(toDec(until).minus(1));
  const first = start < 2 ** 31 ? start : wrapTo32Bits(from);
  if (start < 2 ** 31 && end < 2 ** 31) return start >= last + 1 ? undefined : sliceBetween(ev, value, start, last);
  return sliceBetween(ev, value, first, last) ?? sliceBetween(ev, value, first, length - 1);
}

function wholeOf(n: Num): number {
  return typeof n === 'number' ? Math.trunc(n) : n.trunc().toNumber();
}

function within(start: number, end: number, length: number): [number, number] | null {
  const a = start < 0 ? length + start : start;
  const b = end < 0 ? length + end : end;
  return a < 0 || b < 0 || a >= length || b >= length ? null : [a, b];
}
