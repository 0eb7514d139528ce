import { valueAttributes, withAttributes } from '../runtime/attributes-and-metadata.js';
import { equalValues } from '../runtime/equality-and-order.js';
import { Fault } from '../runtime/evaluation-fault.js';
import type { Evaluation } from '../runtime/evaluation-state.js';
import { type FunctionDefinition, functionType, overload } from '../runtime/library-function-overloads.js';
import { textOrNull } from '../runtime/text-encodings.js';
import { maxResultDepth } from '../runtime/to-json.js';
import {
  DwObject,
  type FunctionValue,
  fieldOf,
  isObjectValue,
  isPlainArray,
  keyList,
  T,
  typeName,
  type Value,
  valueList,
  withoutAnnotations,
} from '../runtime/values.js';
import { absent, type Obj } from './core-collections.js';
import { isLeaf } from './mask-and-update.js';
import { dwText } from './read-and-write.js';

const pathKinds: readonly [string, string][] = [
  ['OBJECT_TYPE', 'Object'],
  ['ATTRIBUTE_TYPE', 'Attribute'],
  ['ARRAY_TYPE', 'Array'],
];

/** Constants of dw::util::Tree. */
export const treeConstants: ReadonlyMap<string, Value> = new Map(pathKinds);

function lastKind(path: Value[]): Value {
  const last = path.at(-1) ?? null;
  return isObjectValue(last) ? (fieldOf(last, 'kind') ?? null) : null;
}

function isKind(name: string, kind: string): FunctionDefinition {
  return [name, overload([T.Array], (_ev: Evaluation, path: Value[]) => lastKind(path) === kind)];
}

