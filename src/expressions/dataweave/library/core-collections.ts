import { Closure } from '../runtime/closures.js';
import { compareStrictly, compareValues, equalValues } from '../runtime/equality-and-order.js';
import { coercionFault, Fault, typeFault } from '../runtime/evaluation-fault.js';
import type { Evaluation } from '../runtime/evaluation-state.js';
import { chargeFor } from '../runtime/evaluation-state.js';
import { type FunctionDefinition, functionType, overload } from '../runtime/library-function-overloads.js';
import { condition, truth } from '../runtime/operators.js';
import { selectAt } from '../runtime/selectors.js';
import { textOrNull, toText } from '../runtime/text-encodings.js';
import {
  Annotated,
  DwObject,
  type FunctionValue,
  isObjectValue,
  isPlainArray,
  Key,
  keyList,
  T,
  typeName,
  type Value,
  valueList,
} from '../runtime/values.js';

/** An object, from input or computed. */
export type Obj = Parameters<typeof keyList>[0];

/** An omitted argument. */
export const absent = undefined as unknown as Value;

/** Signature that returns null for null. */
export function nullSafe(...rest: number[]) {
  return overload([T.Null, ...rest], () => null);
}

/** A key as a value, with its attributes. */
function keyOf(key: string, value: Value): Key {
  return new Key(key, value instanceof Annotated ? value.attributes : null);
}

/** Entries of an object, in order. */
export function entryList(object: Obj): { key: string; value: Value }[] {
  const values = valueList(object);
  return keyList(object).map((key, i) => ({ key, value: values[i]! }));
}

/**
 * Marks faults of `fn` as lazy. The reference engine computes its result element by element when it is read, outside any `default` around
 * the call, so `default` must not rescue them.
 */
export function markLazyFaults<A>(
  fn: (ev: Evaluation, target: A, f: FunctionValue) => Value,
): (ev: Evaluation, target: A, f: FunctionValue) => Value {
  return (ev, target, f) => {
    try {
      return fn(ev, target, f);
    } catch (error) {
      if (error instanceof Fault) error.late = true;
      throw error;
    }
  };
}

function map(ev: Evaluation, items: Value[], f: FunctionValue): Value {
  ev.charge(items.length);
  const out: Value[] = new Array(items.length);
  for (let i = 0; i < items.length; i++) out[i] = f.call(ev, items[i]!, i, absent);
  return out;
}

/** Items for which `f` holds. */
export function filterItems(ev: Evaluation, items: Value[], f: FunctionValue): Value[] {
  ev.charge(items.length);
  const out: Value[] = [];
  for (let i = 0; i < items.length; i++) if (truth(f.call(ev, items[i]!, i, absent))) out.push(items[i]!);
  return out;
}

function reduce(ev: Evaluation, items: Value[], f: FunctionValue): Value {
  ev.charge(items.length);
  const initial = f instanceof Closure ? f.initialAccumulator(ev) : undefined;
  if (items.length === 0) return initial ?? null;
  let accumulated = initial === undefined ? items[0]! : initial;
  for (let i = initial === undefined ? 1 : 0; i < items.length; i++)
    accumulated = f.call(ev, items[i]!, accumulated, absent);
  return accumulated;
}

/** Sorts items by the key from `f`; stable; all keys must have the same ordered type. */
export function sortBy<X>(ev: Evaluation, items: readonly X[], keyOf: (item: X, i: number) => Value): X[] {
  ev.charge(items.length * Math.ceil(Math.log2(items.length + 2)));
  if (items.length <= 1) return [...items];
  const keyed = items.map((item, i) => ({ item, key: keyOf(item, i) }));
  keyed.sort((a, b) => compareStrictly(a.key, b.key));
  return keyed.map((it) => it.item);
}

function orderBy(ev: Evaluation, items: Value[], f: FunctionValue): Value {
  if (f instanceof Closure && f.code.comparator) {
    ev.charge(items.length * Math.ceil(Math.log2(items.length + 2)));
    return [...items].sort((a, b) => Number(f.call(ev, a, b, absent)));
  }
  return sortBy(ev, items, (item, i) => f.call(ev, item, i, absent));
}

