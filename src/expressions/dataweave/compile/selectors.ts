import type { Node, NodeOf } from '../parse/ast.js';
import { selectAttributes, selectMetadata } from '../runtime/attributes-and-metadata.js';
import { coerceTo } from '../runtime/coercion.js';
import { Fault, withPosition } from '../runtime/evaluation-fault.js';
import type { CompiledCode, Evaluation, VariableSlots } from '../runtime/evaluation-state.js';
import type { Num } from '../runtime/numbers.js';
import { truth } from '../runtime/operators.js';
import { descend, selectAll, selectAt, selectField, selectPairs, sliceBetween } from '../runtime/selectors.js';
import { toText } from '../runtime/text-encodings.js';
import {
  Annotated,
  bitsOf,
  DwObject,
  isObjectValue,
  Key,
  keyList,
  T,
  type Value,
  valueList,
} from '../runtime/values.js';
import type { Compiler } from './compiler.js';
import { NameScope } from './name-scope.js';
import { neverSelectable } from './static-type-checks.js';

type Finder = (ev: Evaluation, slots: VariableSlots) => Value | undefined;

/** Target of a selector and its possible types. */
interface Target {
  readonly find: Finder;
  readonly mask: number;
}

/** Compiles the target of a selector. If an inner selector finds nothing, so does the whole chain. */
function targetOf(c: Compiler, node: Node, names: NameScope): Target {
  if (node.kind === 'select' || node.kind === 'index') {
    c.countNode();
    return { find: finder(c, node, names), mask: T.Any };
  }
  const { code, mask } = c.compile(node, names);
  return { find: node.kind === 'where' ? (ev, slots) => code(ev, slots) ?? undefined : code, mask };
}

/** Compiles the lookup itself. It returns undefined when nothing is found, so that `?` and `!` can distinguish that from null. */
function finder(c: Compiler, node: NodeOf<'select'> | NodeOf<'index'>, names: NameScope): Finder {
  const target = targetOf(c, node.target, names);
  if (node.kind === 'index') return indexFinder(c, node, target, names);
  const { find, mask } = target;
  c.refuseIf(neverSelectable(mask), node, 'This value has no fields');
  const { op } = node;
  if (node.key === null) return chained(find, (ev, _frame, value) => descend(ev, value, null, op));
  if (node.key.kind === 'string') {
    const key = node.key.value;
    if (op === '.') return chained(find, (ev, _frame, value) => selectField(ev, value, key));
    return chained(find, (ev, _frame, value) => byName(ev, value, key, op));
  }
  const key = c.code(node.key, names);
  return chained(find, (ev, slots, value) => byName(ev, value, toText(key(ev, slots)), op));
}

function chained(
  target: Finder,
  next: (ev: Evaluation, slots: VariableSlots, value: Value) => Value | undefined,
): Finder {
  return (ev, slots) => {
    const value = target(ev, slots);
    return value === undefined ? undefined : next(ev, slots, value);
  };
}

function byName(ev: Evaluation, value: Value, key: string, op: NodeOf<'select'>['op']): Value | undefined {
  if (op === '.') return selectField(ev, value, key);
  if (op === '.*') return selectAll(ev, value, key);
  if (op === '.&') return selectPairs(ev, value, key);
  return descend(ev, value, key, op);
}

function indexFinder(c: Compiler, node: NodeOf<'index'>, { find, mask }: Target, names: NameScope): Finder {
  const range = literalRange(node.index);
  if (range && node.op === '') {
    const from = c.code(range[0], names);
    const to = c.code(range[1], names);
    return chained(find, (ev, slots, value) => {
      const [a, b] = [coerceTo(ev, from(ev, slots), T.Number), coerceTo(ev, to(ev, slots), T.Number)];
      return sliceBetween(ev, value, a as Num, b as Num);
    });
  }
  if (node.index.kind === 'string' && node.op === '') {
    const key = node.index.value;
    return chained(find, (ev, _frame, value) => selectField(ev, value, key));
  }
  const { code: index, mask: by } = c.compile(node.index, names);
  c.refuseIf(by === T.Null && mask === T.Array, node, 'Null cannot be used as a selector');
  if (node.op === '*') return chained(find, (ev, slots, value) => selectAll(ev, value, toText(index(ev, slots))));
  if (node.op === '&') return chained(find, (ev, slots, value) => selectPairs(ev, value, toText(index(ev, slots))));
  return chained(find, (ev, slots, value) => selectAt(ev, value, index(ev, slots)));
}

/** Bounds of a range written directly inside the brackets, which need not be built. */
function literalRange(node: Node): [Node, Node] | null {
  if (node.kind !== 'call' || !node.infix || node.callee.kind !== 'name' || node.callee.name !== 'to') return null;
  return [node.args[0]!, node.args[1]!];
}

/** Compiles `x.name` and similar selectors. */
export function compileSelect(c: Compiler, node: NodeOf<'select'>, names: NameScope): CompiledCode {
  if (node.op === '.' && node.key?.kind === 'string') return compileField(c, node, node.key.value, names);
  const find = finder(c, node, names);
  return c.located(node, (ev, slots) => find(ev, slots) ?? null);
}

