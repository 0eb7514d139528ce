import type { Evaluation } from '../runtime/evaluation-state.js';
import { chargeFor } from '../runtime/evaluation-state.js';
import {
  callLibraryFunction,
  type FunctionDefinition,
  functionType,
  overload,
} from '../runtime/library-function-overloads.js';
import { operatorFunctions } from '../runtime/non-numeric-operators.js';
import { add, asInteger, type Num, toDec, wrapTo32Bits } from '../runtime/numbers.js';
import { condition, truth } from '../runtime/operators.js';
import { sliceUntil } from '../runtime/selectors.js';
import { toText } from '../runtime/text-encodings.js';
import { DwObject, type FunctionValue, T, type Value } from '../runtime/values.js';
import { absent, indexesOf, markLazyFaults, nullSafe } from './core-collections.js';

/** The `+` operator of the language. */
function plus(ev: Evaluation, a: Value, b: Value): Value {
  if (typeof a === 'number' && typeof b === 'number') return add(ev, a, b);
  return callLibraryFunction(ev, operatorFunctions.get('+')!, [a, b]);
}

type Test = (item: Value, i: number) => boolean;

function tester(ev: Evaluation, f: FunctionValue): Test {
  return (item) => chargeFor(ev, 1, condition(f.call(ev, item, absent, absent)));
}

function size(n: Num): number {
  return asInteger(n) ?? toDec(n).toNumber();
}

function chunks(ev: Evaluation, items: Value[], n: Num): Value {
  const step = Math.max(1, Math.ceil(size(n)));
  ev.charge(items.length);
  const out: Value[] = [];
  for (let i = 0; i < items.length; i += step) out.push(items.slice(i, i + step));
  return out;
}

function splitAt(items: Value[], at: Num): Value {
  return new DwObject(['l', 'r'], [items.slice(0, Math.max(0, Math.ceil(size(at)))), dropped(items, at)]);
}

/** The items after the first `n`, whose number the reference engine wraps to 32 bits. */
function dropped(items: Value[], n: Num): Value[] {
  if (size(n) <= 0) return [...items];
  return items.slice(wrapTo32Bits(n) < 0 ? items.length : wrapTo32Bits(n));
}

/** Pairs of items with equal keys, in the order of the left side; `outer` selects the unmatched items to keep. */
function join(
  ev: Evaluation,
  left: Value[],
  right: Value[],
  keyL: FunctionValue,
  keyR: FunctionValue,
  keep: 'none' | 'left' | 'both',
): Value {
  ev.charge(left.length + right.length);
  const groups = new Map<string, { item: Value; used: boolean }[]>();
  const rows = right.map((item) => ({ item, used: false, key: toText(keyR.call(ev, item, absent, absent)) }));
  for (const row of rows) {
    const group = groups.get(row.key);
    if (group) group.push(row);
    else groups.set(row.key, [row]);
  }
  const out: Value[] = [];
  const leftKey = (_ev: Evaluation, item: Value) => toText(keyL.call(ev, item, absent, absent));
  const keyOf = keep === 'both' ? leftKey : markLazyFaults(leftKey);
  for (const item of left) {
    const group = groups.get(keyOf(ev, item, keyL) as string) ?? [];
    for (const row of group) {
      row.used = true;
      out.push(new DwObject(['l', 'r'], [item, row.item]));
    }
    if (group.length === 0 && keep !== 'none') out.push(new DwObject(['l'], [item]));
    ev.chargeCollection(out.length);
  }
  if (keep === 'both') for (const row of rows) if (!row.used) out.push(new DwObject(['r'], [row.item]));
  return out;
}

function joiner(name: string, keep: 'none' | 'left' | 'both'): FunctionDefinition {
  return [
    name,
    overload(
      [T.Array, T.Array, functionType(1), functionType(1)],
      (ev: Evaluation, a: Value[], b: Value[], f: FunctionValue, g: FunctionValue) => join(ev, a, b, f, g, keep),
    ),
  ];
}

function firstIndex(ev: Evaluation, items: Value[], f: FunctionValue): number {
  return items.findIndex(tester(ev, f));
}