function orderObject(ev: Evaluation, object: Obj, f: FunctionValue): Value {
  const sorted = sortBy(ev, entryList(object), (it) => f.call(ev, it.value, new Key(it.key), absent));
  return new DwObject(
    sorted.map((it) => it.key),
    sorted.map((it) => it.value),
  );
}

function groupKey(value: Value): string {
  const text = textOrNull(value);
  if (text === null) throw coercionFault(typeName(value), 'Key');
  return text;
}

function groupBy(ev: Evaluation, items: readonly Value[], keyOf: (item: Value, i: number) => Value): Value {
  ev.charge(items.length);
  const groups = new Map<string, Value[]>();
  for (const [i, item] of items.entries()) {
    const key = groupKey(keyOf(item, i));
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return new DwObject([...groups.keys()], [...groups.values()]);
}

function groupObject(ev: Evaluation, object: Obj, f: FunctionValue): Value {
  ev.charge(keyList(object).length);
  const groups = new Map<string, DwObject>();
  for (const { key, value } of entryList(object)) {
    const name = groupKey(f.call(ev, value, new Key(key), absent));
    const group = groups.get(name) ?? new DwObject();
    group.add(key, value);
    groups.set(name, group);
  }
  return new DwObject([...groups.keys()], [...groups.values()]);
}

/** Removes items whose key occurred earlier. */
export function distinct<X>(ev: Evaluation, items: readonly X[], keyOf: (item: X, i: number) => Value): X[] {
  ev.charge(items.length);
  const simple = new Set<Value>();
  const others: Value[] = [];
  const out: X[] = [];
  for (let i = 0; i < items.length; i++) {
    const item = items[i]!;
    const key = keyOf(item, i);
    if (typeof key !== 'object') {
      if (simple.has(key)) continue;
      simple.add(key);
    } else {
      ev.charge(others.length * 4);
      if (others.some((other) => equalValues(ev, other, key))) continue;
      others.push(key);
    }
    out.push(item);
  }
  return out;
}

function mapObject(ev: Evaluation, object: Obj, f: FunctionValue): Value {
  const keys = keyList(object);
  const values = valueList(object);
  ev.charge(keys.length);
  const out = new DwObject();
  for (let i = 0; i < keys.length; i++) {
    const result = f.call(ev, values[i]!, keyOf(keys[i]!, values[i]!), i);
    if (!isObjectValue(result)) throw coercionFault(typeName(result), 'Object');
    const [names, contents] = [keyList(result), valueList(result)];
    for (let j = 0; j < names.length; j++) out.add(names[j]!, contents[j]!);
    ev.chargeCollection(out.size);
  }
  return out;
}

function pluck(ev: Evaluation, object: Obj, f: FunctionValue): Value {
  const values = valueList(object);
  ev.charge(values.length);
  return keyList(object).map((key, i) => f.call(ev, values[i]!, keyOf(key, values[i]!), i));
}

function filterObject(ev: Evaluation, object: Obj, f: FunctionValue): Value {
  const out = new DwObject();
  ev.charge(keyList(object).length);
  for (const [i, { key, value }] of entryList(object).entries())
    if (truth(f.call(ev, value, new Key(key), i))) out.add(key, value);
  return out;
}

function filterText(ev: Evaluation, text: string, f: FunctionValue): Value {
  ev.charge(text.length);
  let out = '';
  for (let i = 0; i < text.length; i++) if (condition(f.call(ev, text[i]!, i, absent))) out += text[i];
  return out;
}

function extreme(ev: Evaluation, items: Value[], keyOf: (item: Value) => Value, sign: 1 | -1): Value {
  ev.charge(items.length);
  if (items.length <= 1) return items[0] ?? null;
  let best = items[0]!;
  let bestKey: Value = null;
  for (let i = 1; i < items.length; i++) {
    const key = keyOf(items[i]!);
    // The reference engine evaluates the second item first, which decides which of two failures shows.
    if (i === 1) bestKey = keyOf(best);
    if (compareValues(ev, key, bestKey) * sign > 0) {
      best = items[i]!;
      bestKey = key;
    }
  }
  return best;
}

/** Replaces arrays among the items by their own items. */
export function flattenOnce(ev: Evaluation, items: Value[]): Value[] {
  const out: Value[] = [];
  for (const item of items) {
    if (isPlainArray(item)) for (const inner of item) out.push(inner);
    else out.push(item);
    ev.chargeCollection(0);
  }
  ev.chargeCollection(out.length);
  return out;
}

function zip(ev: Evaluation, a: Value[], b: Value[]): Value {
  const size = Math.min(a.length, b.length);
  ev.charge(size);
  return Array.from({ length: size }, (_, i) => [a[i]!, b[i]!]);
}

/** Columns of rows; a row is anything with positions: an array, an object, text. */
function unzip(ev: Evaluation, items: Value[]): Value {
  if (items.length > 1 && items.includes(null)) throw typeFault('Types Null and Number cannot be compared');
  const widths = items.map((it) => {
    if (it === null) return 0;
    if (Array.isArray(it)) return it.length;
    return isObjectValue(it) ? keyList(it).length : toText(it).length;
  });
  const width = items.length === 0 ? 0 : Math.min(...widths);
  ev.chargeCollection((width + 2) * items.length);
  const positions = width === 0 ? [0, -1] : Array.from({ length: width }, (_, i) => i);
  return positions.map((i) => items.map((row) => selectAt(ev, row, i) ?? null));
}

/** Positions of a value in an array. */
export function indexesOf(ev: Evaluation, items: Value[], wanted: Value): number[] {
  ev.charge(items.length);
  const found: number[] = [];
  for (const [i, item] of items.entries()) if (equalValues(ev, item, wanted)) found.push(i);
  return found;
}

function joinBy(ev: Evaluation, items: Value[], separator: string): Value {
  ev.charge(items.length);
  const out = items.map(toText).join(separator);
  ev.chargeText(out.length);
  return out;
}

function entriesOf(object: Obj): Value {
  return entryList(object).map(
    ({ key, value }) =>
      new DwObject(
        ['key', 'value', 'attributes'],
        [keyOf(key, value), value, (value instanceof Annotated && value.attributes) || new DwObject()],
      ),
  );
}

/** Functions of dw::Core for arrays and objects. */
export const collectionFunctions: readonly FunctionDefinition[] = [
  ['map', { gives: T.Array }, overload([T.Array, functionType(2, 1)], markLazyFaults(map)), nullSafe(T.Function)],
  [
    'filter',
    { gives: 'first' },
    overload([T.Array, functionType(2, 1)], markLazyFaults(filterItems)),
    overload([T.String, functionType(2)], filterText),
    nullSafe(T.Function),
  ],
  [
    'reduce',
    overload([T.Array, functionType(2, 1)], reduce),
    overload([T.String, functionType(2, 1)], (ev: Evaluation, text: string, f: FunctionValue) =>
      text === '' ? (f instanceof Closure ? (f.initialAccumulator(ev) ?? '') : '') : reduce(ev, [...text], f),
    ),
    nullSafe(T.Function),
  ],
  [
    'orderBy',
    { gives: 'first' },
    overload([T.Object, functionType(2, 1)], orderObject),
    overload([T.Array, functionType(2, 1)], orderBy),
    nullSafe(T.Function),
  ],
  [
    'groupBy',
    { gives: T.Object },
    overload([T.Array, functionType(2, 1)], (ev: Evaluation, items: Value[], f: FunctionValue) =>
      groupBy(ev, items, (it, i) => f.call(ev, it, i, absent)),
    ),
    overload([T.String, functionType(2, 1)], (ev: Evaluation, text: string, f: FunctionValue) => {
      const groups = groupBy(ev, [...text], (it, i) => f.call(ev, it, i, absent)) as DwObject;
      return new DwObject(
        groups.keys,
        groups.values.map((it) => (it as string[]).join('')),
      );
    }),
    overload([T.Object, functionType(2, 1)], groupObject),
    nullSafe(T.Function),
  ],
  [
    'distinctBy',
    { gives: 'first' },
    overload(
      [T.Array, functionType(2, 1)],
      markLazyFaults((ev: Evaluation, items: Value[], f: FunctionValue) =>
        distinct(ev, items, (it, i) => f.call(ev, it, i, absent)),
      ),
    ),
    overload([T.Object, functionType(2, 1)], (ev: Evaluation, object: Obj, f: FunctionValue) => {
      const kept = distinct(ev, entryList(object), (it) => f.call(ev, it.value, new Key(it.key), absent));
      return new DwObject(
        kept.map((it) => it.key),
        kept.map((it) => it.value),
      );
    }),
    nullSafe(T.Function),
  ],
  [
    'mapObject',
    { gives: T.Object },
    overload([T.Object, functionType(3, 1)], markLazyFaults(mapObject)),
    nullSafe(T.Function),
  ],
  ['pluck', { gives: T.Array }, overload([T.Object, functionType(3, 1)], markLazyFaults(pluck)), nullSafe(T.Function)],
  [
    'filterObject',
    { gives: T.Object },
    overload([T.Object, functionType(3, 1)], markLazyFaults(filterObject)),
    nullSafe(T.Function),
  ],
  [
    'flatMap',
    { gives: T.Array },
    overload(
      [T.Array, functionType(2)],
      markLazyFaults((ev: Evaluation, items: Value[], f: FunctionValue) =>
        flattenOnce(ev, map(ev, items, f) as Value[]),
      ),
    ),
    nullSafe(T.Function),
  ],
  ['flatten', { gives: T.Array }, overload([T.Array], flattenOnce), nullSafe()],
  [
    'maxBy',
    overload([T.Array, functionType(1)], (ev: Evaluation, items: Value[], f: FunctionValue) =>
      extreme(ev, items, (it) => f.call(ev, it, absent, absent), 1),
    ),
  ],
  [
    'minBy',
    overload([T.Array, functionType(1)], (ev: Evaluation, items: Value[], f: FunctionValue) =>
      extreme(ev, items, (it) => f.call(ev, it, absent, absent), -1),
    ),
  ],
  ['max', overload([T.Array], (ev: Evaluation, items: Value[]) => extreme(ev, items, (it) => it, 1))],
  ['min', overload([T.Array], (ev: Evaluation, items: Value[]) => extreme(ev, items, (it) => it, -1))],
  ['zip', { gives: T.Array }, overload([T.Array, T.Array], zip)],
  ['unzip', { gives: T.Array }, overload([T.Array], unzip)],
  ['joinBy', { gives: T.String }, overload([T.Array, T.String], joinBy), nullSafe(T.Any)],
  [
    'keysOf',
    { gives: T.Array },
    overload([T.Object], (ev: Evaluation, object: Obj) =>
      chargeFor(
        ev,
        keyList(object).length,
        entryList(object).map(({ key, value }) => keyOf(key, value)),
      ),
    ),
    nullSafe(),
  ],
  [
    'namesOf',
    { gives: T.Array },
    overload([T.Object], (ev: Evaluation, object: Obj) => chargeFor(ev, keyList(object).length, [...keyList(object)])),
    nullSafe(),
  ],
  [
    'valuesOf',
    { gives: T.Array },
    overload([T.Object], (ev: Evaluation, object: Obj) =>
      chargeFor(ev, keyList(object).length, [...valueList(object)]),
    ),
    nullSafe(),
  ],
  [
    'entriesOf',
    { gives: T.Array },
    overload([T.Object], (ev: Evaluation, object: Obj) => chargeFor(ev, keyList(object).length, entriesOf(object))),
    nullSafe(),
  ],
];
