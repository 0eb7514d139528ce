import { attributesOf, withAttributes } from '../runtime/annotations.js';
import { type Definition, F, overload } from '../runtime/dispatch.js';
import type { Evaluation } from '../runtime/evaluation.js';
import { textOrNull } from '../runtime/text.js';
import {
  bare,
  DwObject,
  type FunctionValue,
  fieldOf,
  isObjectValue,
  keyList,
  T,
  type Value,
  valueList,
} from '../runtime/values.js';
import { none } from './collections.js';
import { isLeaf } from './values.js';

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

/** A copy in which `leaf` maps the leaves and `keep` decides which nodes stay. */
function rebuild(ev: Evaluation, given: Value, path: Value[], visit: Visitor): Value {
  ev.charge(1 + path.length);
  const value = bare(given);
  if (Array.isArray(value)) {
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
      if (!visit.keep(bare(values[i]!), at)) continue;
      const made = rebuild(ev, values[i]!, at, visit);
      const attributes = attributesOf(values[i]!);
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

function filterLeafs(name: string, kind: 'Object' | 'Array' | null): Definition {
  return [
    name,
    overload([T.Any, F(2)], (ev: Evaluation, value: Value, f: FunctionValue) =>
      rebuild(ev, value, [], {
        leaf: same,
        keep: (it, path) => {
          const last = lastKind(path) === 'Attribute' ? 'Object' : lastKind(path);
          const applies = kind === null || (isLeaf(it) && last === kind);
          return !applies || f.call(ev, it, path, none) === true;
        },
      }),
    ),
  ];
}

function nodeExists(ev: Evaluation, value: Value, f: FunctionValue): Value {
  const walk = (it: Value, path: Value[]): boolean => {
    ev.charge(1 + path.length);
    if ((path.length > 0 || isLeaf(it)) && f.call(ev, it, path, none) === true) return true;
    if (Array.isArray(it)) return it.some((item, i) => walk(bare(item), [...path, pathElement('Array', i)]));
    if (!isObjectValue(it)) return false;
    const values = valueList(it);
    return keyList(it).some((key, i) => {
      const attributes = attributesOf(values[i]!);
      const found = attributes?.keys.some(
        (name, j) => f.call(ev, attributes.values[j]!, [...path, pathElement('Attribute', name)], none) === true,
      );
      return found || walk(bare(values[i]!), [...path, pathElement('Object', key)]);
    });
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
    overload([T.Any, F(2)], (ev: Evaluation, value: Value, f: FunctionValue) =>
      rebuild(ev, value, [], { leaf: (it, path) => f.call(ev, it, path, none), keep: () => true }),
    ),
  ],
  filterLeafs('filterObjectLeafs', 'Object'),
  filterLeafs('filterArrayLeafs', 'Array'),
  filterLeafs('filterTree', null),
  ['nodeExists', overload([T.Any, F(2)], nodeExists)],
];
