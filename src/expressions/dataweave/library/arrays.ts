import { type Definition, dispatch, F, overload } from '../runtime/dispatch.js';
import type { Evaluation } from '../runtime/evaluation.js';
import { paid } from '../runtime/evaluation.js';
import { add, asInteger, type Num, toDec, wrapped } from '../runtime/numbers.js';
import { operatorFunctions } from '../runtime/operator-functions.js';
import { condition, truth } from '../runtime/operators.js';
import { sliceBetween } from '../runtime/selectors.js';
import { toText } from '../runtime/text.js';
import { DwObject, type FunctionValue, T, type Value } from '../runtime/values.js';
import { indexesOf, late, none, nullSafe } from './collections.js';

/** The language's own `+`. */
function plus(ev: Evaluation, a: Value, b: Value): Value {
  if (typeof a === 'number' && typeof b === 'number') return add(ev, a, b);
  return dispatch(ev, operatorFunctions.get('+')!, [a, b]);
}

type Test = (item: Value, i: number) => boolean;

function tester(ev: Evaluation, f: FunctionValue): Test {
  return (item) => paid(ev, 1, condition(f.call(ev, item, none, none)));
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
  const n = Math.max(0, size(at));
  return new DwObject(['l', 'r'], [items.slice(0, Math.ceil(n)), items.slice(Math.max(0, wrapped(at)))]);
}

/** Pairs of items with equal keys, in the order of the left side; `outer` says which unmatched ones stay. */
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
  const rows = right.map((item) => ({ item, used: false, key: toText(keyR.call(ev, item, none, none)) }));
  for (const row of rows) {
    const group = groups.get(row.key);
    if (group) group.push(row);
    else groups.set(row.key, [row]);
  }
  const out: Value[] = [];
  const leftKey = (_ev: Evaluation, item: Value) => toText(keyL.call(ev, item, none, none));
  const keyOf = keep === 'both' ? leftKey : late(leftKey);
  for (const item of left) {
    const group = groups.get(keyOf(ev, item, keyL) as string) ?? [];
    for (const row of group) {
      row.used = true;
      out.push(new DwObject(['l', 'r'], [item, row.item]));
    }
    if (group.length === 0 && keep !== 'none') out.push(new DwObject(['l'], [item]));
    ev.collection(out.length);
  }
  if (keep === 'both') for (const row of rows) if (!row.used) out.push(new DwObject(['r'], [row.item]));
  return out;
}

function joiner(name: string, keep: 'none' | 'left' | 'both'): Definition {
  return [
    name,
    overload(
      [T.Array, T.Array, F(1), F(1)],
      (ev: Evaluation, a: Value[], b: Value[], f: FunctionValue, g: FunctionValue) => join(ev, a, b, f, g, keep),
    ),
  ];
}

function firstIndex(ev: Evaluation, items: Value[], f: FunctionValue): number {
  return items.findIndex(tester(ev, f));
}

/** dw::core::Arrays. */
export const arrayFunctions: readonly Definition[] = [
  [
    'some',
    { gives: T.Boolean },
    overload([T.Array, F(1)], (ev: Evaluation, items: Value[], f: FunctionValue) => items.some(tester(ev, f))),
    overload([T.Null, T.Function], () => false),
  ],
  [
    'every',
    { gives: T.Boolean },
    overload([T.Array, F(1)], (ev: Evaluation, items: Value[], f: FunctionValue) => items.every(tester(ev, f))),
    overload([T.Null, T.Function], () => true),
  ],
  [
    'countBy',
    overload([T.Array, F(1)], (ev: Evaluation, items: Value[], f: FunctionValue) => items.filter(tester(ev, f)).length),
    nullSafe(T.Function),
  ],
  [
    'sumBy',
    overload([T.Array, F(1)], (ev: Evaluation, items: Value[], f: FunctionValue) => {
      let total: Value = 0;
      for (const item of items) total = paid(ev, 1, plus(ev, f.call(ev, item, none, none), total));
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
    overload([T.Array, T.Number], (_ev: Evaluation, items: Value[], n: Num) =>
      size(n) > 0 ? items.slice(wrapped(n) < 0 ? items.length : wrapped(n)) : [...items],
    ),
    nullSafe(T.Any),
  ],
  [
    'takeWhile',
    overload([T.Array, F(1)], (ev: Evaluation, items: Value[], f: FunctionValue) => {
      const test = tester(ev, f);
      const end = items.findIndex((it, i) => !test(it, i));
      return end === -1 ? [...items] : items.slice(0, end);
    }),
    nullSafe(T.Function),
  ],
  [
    'dropWhile',
    overload([T.Array, F(1)], (ev: Evaluation, items: Value[], f: FunctionValue) => {
      const test = tester(ev, f);
      const start = items.findIndex((it, i) => !test(it, i));
      return start === -1 ? [] : items.slice(start);
    }),
    nullSafe(T.Function),
  ],
  [
    'partition',
    overload(
      [T.Array, F(1)],
      late((ev: Evaluation, items: Value[], f: FunctionValue) => {
        const verdicts = items.map((it) => paid(ev, 1, truth(f.call(ev, it, none, none))));
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
      [T.Array, F(2, 1)],
      (ev: Evaluation, items: Value[], f: FunctionValue) =>
        items.find((it, i) => paid(ev, 1, truth(f.call(ev, it, i, none)))) ?? null,
    ),
    nullSafe(T.Function),
  ],
  [
    'indexOf',
    { gives: T.Number },
    overload([T.Array, T.Any], (ev: Evaluation, items: Value[], it: Value) => indexesOf(ev, items, it)[0] ?? -1),
  ],
  ['indexWhere', overload([T.Array, F(1)], firstIndex), nullSafe(T.Function)],
  [
    'slice',
    overload([T.Array, T.Number, T.Number], (ev: Evaluation, items: Value[], from: Num, until: Num) => {
      const start = Math.max(0, size(from));
      const end = Math.min(size(until), items.length);
      return end <= start ? [] : (sliceBetween(ev, items, start, end - 1) ?? []);
    }),
    nullSafe(T.Any, T.Any),
  ],
  [
    'splitAt',
    overload([T.Array, T.Number], (_ev: Evaluation, items: Value[], n: Num) => splitAt(items, n)),
    nullSafe(T.Any),
  ],
  [
    'splitWhere',
    overload([T.Array, F(1)], (ev: Evaluation, items: Value[], f: FunctionValue) => {
      const at = firstIndex(ev, items, f);
      return splitAt(items, Math.max(0, at));
    }),
    nullSafe(T.Function),
  ],
  joiner('join', 'none'),
  joiner('leftJoin', 'left'),
  joiner('outerJoin', 'both'),
];
