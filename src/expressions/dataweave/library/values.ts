import { type Definition, F, overload } from '../dispatch.js';
import { asInteger, type Num } from '../numbers.js';
import type { Run } from '../run.js';
import { textOrNull } from '../text.js';
import {
  bare,
  DwObject,
  FunctionValue,
  fieldOf,
  isDec,
  isObjectValue,
  keyList,
  T,
  type Value,
  valueList,
} from '../values.js';
import { none } from './collections.js';

/** What `mask` and `update` give: waits for `with` to say the new value. */
class Pending extends FunctionValue {
  readonly required = 1;
  readonly accepted = 1;
  constructor(
    readonly name: string,
    private readonly finish: (run: Run, replacer: FunctionValue) => Value,
  ) {
    super();
  }
  call(run: Run, replacer: Value): Value {
    return this.finish(run, replacer as FunctionValue);
  }
  apply(run: Run, args: Value[]): Value {
    return this.finish(run, args[0] as FunctionValue);
  }
}

function element(kind: string, selector: Value): DwObject {
  return new DwObject(['kind', 'namespace', 'selector'], [kind, null, selector]);
}

/** The bare selector of a path element, which may be written as text or number. */
function selectorOf(step: Value): string | number {
  const bare = isObjectValue(step) ? (fieldOf(step, 'selector') ?? null) : step;
  if (typeof bare === 'number' || isDec(bare)) return asInteger(bare as Num) ?? 0;
  return textOrNull(bare) ?? '';
}

/** Replaces the leaves under the selector, wherever they are. */
function mask(run: Run, value: Value, selector: string | number, f: FunctionValue): Value {
  run.charge(1);
  const at = (item: Value, key: string | number) =>
    key === selector && isLeaf(item) ? f.call(run, item, none, none) : mask(run, item, selector, f);
  if (Array.isArray(value)) return value.map(at);
  if (!isObjectValue(value)) return value;
  const keys = keyList(value);
  return new DwObject(
    [...keys],
    valueList(value).map((item, i) => at(item, keys[i]!)),
  );
}

function update(run: Run, value: Value, path: (string | number)[], f: FunctionValue): Value {
  run.charge(1);
  const [step, ...rest] = path;
  if (step === undefined) return f.call(run, value, none, none);
  if (Array.isArray(value) && typeof step === 'number') {
    const at = step < 0 ? value.length + step : step;
    return value.map((item, i) => (i === at ? update(run, item, rest, f) : item));
  }
  if (Array.isArray(value)) return value.map((item) => update(run, item, path, f));
  if (!isObjectValue(value)) return value;
  const keys = keyList(value);
  return new DwObject(
    [...keys],
    valueList(value).map((item, i) => (keys[i] === step ? update(run, item, rest, f) : item)),
  );
}

function pathOf(path: Value): (string | number)[] {
  return Array.isArray(path) ? path.map(selectorOf) : [selectorOf(path)];
}

const target = T.Array | T.Object;
const step = T.String | T.Number | T.Object | T.Array | T.Key;

/** dw::util::Values. */
export const valueFunctions: readonly Definition[] = [
  ['field', overload([T.String], (_run: Run, name: string) => element('Object', name))],
  ['index', overload([T.Number], (_run: Run, at: Num) => element('Array', at))],
  ['attr', overload([T.String], (_run: Run, name: string) => element('Attribute', name))],
  [
    'mask',
    overload(
      [target, step],
      (_run: Run, value: Value, at: Value) => new Pending('mask', (run, f) => mask(run, value, selectorOf(at), f)),
    ),
    overload([T.Null, T.Any], () => new Pending('mask', () => null)),
  ],
  [
    'update',
    overload(
      [target, step],
      (_run: Run, value: Value, path: Value) => new Pending('update', (run, f) => update(run, value, pathOf(path), f)),
    ),
    overload([T.Null, T.Any], () => new Pending('update', () => null)),
  ],
];

const pathKinds: readonly [string, string][] = [
  ['OBJECT_TYPE', 'Object'],
  ['ATTRIBUTE_TYPE', 'Attribute'],
  ['ARRAY_TYPE', 'Array'],
];

