import type { Node, NodeOf } from '../parse/ast.js';
import { selectAttributes, selectMetadata } from '../runtime/annotations.js';
import { coerceTo } from '../runtime/coerce.js';
import type { Run } from '../runtime/evaluation.js';
import { at, Fault } from '../runtime/fault.js';
import type { Num } from '../runtime/numbers.js';
import { truth } from '../runtime/operators.js';
import { descend, select, selectAll, selectAt, selectPairs, sliceBetween } from '../runtime/selectors.js';
import { toText } from '../runtime/text.js';
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
import { neverSelectable } from './check.js';
import type { Compiler } from './compiler.js';
import { type Code, type Frame, Scope } from './names.js';

type Finder = (run: Run, frame: Frame) => Value | undefined;

/** What is selected from. Where an inner selector finds nothing, so does the whole chain. */
function targetOf(c: Compiler, node: Node, scope: Scope): Finder {
  if (node.kind === 'where') {
    const where = c.compile(node, scope);
    return (run, frame) => where(run, frame) ?? undefined;
  }
  if (node.kind !== 'select' && node.kind !== 'index') return c.compile(node, scope);
  c.count++;
  const find = finder(c, node, scope);
  c.mask = T.Any;
  return find;
}

/** The selection itself: undefined where there is nothing, which `?` and `!` can tell from null. */
function finder(c: Compiler, node: NodeOf<'select'> | NodeOf<'index'>, scope: Scope): Finder {
  const target = targetOf(c, node.target, scope);
  c.refuseIf(node.kind === 'select' && neverSelectable(c.mask), node, 'This value has no fields');
  if (node.kind === 'index') return indexFinder(c, node, target, scope);
  const { op } = node;
  if (node.key === null) return chained(target, (run, _frame, value) => descend(run, value, null, op));
  if (node.key.kind === 'string') {
    const key = node.key.value;
    if (op === '.') return chained(target, (run, _frame, value) => select(run, value, key));
    return chained(target, (run, _frame, value) => byName(run, value, key, op));
  }
  const key = c.compile(node.key, scope);
  return chained(target, (run, frame, value) => byName(run, value, toText(key(run, frame)), op));
}

function chained(target: Finder, next: (run: Run, frame: Frame, value: Value) => Value | undefined): Finder {
  return (run, frame) => {
    const value = target(run, frame);
    return value === undefined ? undefined : next(run, frame, value);
  };
}

function byName(run: Run, value: Value, key: string, op: NodeOf<'select'>['op']): Value | undefined {
  if (op === '.') return select(run, value, key);
  if (op === '.*') return selectAll(run, value, key);
  if (op === '.&') return selectPairs(run, value, key);
  return descend(run, value, key, op);
}

function indexFinder(c: Compiler, node: NodeOf<'index'>, target: Finder, scope: Scope): Finder {
  const targetMask = c.mask;
  const range = literalRange(node.index);
  if (range && node.op === '') {
    const from = c.compile(range[0], scope);
    const to = c.compile(range[1], scope);
    return chained(target, (run, frame, value) => {
      const [a, b] = [coerceTo(run, from(run, frame), T.Number), coerceTo(run, to(run, frame), T.Number)];
      return sliceBetween(run, value, a as Num, b as Num);
    });
  }
  if (node.index.kind === 'string' && node.op === '') {
    const key = node.index.value;
    return chained(target, (run, _frame, value) => select(run, value, key));
  }
  const index = c.compile(node.index, scope);
  c.refuseIf(c.mask === T.Null && targetMask === T.Array, node, 'Null selects nothing');
  if (node.op === '*') return chained(target, (run, frame, value) => selectAll(run, value, toText(index(run, frame))));
  if (node.op === '&')
    return chained(target, (run, frame, value) => selectPairs(run, value, toText(index(run, frame))));
  return chained(target, (run, frame, value) => selectAt(run, value, index(run, frame)));
}

/** The bounds of a range written inside the brackets: it is never built. */
function literalRange(node: Node): [Node, Node] | null {
  if (node.kind !== 'call' || !node.infix || node.callee.kind !== 'name' || node.callee.name !== 'to') return null;
  return [node.args[0]!, node.args[1]!];
}

export function compileSelect(c: Compiler, node: NodeOf<'select'>, scope: Scope): Code {
  if (node.op === '.' && node.key?.kind === 'string') return compileField(c, node, node.key.value, scope);
  const find = finder(c, node, scope);
  return c.located(node, (run, frame) => find(run, frame) ?? null);
}

