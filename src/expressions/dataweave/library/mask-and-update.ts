import { changeAttribute, keepAttributes } from '../runtime/attributes-and-metadata.js';
import type { Evaluation } from '../runtime/evaluation-state.js';
import { type FunctionDefinition, overload } from '../runtime/library-function-overloads.js';
import { asInteger, type Num } from '../runtime/numbers.js';
import { textOrNull } from '../runtime/text-encodings.js';
import {
  DwObject,
  FunctionValue,
  fieldOf,
  isDec,
  isObjectValue,
  isPlainArray,
  keyList,
  T,
  type Value,
  valueList,
  withoutAnnotations,
} from '../runtime/values.js';
import { absent } from './core-collections.js';

/** Result of `mask` and `update`, which awaits the new value from `with`. */
class Pending extends FunctionValue {
  readonly required = 1;
  readonly accepted = 1;
  constructor(
    readonly name: string,
    private readonly finish: (ev: Evaluation, replacer: FunctionValue) => Value,
  ) {
    super();
  }
  call(ev: Evaluation, replacer: Value): Value {
    return this.finish(ev, replacer as FunctionValue);
  }
  apply(ev: Evaluation, args: Value[]): Value {
    return this.finish(ev, args[0] as FunctionValue);
  }
}

function element(kind: string, selector: Value): DwObject {
  return new DwObject(['kind', 'namespace', 'selector'], [kind, null, selector]);
}

/** Selection of a path step: a field, a position or an attribute. */
interface Selector {
  name: string | number;
  attribute: boolean;
}

/** Selector of a path element, which may be text or a number. */
function selectorOf(step: Value): Selector {
  const plain = isObjectValue(step) ? (fieldOf(step, 'selector') ?? null) : step;
  const attribute = isObjectValue(step) && fieldOf(step, 'kind') === 'Attribute';
  if (typeof plain === 'number' || isDec(plain)) return { name: asInteger(plain as Num) ?? Number.NaN, attribute };
  return { name: textOrNull(plain) ?? '', attribute };
}

/** Whether a value is neither an array nor an object. */
export function isLeaf(value: Value): boolean {
  return !isPlainArray(withoutAnnotations(value)) && !isObjectValue(withoutAnnotations(value));
}

/** Replaces all leaves that the selector matches, at any depth. */
function mask(ev: Evaluation, given: Value, selector: Selector, f: FunctionValue): Value {
  ev.charge(1);
  const value = withoutAnnotations(given);
  const at = (item: Value, key: string | number) => {
    if (selector.attribute && typeof key === 'string')
      return changeAttribute(keepAttributes(item, mask(ev, item, selector, f)), selector.name as string, false, (it) =>
        f.call(ev, it, absent, absent),
      );
    const hit = key === selector.name && !selector.attribute && isLeaf(item);
    return keepAttributes(
      item,
      hit ? f.call(ev, withoutAnnotations(item), absent, absent) : mask(ev, item, selector, f),
    );
  };
  if (isPlainArray(value)) return value.map(at);
  if (!isObjectValue(value)) return value;
  const keys = keyList(value);
  return new DwObject(
    [...keys],
    valueList(value).map((item, i) => at(item, keys[i]!)),
  );
}

function update(ev: Evaluation, given: Value, path: Selector[], f: FunctionValue): Value {
  ev.charge(1);
  const [first, ...rest] = path;
  if (first === undefined) return keepAttributes(given, f.call(ev, withoutAnnotations(given), absent, absent));
  if (first.attribute)
    return changeAttribute(given, first.name as string, false, (it) => f.call(ev, it, absent, absent));
  return keepAttributes(given, updateInside(ev, withoutAnnotations(given), path, first.name, rest, f));
}

function updateInside(
  ev: Evaluation,
  value: Value,
  path: Selector[],
  step: string | number,
  rest: Selector[],
  f: FunctionValue,
): Value {
  if (Array.isArray(value) && typeof step === 'number')
    return value.map((item, i) => (i === step ? update(ev, item, rest, f) : item));
  if (Array.isArray(value)) return value.map((item) => update(ev, item, path, f));
  if (!isObjectValue(value)) return value;
  const keys = keyList(value);
  return new DwObject(
    [...keys],
    valueList(value).map((item, i) => (keys[i] === step ? update(ev, item, rest, f) : item)),
  );
}

function pathOf(path: Value): Selector[] {
  return Array.isArray(path) ? path.map(selectorOf) : [selectorOf(path)];
}

const target = T.Array | T.Object;
const step = T.String | T.Number | T.Object | T.Array | T.Key;

/** Functions of dw::util::Values. */
export const valueFunctions: readonly FunctionDefinition[] = [
  ['field', overload([T.String], (_ev: Evaluation, name: string) => element('Object', name))],
  ['index', overload([T.Number], (_ev: Evaluation, at: Num) => element('Array', at))],
  ['attr', overload([T.String], (_ev: Evaluation, name: string) => element('Attribute', name))],
  [
    'mask',
    overload(
      [target, step],
      (_ev: Evaluation, value: Value, at: Value) => new Pending('mask', (ev, f) => mask(ev, value, selectorOf(at), f)),
    ),
    overload([T.Null, T.Any], () => new Pending('mask', () => null)),
  ],
  [
    'update',
    overload(
      [target, step],
      (_ev: Evaluation, value: Value, path: Value) =>
        new Pending('update', (ev, f) => update(ev, value, pathOf(path), f)),
    ),
    overload([T.Null, T.Any], () => new Pending('update', () => null)),
  ],
];
