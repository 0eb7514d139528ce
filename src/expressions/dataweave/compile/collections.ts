import type { Entry, Item, Node, NodeOf } from '../parse/ast.js';
import { withAttributes } from '../runtime/annotations.js';
import { coercionFault, Fault, typeFault } from '../runtime/fault.js';
import { truth } from '../runtime/operators.js';
import type { Code, Slots } from '../runtime/slots.js';
import { textOrNull } from '../runtime/text.js';
import { bitsOf, DwObject, isObjectValue, keyList, T, typeName, type Value, valueList } from '../runtime/values.js';
import { neverKey } from './check.js';
import type { Compiler } from './compiler.js';
import type { Names } from './names.js';
import { type Typed, typed, unknown } from './typed.js';

/** `[…]`, with items that may depend on a condition. */
export function compileArray(c: Compiler, node: NodeOf<'array'>, names: Names): Typed {
  if (node.items.every((it) => it.condition === null)) {
    let elements = 0;
    let mask: number = T.Array;
    const items = node.items.map((it) => {
      const made = c.compile(it.value, names, null, true);
      if ((made.mask & (made.mask - 1)) === 0) elements |= made.mask;
      if (unknown(made.mask)) mask = T.Any;
      return made.code;
    });
    const code: Code = (ev, slots) => {
      const out: Value[] = new Array(items.length);
      for (let i = 0; i < items.length; i++) out[i] = items[i]!(ev, slots);
      return out;
    };
    return typed(code, mask, elements);
  }
  const items = node.items.map((it) => item(c, it, names));
  return typed((ev, slots) => {
    const out: Value[] = [];
    for (const item of items) item(ev, slots, out);
    return out;
  });
}

function item(c: Compiler, item: Item, names: Names): (ev: Parameters<Code>[0], slots: Slots, out: Value[]) => void {
  const value = c.code(item.value, names, null, true);
  if (!item.condition) return (ev, slots, out) => void out.push(value(ev, slots));
  const test = compileTest(c, item.condition, names);
  return (ev, slots, out) => {
    if (test(ev, slots) === true) out.push(value(ev, slots));
  };
}

function compileTest(c: Compiler, node: Node, names: Names): Code {
  const { code } = c.truthy(node, names);
  return c.located(node, (ev, slots) => truth(code(ev, slots)));
}

/** `{…}`, with fields that may be computed, spread or depend on a condition. */
export function compileObject(c: Compiler, node: NodeOf<'object'>, names: Names): Typed {
  const constant = node.entries.every(
    (it) => it.kind === 'pair' && it.key.kind === 'string' && it.condition === null && it.attributes === null,
  );
  if (constant) {
    const entries = node.entries as Extract<Entry, { kind: 'pair' }>[];
    const keys = entries.map((it) => (it.key as NodeOf<'string'>).value);
    let mask: number = T.Object;
    const values = entries.map((it) => {
      const made = c.compile(it.value, names, null, true);
      if (unknown(made.mask)) mask = T.Any;
      return made.code;
    });
    const code: Code = (ev, slots) => {
      const out: Value[] = new Array(values.length);
      for (let i = 0; i < values.length; i++) out[i] = values[i]!(ev, slots);
      return new DwObject(keys.slice(), out);
    };
    return typed(code, mask);
  }
  const entries = node.entries.map((it) => entry(c, it, names));
  const build: Code = (ev, slots) => {
    const out = new DwObject();
    for (const entry of entries) entry(ev, slots, out);
    return out;
  };
  return typed(node.entries.some((it) => it.kind === 'spread') ? lateCode(build) : build);
}

/** The real engine builds an object with spread fields only when it is read: outside any `default` around it. */
function lateCode(build: Code): Code {
  return (ev, slots) => {
    try {
      return build(ev, slots);
    } catch (error) {
      if (error instanceof Fault) error.late = true;
      throw error;
    }
  };
}

function entry(
  c: Compiler,
  entry: Entry,
  names: Names,
): (ev: Parameters<Code>[0], slots: Slots, out: DwObject) => void {
  if (entry.kind === 'spread') {
    const { code: value, mask } = c.compile(entry.value, names);
    c.refuseIf((mask & (T.Object | T.Array | T.Null)) === 0, entry.value, 'Only objects can be spread into an object');
    const spread = c.located(entry.value, (ev, slots) => spreadable(value(ev, slots)));
    return (ev, slots, out) => {
      for (const object of spread(ev, slots) as Value[]) append(out, object);
      ev.collection(out.size);
    };
  }
  const key = compileKey(c, entry.key, names);
  const plain = c.code(entry.value, names, null, true);
  const attributes = entry.attributes ? c.code(entry.attributes, names) : null;
  const value: Code = attributes
    ? (ev, slots) => withAttributes(plain(ev, slots), attributes(ev, slots) as DwObject)
    : plain;
  if (!entry.condition) return (ev, slots, out) => out.add(key(ev, slots) as string, value(ev, slots));
  const test = compileTest(c, entry.condition, names);
  return (ev, slots, out) => {
    if (test(ev, slots) === true) out.add(key(ev, slots) as string, value(ev, slots));
  };
}

function compileKey(c: Compiler, node: Node, names: Names): Code {
  if (node.kind === 'string') {
    const { value } = node;
    return () => value;
  }
  const { code, mask } = c.compile(node, names);
  c.refuseIf(neverKey(mask), node, 'This cannot be a field name');
  return c.located(node, (ev, slots) => {
    const value = code(ev, slots);
    if (typeof value === 'string') return value;
    const text = (bitsOf(value) & (T.Number | T.Boolean | T.Key)) === 0 ? null : textOrNull(value);
    if (text === null) throw coercionFault(typeName(value), 'Key');
    return text;
  });
}

function spreadable(value: Value): Value[] {
  if (value === null) return [];
  if (isObjectValue(value)) return [value];
  if (Array.isArray(value)) {
    for (const item of value) if (!isObjectValue(item)) throw typeFault('Only objects can be spread into an object');
    return value;
  }
  throw typeFault('Only objects can be spread into an object');
}

function append(out: DwObject, object: Value): void {
  if (!isObjectValue(object)) return;
  const keys = keyList(object);
  const values = valueList(object);
  for (let i = 0; i < keys.length; i++) out.add(keys[i]!, values[i]!);
}