function expressionString(_ev: Evaluation, path: Value[]): Value {
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

interface Visitor {
  leaf: Visit;
  keep: (value: Value, path: Value[]) => boolean;
}

/** Copies a value; `leaf` maps the leaves and `keep` filters the nodes. */
function rebuild(ev: Evaluation, given: Value, path: Value[], visit: Visitor): Value {
  ev.charge(1 + path.length);
  const value = withoutAnnotations(given);
  if (isPlainArray(value)) {
    const out: Value[] = [];
    for (const [i, item] of value.entries()) {
      const at = [...path, pathElement('Array', i)];
      if (visit.keep(item, at)) out.push(rebuild(ev, item, at, visit));
    }
    return out;
  }
  if (isObjectValue(value)) {
    const out = new DwObject();
    const values = valueList(value);
    for (const [i, key] of keyList(value).entries()) {
      const at = [...path, pathElement('Object', key)];
      if (!visit.keep(withoutAnnotations(values[i]!), at)) continue;
      const made = rebuild(ev, values[i]!, at, visit);
      const attributes = valueAttributes(values[i]!);
      out.add(key, attributes ? withAttributes(made, rebuiltAttributes(ev, attributes, path, visit)) : made);
    }
    return out;
  }
  const leaf = visit.leaf(value, path);
  return leaf === undefined ? value : leaf;
}

function rebuiltAttributes(ev: Evaluation, attributes: DwObject, path: Value[], visit: Visitor): DwObject {
  ev.charge(attributes.size);
  const out = new DwObject();
  for (const [i, key] of attributes.keys.entries()) {
    const at = [...path, pathElement('Attribute', key)];
    const value = attributes.values[i]!;
    if (visit.keep(value, at)) out.add(key, visit.leaf(value, at) ?? value);
  }
  return out;
}

const same: Visit = () => undefined;

function filterLeafs(name: string, kind: 'Object' | 'Array' | null): FunctionDefinition {
  return [
    name,
    overload([T.Any, functionType(2)], (ev: Evaluation, value: Value, f: FunctionValue) =>
      rebuild(ev, value, [], {
        leaf: same,
        keep: (it, path) => {
          const last = lastKind(path) === 'Attribute' ? 'Object' : lastKind(path);
          const applies = kind === null || (isLeaf(it) && last === kind);
          return !applies || f.call(ev, it, path, absent) === true;
        },
      }),
    ),
  ];
}

function nodeExists(ev: Evaluation, value: Value, f: FunctionValue): Value {
  const walk = (it: Value, path: Value[]): boolean => {
    ev.charge(1 + path.length);
    if ((path.length > 0 || isLeaf(it)) && f.call(ev, it, path, absent) === true) return true;
    if (isPlainArray(it))
      return it.some((item, i) => walk(withoutAnnotations(item), [...path, pathElement('Array', i)]));
    if (!isObjectValue(it)) return false;
    const values = valueList(it);
    return keyList(it).some((key, i) => {
      const attributes = valueAttributes(values[i]!);
      const found = attributes?.keys.some(
        (name, j) => f.call(ev, attributes.values[j]!, [...path, pathElement('Attribute', name)], absent) === true,
      );
      return found || walk(withoutAnnotations(values[i]!), [...path, pathElement('Object', key)]);
    });
  };
  return walk(value, []);
}

/** Functions of dw::util::Tree. */
export const treeFunctions: readonly FunctionDefinition[] = [
  ['asExpressionString', overload([T.Array], expressionString)],
  isKind('isObjectType', 'Object'),
  isKind('isArrayType', 'Array'),
  isKind('isAttributeType', 'Attribute'),
  [
    'mapLeafValues',
    overload([T.Any, functionType(2)], (ev: Evaluation, value: Value, f: FunctionValue) =>
      rebuild(ev, value, [], { leaf: (it, path) => f.call(ev, it, path, absent), keep: () => true }),
    ),
  ],
  filterLeafs('filterObjectLeafs', 'Object'),
  filterLeafs('filterArrayLeafs', 'Array'),
  filterLeafs('filterTree', null),
  ['nodeExists', overload([T.Any, functionType(2)], nodeExists)],
];

/** Compares two values part by part; differences come in reverse order, as in the reference library. */
class Comparison {
  readonly found: Value[] = [];
  constructor(
    private readonly ev: Evaluation,
    private readonly unordered: boolean,
  ) {}

  private report(path: string, expected: string, actual: string): void {
    this.found.unshift(new DwObject(['expected', 'actual', 'path'], [expected, actual, path]));
    this.ev.chargeCollection(this.found.length);
  }

  compare(actual: Value, expected: Value, path: string, depth = 0): void {
    this.ev.charge(4);
    if (depth > maxResultDepth)
      throw new Fault('DW_MAX_RESULT_SIZE_EXCEEDED', `The value nests deeper than ${maxResultDepth}`);
    if (isObjectValue(expected)) {
      if (isObjectValue(actual)) this.objects(actual, expected, path, depth + 1);
      else this.report(path, 'Object type', `${typeName(actual)} type`);
    } else if (isPlainArray(expected)) {
      if (isPlainArray(actual)) this.arrays(actual, expected, path, depth + 1);
      else this.report(path, 'Array type', `${typeName(actual)} type`);
    } else if (!equalValues(this.ev, actual, expected)) {
      this.report(path, dwText(this.ev, expected), dwText(this.ev, actual));
    }
  }

  private arrays(actual: Value[], expected: Value[], path: string, depth: number): void {
    if (actual.length !== expected.length)
      this.report(path, `Array size is ${expected.length}`, `was ${actual.length}`);
    else for (const [i, item] of expected.entries()) this.compare(actual[i]!, item, `${path}[${i}]`, depth);
  }

  private objects(actual: Obj, expected: Obj, path: string, depth: number): void {
    const [keys, others] = [keyList(expected), keyList(actual)];
    const [values, otherValues] = [valueList(expected), valueList(actual)];
    if (keys.length !== others.length) {
      this.report(path, `Object size is ${keys.length}`, String(others.length));
      return;
    }
    const seen = new Map<string, number>();
    for (const [i, key] of keys.entries()) {
      const inner = `${path}.${key}`;
      this.ev.charge(1 + (this.unordered ? others.length : 0));
      const nth = seen.get(key) ?? 0;
      seen.set(key, nth + 1);
      const at = this.unordered ? nthIndex(others, key, nth) : others[i] === key ? i : -1;
      if (at !== -1) this.compare(otherValues[at]!, values[i]!, inner, depth);
      else this.report(inner, `Entry ${inner} with type ${typeName(values[i]!)}`, 'was not present in object.');
    }
  }
}

function nthIndex(keys: readonly string[], key: string, nth: number): number {
  let at = keys.indexOf(key);
  for (let i = 0; i < nth && at !== -1; i++) at = keys.indexOf(key, at + 1);
  return at;
}

function diff(ev: Evaluation, actual: Value, expected: Value, options: Value = null, path = '(root)'): Value {
  const unordered = isObjectValue(options) && fieldOf(options, 'unordered') === true;
  const comparison = new Comparison(ev, unordered);
  comparison.compare(actual, expected, path);
  return new DwObject(['matches', 'diffs'], [comparison.found.length === 0, comparison.found]);
}

/** Functions of dw::util::Diff. */
export const diffFunctions: readonly FunctionDefinition[] = [
  ['diff', overload([T.Any, T.Any, T.Object, T.String], diff, 2)],
];