/** The constants of dw::util::Tree. */
export const treeConstants: ReadonlyMap<string, Value> = new Map(pathKinds);

function lastKind(path: Value[]): Value {
  const last = path.at(-1) ?? null;
  return isObjectValue(last) ? (fieldOf(last, 'kind') ?? null) : null;
}

function isKind(name: string, kind: string): Definition {
  return [name, overload([T.Array], (_run: Run, path: Value[]) => lastKind(path) === kind)];
}

function expressionString(_run: Run, path: Value[]): Value {
  return path
    .map((it) => {
      const selector = isObjectValue(it) ? (textOrNull(fieldOf(it, 'selector') ?? null) ?? '') : '';
      const kind = isObjectValue(it) ? fieldOf(it, 'kind') : null;
      return kind === 'Array' ? `[${selector}]` : kind === 'Attribute' ? `.@${selector}` : `.${selector}`;
    })
    .join('');
}

function pathElement(kind: string, selector: Value): Value {
  return new DwObject(['kind', 'selector', 'namespace'], [kind, selector, null]);
}

type Visit = (value: Value, path: Value[]) => Value | undefined;

/** A copy where `leaf` maps leaves and `keep` decides which nodes stay. */
function rebuild(
  run: Run,
  given: Value,
  path: Value[],
  visit: { leaf: Visit; keep: (value: Value, path: Value[]) => boolean },
): Value {
  run.charge(1 + path.length);
  const value = bare(given);
  if (Array.isArray(value)) {
    const out: Value[] = [];
    for (const [i, item] of value.entries()) {
      const at = [...path, pathElement('Array', i)];
      if (visit.keep(item, at)) out.push(rebuild(run, item, at, visit));
    }
    return out;
  }
  if (isObjectValue(value)) {
    const out = new DwObject();
    const values = valueList(value);
    for (const [i, key] of keyList(value).entries()) {
      const at = [...path, pathElement('Object', key)];
      if (visit.keep(values[i]!, at)) out.add(key, rebuild(run, values[i]!, at, visit));
    }
    return out;
  }
  const leaf = visit.leaf(value, path);
  return leaf === undefined ? value : leaf;
}

const isLeaf = (value: Value) => !Array.isArray(bare(value)) && !isObjectValue(bare(value));
const same: Visit = () => undefined;

function filterLeafs(name: string, kind: 'Object' | 'Array' | null): Definition {
  return [
    name,
    overload([T.Any, F(2)], (run: Run, value: Value, f: FunctionValue) =>
      rebuild(run, value, [], {
        leaf: same,
        keep: (it, path) => {
          const applies = kind === null || (isLeaf(it) && lastKind(path) === kind);
          return !applies || f.call(run, it, path, none) === true;
        },
      }),
    ),
  ];
}

function nodeExists(run: Run, value: Value, f: FunctionValue): Value {
  const walk = (it: Value, path: Value[]): boolean => {
    run.charge(1 + path.length);
    if ((path.length > 0 || isLeaf(it)) && f.call(run, it, path, none) === true) return true;
    if (Array.isArray(it)) return it.some((item, i) => walk(item, [...path, pathElement('Array', i)]));
    if (!isObjectValue(it)) return false;
    const values = valueList(it);
    return keyList(it).some((key, i) => walk(values[i]!, [...path, pathElement('Object', key)]));
  };
  return walk(value, []);
}

/** dw::util::Tree. */
export const treeFunctions: readonly Definition[] = [
  ['asExpressionString', overload([T.Array], expressionString)],
  isKind('isObjectType', 'Object'),
  isKind('isArrayType', 'Array'),
  isKind('isAttributeType', 'Attribute'),
  [
    'mapLeafValues',
    overload([T.Any, F(2)], (run: Run, value: Value, f: FunctionValue) =>
      rebuild(run, value, [], { leaf: (it, path) => f.call(run, it, path, none), keep: () => true }),
    ),
  ],
  filterLeafs('filterObjectLeafs', 'Object'),
  filterLeafs('filterArrayLeafs', 'Array'),
  filterLeafs('filterTree', null),
  ['nodeExists', overload([T.Any, F(2)], nodeExists)],
];
