import type { ArrayItem, Entry, Node, NodeOf } from '../parse/ast.js';
import { withAttributes } from '../runtime/attributes-and-metadata.js';
import { parseTemporalLiteral } from '../runtime/dates/parse-iso.js';
import { coercionFault, Fault, typeFault } from '../runtime/evaluation-fault.js';
import type { CompiledCode, VariableSlots } from '../runtime/evaluation-state.js';
import { parseNumber } from '../runtime/numbers.js';
import { truth } from '../runtime/operators.js';
import { makeRegex, regexProblem } from '../runtime/regex.js';
import { textOrNull, toText } from '../runtime/text-encodings.js';
import { bitsOf, DwObject, isObjectValue, keyList, T, typeName, type Value, valueList } from '../runtime/values.js';
import type { Compiler } from './compiler.js';
import type { NameScope } from './name-scope.js';
import { neverKey, neverText } from './static-type-checks.js';
import { isUnknownType, type TypedCode, typed } from './typed-code.js';

/** Compiles a number literal, keeping all digits. */
export function compileNumber(c: Compiler, node: NodeOf<'number'>): TypedCode {
  let value: Value = null;
  try {
    value = parseNumber(node.text, 1_000);
  } catch {
    value = null;
  }
  if (value === null) throw c.error(node, 'DW_UNSUPPORTED_SYNTAX', 'The number has too many digits');
  return typed(() => value, T.Number);
}

/** Compiles a date, time or period literal (`|…|`). */
export function compileTemporal(c: Compiler, node: NodeOf<'temporal'>): TypedCode {
  const value = parseTemporalLiteral(node.text);
  if (!value) throw c.error(node, 'DW_PARSE_ERROR', 'Not a valid date, time or period');
  return typed(() => value, value.bits);
}

/** Compiles a regular expression literal (`/…/`). */
export function compileRegex(c: Compiler, node: NodeOf<'regex'>): TypedCode {
  const problem = regexProblem(node.source);
  if (problem) throw c.error(node, 'DW_UNSUPPORTED_SYNTAX', problem);
  const value = makeRegex(node.source);
  return typed(() => value, T.Regex);
}

/** Compiles a string with interpolations. */
export function compileTemplate(c: Compiler, node: NodeOf<'template'>, names: NameScope): TypedCode {
  let mask: number = T.String;
  const parts = node.parts.map((part) => {
    const made = c.compile(part, names);
    if (isUnknownType(made.mask)) mask = T.Any;
    c.refuseIf(neverText(made.mask), part, 'This value has no text form');
    return made.code;
  });
  const code = c.located(node, (ev, slots) => {
    let out = '';
    for (const part of parts) {
      const value = part(ev, slots);
      out += typeof value === 'string' ? value : interpolated(value);
    }
    ev.chargeText(out.length);
    return out;
  });
  return typed(code, mask);
}

/** Text of an interpolated value. `default` rescues a missing value, but not one without a text form. */
function interpolated(value: Value): string {
  if (value !== null && textOrNull(value) === null)
    throw new Fault(
      'DW_TYPE_MISMATCH',
      `A value of type ${typeName(value)} has no text form`,
      false,
      'UnsupportedTypeCoercionException',
    );
  return toText(value);
}

/** Compiles an array literal, including conditional items. */
export function compileArray(c: Compiler, node: NodeOf<'array'>, names: NameScope): TypedCode {
  if (node.items.every((it) => it.condition === null)) {
    let elements = 0;
    let mask: number = T.Array;
    const items = node.items.map((it) => {
      const made = c.compile(it.value, names, null, true);
      if ((made.mask & (made.mask - 1)) === 0) elements |= made.mask;
      if (isUnknownType(made.mask)) mask = T.Any;
      return made.code;
    });
    const code: CompiledCode = (ev, slots) => {
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

function item(
  c: Compiler,
  item: ArrayItem,
  names: NameScope,
): (ev: Parameters<CompiledCode>[0], slots: VariableSlots, out: Value[]) => void {
  const value = c.code(item.value, names, null, true);
  if (!item.condition) return (ev, slots, out) => void out.push(value(ev, slots));
  const test = compileTest(c, item.condition, names);
  return (ev, slots, out) => {
    if (test(ev, slots) === true) out.push(value(ev, slots));
  };
}

function compileTest(c: Compiler, node: Node, names: NameScope): CompiledCode {
  const { code } = c.truthy(node, names);
  return c.located(node, (ev, slots) => truth(code(ev, slots)));
}

/** Compiles an object literal, including computed, spread and conditional fields. */
export function compileObject(c: Compiler, node: NodeOf<'object'>, names: NameScope): TypedCode {
  const constant = node.entries.every(
    (it) => it.kind === 'pair' && it.key.kind === 'string' && it.condition === null && it.attributes === null,
  );
  if (constant) {
    const entries = node.entries as Extract<Entry, { kind: 'pair' }>[];
    const keys = entries.map((it) => (it.key as NodeOf<'string'>).value);
    let mask: number = T.Object;
    const values = entries.map((it) => {
      const made = c.compile(it.value, names, null, true);
      if (isUnknownType(made.mask)) mask = T.Any;
      return made.code;
    });
    const code: CompiledCode = (ev, slots) => {
      const out: Value[] = new Array(values.length);
      for (let i = 0; i < values.length; i++) out[i] = values[i]!(ev, slots);
      return new DwObject(keys.slice(), out);
    };
    return typed(code, mask);
  }
  const entries = node.entries.map((it) => entry(c, it, names));
  const build: CompiledCode = (ev, slots) => {
    const out = new DwObject();
    for (const entry of entries) entry(ev, slots, out);
    return out;
  };
  return typed(node.entries.some((it) => it.kind === 'spread') ? lateCode(build) : build);
}

/** The reference engine builds an object with spread fields lazily, outside any `default` around it. */
function lateCode(build: CompiledCode): CompiledCode {
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
  names: NameScope,
): (ev: Parameters<CompiledCode>[0], slots: VariableSlots, out: DwObject) => void {
  if (entry.kind === 'spread') {
    const { code: value, mask } = c.compile(entry.value, names);
    c.refuseIf((mask & (T.Object | T.Array | T.Null)) === 0, entry.value, 'Only objects can be spread into an object');
    const spread = c.located(entry.value, (ev, slots) => spreadable(value(ev, slots)));
    return (ev, slots, out) => {
      for (const object of spread(ev, slots) as Value[]) append(out, object);
      ev.chargeCollection(out.size);
    };
  }
  const key = compileKey(c, entry.key, names);
  const plain = c.code(entry.value, names, null, true);
  const attributes = entry.attributes ? c.code(entry.attributes, names) : null;
  const value: CompiledCode = attributes
    ? (ev, slots) => withAttributes(plain(ev, slots), attributes(ev, slots) as DwObject)
    : plain;
  if (!entry.condition) return (ev, slots, out) => out.add(key(ev, slots) as string, value(ev, slots));
  const test = compileTest(c, entry.condition, names);
  return (ev, slots, out) => {
    if (test(ev, slots) === true) out.add(key(ev, slots) as string, value(ev, slots));
  };
}

function compileKey(c: Compiler, node: Node, names: NameScope): CompiledCode {
  if (node.kind === 'string') {
    const { value } = node;
    return () => value;
  }
  const { code, mask } = c.compile(node, names);
  c.refuseIf(neverKey(mask), node, 'This value cannot be used as a field name');
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