/** Compiles `x.name`, by far the most common selector, in as few steps as possible. */
function compileField(c: Compiler, node: NodeOf<'select'>, key: string, names: NameScope): CompiledCode {
  const { find: target, mask } = targetOf(c, node.target, names);
  c.refuseIf(neverSelectable(mask), node, 'This value has no fields');
  const { start, end } = node;
  return (ev, slots) => {
    try {
      const value = target(ev, slots);
      return (value === undefined ? undefined : selectField(ev, value, key)) ?? null;
    } catch (error) {
      throw withPosition(error, start, end);
    }
  };
}

/** Compiles `x[…]`. */
export function compileIndex(c: Compiler, node: NodeOf<'index'>, names: NameScope): CompiledCode {
  const find = finder(c, node, names);
  return c.located(node, (ev, slots) => find(ev, slots) ?? null);
}

/** Metadata of every host binding: JSON. */
const inputMetadata = new DwObject(['raw', 'encoding', 'mediaType'], [null, 'UTF-8', 'application/json']);

function annotationFinder(c: Compiler, node: NodeOf<'annotation'>, names: NameScope): Finder {
  const { target: of } = node;
  const isInput = of.kind === 'name' && !names.find(of.name) && c.bindings.has(of.name);
  const compiled = c.code(of, names, null, true);
  const target: CompiledCode = isInput
    ? (ev, slots) => new Annotated(compiled(ev, slots), null, inputMetadata)
    : compiled;
  const key = node.key ? c.code(node.key, names) : null;
  const { op } = node;
  return (ev, slots) => {
    const name = key ? toText(key(ev, slots)) : null;
    const value = target(ev, slots);
    return op === '.^' ? selectMetadata(value, name) : selectAttributes(ev, value, name, op);
  };
}

/** Compiles `x.@name` and `x.^name`. */
export function compileAnnotation(c: Compiler, node: NodeOf<'annotation'>, names: NameScope): CompiledCode {
  const find = annotationFinder(c, node, names);
  return c.located(node, (ev, slots) => find(ev, slots) ?? null);
}

/** Compiles `x.a?`, which tests whether the entry exists, and `x.a!`, which requires it. */
export function compileExists(c: Compiler, node: NodeOf<'exists'> | NodeOf<'assert'>, names: NameScope): CompiledCode {
  const { target } = node;
  if (target.kind === 'assert') return c.code(target, names);
  if (target.kind === 'annotation' || target.kind === 'where') {
    const find = target.kind === 'where' ? targetOf(c, target, names).find : annotationFinder(c, target, names);
    if (node.kind === 'exists') return c.located(node, (ev, slots) => find(ev, slots) !== undefined);
    return c.located(node, (ev, slots) => {
      const value = find(ev, slots);
      if (value === undefined)
        throw new Fault('DW_FIELD_NOT_FOUND', 'The selector found nothing', false, 'KeyNotFoundException');
      return value;
    });
  }
  if (target.kind !== 'select' && target.kind !== 'index')
    throw c.error(node, 'DW_PARSE_ERROR', "'?' and '!' require a selector");
  const find = node.kind === 'assert' ? insisting(c, target, names) : finder(c, target, names);
  if (node.kind === 'exists') return c.located(node, (ev, slots) => find(ev, slots) !== undefined);
  return c.located(node, (ev, slots) => find(ev, slots) as Value);
}

/** Applies `!` to all selectors before it, not only to the last one. */
function insisting(c: Compiler, node: NodeOf<'select'> | NodeOf<'index'>, names: NameScope): Finder {
  const { target } = node;
  const strict = target.kind === 'select' || target.kind === 'index' ? insisting(c, target, names) : null;
  const inner = finder(c, node, names);
  const what = node.kind === 'select' && node.key?.kind === 'string' ? `key named '${node.key.value}'` : 'entry';
  return c.located(node, (ev, slots) => {
    strict?.(ev, slots);
    const value = inner(ev, slots);
    if (value === undefined)
      throw new Fault(
        node.kind === 'index' ? 'DW_INDEX_OUT_OF_BOUNDS' : 'DW_FIELD_NOT_FOUND',
        `There is no ${what}`,
        false,
        node.kind === 'index' && node.index.kind !== 'string' ? 'IndexOutOfBoundsException' : 'KeyNotFoundException',
      );
    return value;
  });
}

/**
 * Compiles `x[?( … )]`: the items or pairs that meet the condition, or null without any. The reference engine looks for the first at once
 * and for the others late.
 */
export function compileWhere(c: Compiler, node: NodeOf<'where'>, names: NameScope): CompiledCode {
  const target = c.code(node.target, names);
  const inner = new NameScope(names.layout, names);
  const item = inner.declare('$');
  const key = inner.declare('$$');
  const test = c.code(node.condition, inner);
  return c.located(node, (ev, slots) => {
    const value = target(ev, slots);
    let found = false;
    const holds = (it: Value, at: Value) => {
      ev.charge(4);
      slots[item] = it;
      slots[key] = at;
      try {
        const held = truth(test(ev, slots));
        found ||= held;
        return held;
      } catch (error) {
        if (error instanceof Fault) error.late = found;
        throw error;
      }
    };
    if (Array.isArray(value)) {
      const items = value.filter((it, i) => holds(it, i));
      return found ? items : null;
    }
    if (isObjectValue(value)) {
      const out = new DwObject();
      const values = valueList(value);
      for (const [i, name] of keyList(value).entries()) if (holds(values[i]!, new Key(name))) out.add(name, values[i]!);
      return found ? out : null;
    }
    if (bitsOf(value) === T.Null) return null;
    throw new Fault('DW_TYPE_MISMATCH', 'Only an array or an object can be filtered');
  });
}
