import { emptyObject, type Json } from '../../json/value.js';
import { formatTemporal } from './dates/format.js';
import { Temporal } from './dates/values.js';
import { coercionFault, Fault } from './fault.js';
import { numberText } from './numbers.js';
import type { Run } from './run.js';
import { textOrNull } from './text.js';
import { isDec, isObjectValue, keyList, Tagged, typeName, type Value, valueList } from './values.js';

const maxDepth = 500;

/** The text that stands for a value JSON has no type for. */
function scalarText(value: Value): string {
  if (value instanceof Temporal && value.format !== null) return formatTemporal(value, value.format);
  const text = textOrNull(value);
  if (text === null) throw coercionFault(typeName(value), 'String');
  return text;
}

/** Plain JSON: duplicate keys collapse, the last value wins at the first position; numbers become doubles. */
export function toJson(run: Run, value: Value): Json {
  let budget = run.limits.outputBytes;
  const pay = (bytes: number) => {
    budget -= bytes;
    if (budget < 0)
      throw new Fault('DW_MAX_RESULT_SIZE_EXCEEDED', `The result is larger than ${run.limits.outputBytes} bytes`);
  };
  const walk = (it: Value, depth: number): Json => {
    if (typeof it === 'string') {
      pay(it.length + 2);
      return it;
    }
    pay(4);
    if (it === null || typeof it === 'boolean') return it;
    if (typeof it === 'number') return it;
    if (depth > maxDepth) throw new Fault('DW_MAX_RESULT_SIZE_EXCEEDED', `The result nests deeper than ${maxDepth}`);
    if (Array.isArray(it)) {
      const items: Json[] = new Array(it.length);
      for (let i = 0; i < it.length; i++) items[i] = walk(it[i]!, depth + 1);
      return items;
    }
    if (isDec(it)) {
      const n = it.toNumber();
      if (!Number.isFinite(n)) throw new Fault('DW_MAX_RESULT_SIZE_EXCEEDED', 'The number is too large for JSON');
      return n;
    }
    if (it instanceof Tagged && !isObjectValue(it)) {
      const text = scalarText(it);
      pay(text.length);
      return text;
    }
    const out = emptyObject();
    const keys = keyList(it as Parameters<typeof keyList>[0]);
    const values = valueList(it as Parameters<typeof valueList>[0]);
    for (let i = 0; i < keys.length; i++) {
      pay(keys[i]!.length + 3);
      out[keys[i]!] = walk(values[i]!, depth + 1);
    }
    return out;
  };
  return walk(value, 0);
}

/** JSON text as the real engine writes it: two spaces, all digits, duplicate keys kept. */
export function jsonText(run: Run, value: Value, compact = false): string {
  const walk = (it: Value, indent: string, depth: number): string => {
    if (depth > maxDepth) throw new Fault('DW_MAX_RESULT_SIZE_EXCEEDED', `The result nests deeper than ${maxDepth}`);
    if (it === null || typeof it === 'boolean') return String(it);
    if (typeof it === 'string') return quote(it);
    if (typeof it === 'number' || isDec(it)) return numberText(it);
    const inner = compact ? '' : `${indent}  `;
    const glue = compact ? ',' : `,\n${inner}`;
    const open = compact ? '' : `\n${inner}`;
    const close = compact ? '' : `\n${indent}`;
    if (Array.isArray(it)) {
      run.charge(it.length);
      return `[${open}${it.map((item) => walk(item, inner, depth + 1)).join(glue)}${close}]`;
    }
    if (!isObjectValue(it)) return quote(scalarText(it));
    const values = valueList(it);
    run.charge(values.length);
    const fields = keyList(it).map((key, i) => `${quote(key)}: ${walk(values[i]!, inner, depth + 1)}`);
    return `{${open}${fields.join(glue)}${close}}`;
  };
  const text = walk(value, '', 0);
  run.text(text.length);
  return text;
}

function quote(text: string): string {
  return JSON.stringify(text);
}
