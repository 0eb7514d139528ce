import { chargeFor, type Evaluation } from '../runtime/evaluation-state.js';
import { type FunctionDefinition, functionType, overload } from '../runtime/library-function-overloads.js';
import { withoutPairs } from '../runtime/non-numeric-operators.js';
import { asInteger, type Num } from '../runtime/numbers.js';
import { condition } from '../runtime/operators.js';
import { DwObject, type FunctionValue, Key, keyList, T, type Value, valueList } from '../runtime/values.js';
import { absent, entryList, type Obj } from './core-collections.js';

function divideObject(ev: Evaluation, object: Obj, n: Num): Value {
  const step = asInteger(n) ?? 0;
  const [keys, values] = [keyList(object), valueList(object)];
  if (step <= 0) return keys.length === 0 ? [] : [object as Value];
  ev.charge(keys.length);
  const out: Value[] = [];
  for (let i = 0; i < keys.length; i += step)
    out.push(new DwObject(keys.slice(i, i + step), values.slice(i, i + step)));
  return out;
}

function mergeWith(ev: Evaluation, a: Obj, b: Obj): Value {
  const names = new Set(keyList(b));
  const out = withoutPairs(ev, a, (key) => names.has(key));
  for (const { key, value } of entryList(b)) out.add(key, value);
  return out;
}

function entryTest(ev: Evaluation, f: FunctionValue) {
  return ({ key, value }: { key: string; value: Value }) =>
    chargeFor(ev, 1, condition(f.call(ev, value, new Key(key), absent)));
}

/** Functions of dw::core::Objects. */
export const objectFunctions: readonly FunctionDefinition[] = [
  [
    'mergeWith',
    overload([T.Object, T.Object], mergeWith),
    overload([T.Null, T.Object], (_ev: Evaluation, _a: Value, b: Value) => b),
    overload([T.Object, T.Null], (_ev: Evaluation, a: Value) => a),
  ],
  ['divideBy', overload([T.Object, T.Number], divideObject)],
  [
    'entrySet',
    overload([T.Object], (_ev: Evaluation, object: Obj) =>
      entryList(object).map(
        ({ key, value }) => new DwObject(['key', 'value', 'attributes'], [new Key(key), value, new DwObject()]),
      ),
    ),
  ],
  ['keySet', overload([T.Object], (_ev: Evaluation, object: Obj) => keyList(object).map((it) => new Key(it)))],
  ['nameSet', overload([T.Object], (_ev: Evaluation, object: Obj) => [...keyList(object)])],
  ['valueSet', overload([T.Object], (_ev: Evaluation, object: Obj) => [...valueList(object)])],
  [
    'everyEntry',
    overload([T.Object, functionType(2)], (ev: Evaluation, object: Obj, f: FunctionValue) =>
      entryList(object).every(entryTest(ev, f)),
    ),
    overload([T.Null, T.Function], () => true),
  ],
  [
    'someEntry',
    overload([T.Object, functionType(2)], (ev: Evaluation, object: Obj, f: FunctionValue) =>
      entryList(object).some(entryTest(ev, f)),
    ),
    overload([T.Null, T.Function], () => false),
  ],
  [
    'takeWhile',
    overload([T.Object, functionType(2)], (ev: Evaluation, object: Obj, f: FunctionValue) => {
      const entries = entryList(object);
      const test = ({ key, value }: { key: string; value: Value }) =>
        condition(f.call(ev, value, new Key(key), absent));
      const end = entries.findIndex((it) => !test(it));
      const kept = end === -1 ? entries : entries.slice(0, end);
      return new DwObject(
        kept.map((it) => it.key),
        kept.map((it) => it.value),
      );
    }),
  ],
];