/** Functions of dw::core::Arrays. */
export const arrayFunctions: readonly FunctionDefinition[] = [
  [
    'some',
    { gives: T.Boolean },
    overload([T.Array, functionType(1)], (ev: Evaluation, items: Value[], f: FunctionValue) =>
      items.some(tester(ev, f)),
    ),
    overload([T.Null, T.Function], () => false),
  ],
  [
    'every',
    { gives: T.Boolean },
    overload([T.Array, functionType(1)], (ev: Evaluation, items: Value[], f: FunctionValue) =>
      items.every(tester(ev, f)),
    ),
    overload([T.Null, T.Function], () => true),
  ],
  [
    'countBy',
    overload(
      [T.Array, functionType(1)],
      (ev: Evaluation, items: Value[], f: FunctionValue) => items.filter(tester(ev, f)).length,
    ),
    nullSafe(T.Function),
  ],
  [
    'sumBy',
    overload([T.Array, functionType(1)], (ev: Evaluation, items: Value[], f: FunctionValue) => {
      let total: Value = 0;
      for (const item of items) total = chargeFor(ev, 1, plus(ev, f.call(ev, item, absent, absent), total));
      return total;
    }),
    nullSafe(T.Function),
  ],
  ['divideBy', overload([T.Array, T.Number], chunks), nullSafe(T.Any)],
  [
    'take',
    overload([T.Array, T.Number], (_ev: Evaluation, items: Value[], n: Num) =>
      items.slice(0, Math.max(0, Math.ceil(size(n)))),
    ),
    nullSafe(T.Any),
  ],
  [
    'drop',
    overload([T.Array, T.Number], (_ev: Evaluation, items: Value[], n: Num) => dropped(items, n)),
    nullSafe(T.Any),
  ],
  [
    'takeWhile',
    overload([T.Array, functionType(1)], (ev: Evaluation, items: Value[], f: FunctionValue) => {
      const test = tester(ev, f);
      const end = items.findIndex((it, i) => !test(it, i));
      return end === -1 ? [...items] : items.slice(0, end);
    }),
    nullSafe(T.Function),
  ],
  [
    'dropWhile',
    overload([T.Array, functionType(1)], (ev: Evaluation, items: Value[], f: FunctionValue) => {
      const test = tester(ev, f);
      const start = items.findIndex((it, i) => !test(it, i));
      return start === -1 ? [] : items.slice(start);
    }),
    nullSafe(T.Function),
  ],
  [
    'partition',
    overload(
      [T.Array, functionType(1)],
      markLazyFaults((ev: Evaluation, items: Value[], f: FunctionValue) => {
        const verdicts = items.map((it) => chargeFor(ev, 1, truth(f.call(ev, it, absent, absent))));
        return new DwObject(
          ['success', 'failure'],
          [items.filter((_, i) => verdicts[i]), items.filter((_, i) => !verdicts[i])],
        );
      }),
    ),
    nullSafe(T.Function),
  ],
  [
    'firstWith',
    overload(
      [T.Array, functionType(2, 1)],
      (ev: Evaluation, items: Value[], f: FunctionValue) =>
        items.find((it, i) => chargeFor(ev, 1, truth(f.call(ev, it, i, absent)))) ?? null,
    ),
    nullSafe(T.Function),
  ],
  [
    'indexOf',
    { gives: T.Number },
    overload([T.Array, T.Any], (ev: Evaluation, items: Value[], it: Value) => indexesOf(ev, items, it)[0] ?? -1),
  ],
  ['indexWhere', overload([T.Array, functionType(1)], firstIndex), nullSafe(T.Function)],
  [
    'slice',
    overload(
      [T.Array, T.Number, T.Number],
      (ev: Evaluation, items: Value[], from: Num, until: Num) => sliceUntil(ev, items, items.length, from, until) ?? [],
    ),
    nullSafe(T.Any, T.Any),
  ],
  [
    'splitAt',
    overload([T.Array, T.Number], (_ev: Evaluation, items: Value[], n: Num) => splitAt(items, n)),
    nullSafe(T.Any),
  ],
  [
    'splitWhere',
    overload([T.Array, functionType(1)], (ev: Evaluation, items: Value[], f: FunctionValue) => {
      const at = firstIndex(ev, items, f);
      return splitAt(items, Math.max(0, at));
    }),
    nullSafe(T.Function),
  ],
  joiner('join', 'none'),
  joiner('leftJoin', 'left'),
  joiner('outerJoin', 'both'),
];