/** `x.name`, the most common selector by far, in as few steps as possible. */
function compileField(c: Compiler, node: NodeOf<'select'>, key: string, scope: Scope): Code {
  const target = targetOf(c, node.target, scope);
  c.refuseIf(neverSelectable(c.mask), node, 'This value has no fields');
  const { start, end } = node;
  return (run, frame) => {
    try {
      const value = target(run, frame);
      return (value === undefined ? undefined : select(run, value, key)) ?? null;
    } catch (error) {
      throw at(error, start, end);
    }
  };
}

export function compileIndex(c: Compiler, node: NodeOf<'index'>, scope: Scope): Code {
  const find = finder(c, node, scope);
  return c.located(node, (run, frame) => find(run, frame) ?? null);
}

/** What there is to say about anything bound from outside: it is JSON. */
const inputMetadata = new DwObject(['raw', 'encoding', 'mediaType'], [null, 'UTF-8', 'application/json']);

function annotationFinder(c: Compiler, node: NodeOf<'annotation'>, scope: Scope): Finder {
  const { target: of } = node;
  const isInput = of.kind === 'name' && !scope.find(of.name) && (c.bindings?.has(of.name) ?? false);
  const compiled = c.compile(of, scope, null, true);
  const target: Code = isInput ? (run, frame) => new Annotated(compiled(run, frame), null, inputMetadata) : compiled;
  const key = node.key ? c.compile(node.key, scope) : null;
  const { op } = node;
  return (run, frame) => {
    const name = key ? toText(key(run, frame)) : null;
    const value = target(run, frame);
    return op === '.^' ? selectMetadata(value, name) : selectAttributes(run, value, name, op);
  };
}

/** `x.@name` and `x.^name`. */
export function compileAnnotation(c: Compiler, node: NodeOf<'annotation'>, scope: Scope): Code {
  const find = annotationFinder(c, node, scope);
  return c.located(node, (run, frame) => find(run, frame) ?? null);
}

/** `x.a?` says whether there is such an entry, `x.a!` insists on it. */
export function compileExists(c: Compiler, node: NodeOf<'exists'> | NodeOf<'assert'>, scope: Scope): Code {
  const { target } = node;
  if (target.kind === 'assert') return c.compile(target, scope);
  if (target.kind === 'annotation' || target.kind === 'where') {
    const find = target.kind === 'where' ? targetOf(c, target, scope) : annotationFinder(c, target, scope);
    if (node.kind === 'exists') return c.located(node, (run, frame) => find(run, frame) !== undefined);
    return c.located(node, (run, frame) => {
      const value = find(run, frame);
      if (value === undefined)
        throw new Fault('DW_FIELD_NOT_FOUND', 'There is nothing like that', false, 'KeyNotFoundException');
      return value;
    });
  }
  if (target.kind !== 'select' && target.kind !== 'index')
    throw c.error(node, 'DW_PARSE_ERROR', 'Only a selector can be checked');
  const find = node.kind === 'assert' ? insisting(c, target, scope) : finder(c, target, scope);
  if (node.kind === 'exists') return c.located(node, (run, frame) => find(run, frame) !== undefined);
  return c.located(node, (run, frame) => find(run, frame) as Value);
}

/** All selectors before a `!` insist, not only the last one. */
function insisting(c: Compiler, node: NodeOf<'select'> | NodeOf<'index'>, scope: Scope): Finder {
  const { target } = node;
  const strict = target.kind === 'select' || target.kind === 'index' ? insisting(c, target, scope) : null;
  const inner = finder(c, node, scope);
  const what = node.kind === 'select' && node.key?.kind === 'string' ? `key named '${node.key.value}'` : 'entry';
  return c.located(node, (run, frame) => {
    strict?.(run, frame);
    const value = inner(run, frame);
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

/** `x[?( … )]`: the items or pairs for which the condition holds; null if none. */
export function compileWhere(c: Compiler, node: NodeOf<'where'>, scope: Scope): Code {
  const target = c.compile(node.target, scope);
  const inner = new Scope(scope.fn, scope);
  const item = inner.declare('$');
  const key = inner.declare('$$');
  const test = c.compile(node.condition, inner);
  return c.located(node, (run, frame) => {
    const value = target(run, frame);
    const holds = (it: Value, at: Value) => {
      run.charge(4);
      frame[item] = it;
      frame[key] = at;
      return truth(test(run, frame));
    };
    if (Array.isArray(value)) {
      const found = value.filter((it, i) => holds(it, i));
      return found.length === 0 ? null : found;
    }
    if (isObjectValue(value)) {
      const out = new DwObject();
      const values = valueList(value);
      for (const [i, name] of keyList(value).entries()) if (holds(values[i]!, new Key(name))) out.add(name, values[i]!);
      return out.size === 0 ? null : out;
    }
    if (bitsOf(value) === T.Null) return null;
    throw new Fault('DW_TYPE_MISMATCH', 'Only an array or an object can be filtered');
  });
}
