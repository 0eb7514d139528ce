import { emptyObject, type Json } from '../../../base/json/value.js';
import { Temporal } from './dates/date-values.js';
import { formatTemporal } from './dates/format-with-pattern.js';
import { coercionFault, Fault } from './evaluation-fault.js';
import type { Evaluation } from './evaluation-state.js';
import { localeNamed } from './locales.js';
import { numberText } from './numbers.js';
import { decodedWith, textOrNull } from './text-encodings.js';
import {
  Annotated,
  BinaryValue,
  type Dec,
  DwObject,
  isDec,
  isObjectValue,
  keyList,
  RangeArray,
  TaggedValue,
  typeName,
  type Value,
  valueList,
  WideRange,
} from './values.js';

/** Maximum nesting depth of a result. */
export const maxResultDepth = 500;

/** Text of a value that JSON has no type for. */
function scalarText(value: Value): string {
  if (value instanceof WideRange) throw new Fault('DW_MAX_RESULT_SIZE_EXCEEDED', 'The range has too many elements');
  if (value instanceof Temporal && value.format !== null)
    return formatTemporal(value, value.format, localeNamed(value.locale));
  if (value instanceof BinaryValue) return decodedWith(value.bytes, value.charset);
  const text = textOrNull(value);
  if (text === null) throw coercionFault(typeName(value), 'String');
  return text;
}

/**
 * Converts to plain JSON: for duplicate keys the last value wins at the first position; numbers become doubles. Parts that were JSON are
 * shared, not copied, so neither side may modify them. A number beyond the range of doubles is rejected, or infinite unless `exact`.
 */
export function toJson(ev: Evaluation, value: Value, exact = true): Json {
  return new Boundary(ev.limits.outputBytes, exact).out(value, 0);
}

class Boundary {
  private left: number;
  constructor(
    private readonly bytes: number,
    private readonly exact: boolean,
  ) {
    this.left = bytes;
  }

  private pay(bytes: number): void {
    this.left -= bytes;
    if (this.left < 0) throw new Fault('DW_MAX_RESULT_SIZE_EXCEEDED', `The result is larger than ${this.bytes} bytes`);
  }

  out(value: Value, depth: number): Json {
    if (typeof value === 'string') {
      this.pay(value.length + 2);
      return value;
    }
    this.pay(4);
    if (typeof value !== 'object' || value === null) return value;
    if (depth > maxResultDepth)
      throw new Fault('DW_MAX_RESULT_SIZE_EXCEEDED', `The result nests deeper than ${maxResultDepth}`);
    if (Array.isArray(value)) return this.array(value, depth);
    if (value instanceof DwObject) return this.object(value, depth);
    if (isDec(value)) return this.double(value);
    if (value instanceof TaggedValue) {
      if (value instanceof Annotated) return this.out(value.inner, depth);
      const text = scalarText(value);
      this.pay(text.length);
      return text;
    }
    this.pay(this.measured(value, depth));
    return value;
  }

  /** Size of a part that was JSON, without copying it. */
  private measured(value: Json, depth: number): number {
    if (typeof value === 'string') return value.length + 2;
    if (typeof value !== 'object' || value === null) return 4;
    if (depth > maxResultDepth)
      throw new Fault('DW_MAX_RESULT_SIZE_EXCEEDED', `The result nests deeper than ${maxResultDepth}`);
    let bytes = 4;
    if (Array.isArray(value)) {
      for (let i = 0; i < value.length; i++) bytes += this.measured(value[i]!, depth + 1);
      return bytes;
    }
    // Inherited keys are not filtered out: counting one too many is harmless, and this loop dominates large results.
    for (const key in value) bytes += key.length + 3 + this.measured(value[key]!, depth + 1);
    if (bytes > this.left) this.pay(bytes);
    return bytes;
  }

  private array(items: Value[], depth: number): Json {
    let changed: Json[] | null = items instanceof RangeArray ? Array.from(items as Json[]) : null;
    for (let i = 0; i < items.length; i++) {
      const item = items[i]!;
      const made = this.out(item, depth + 1);
      if (changed) changed[i] = made;
      else if (made !== item) {
        changed = items.slice() as Json[];
        changed[i] = made;
      }
    }
    return changed ?? (items as Json[]);
  }

  private double(value: Dec): number {
    const n = value.toNumber();
    if (this.exact && !Number.isFinite(n))
      throw new Fault('DW_MAX_RESULT_SIZE_EXCEEDED', 'The number is too large for JSON');
    return n;
  }

  private object(object: DwObject, depth: number): Json {
    const out = emptyObject();
    const { keys, values } = object;
    for (let i = 0; i < keys.length; i++) {
      this.pay(keys[i]!.length + 3);
      out[keys[i]!] = this.out(values[i]!, depth + 1);
    }
    return out;
  }
}

/** JSON text as the reference engine writes it: two spaces, all digits, duplicate keys kept. */
export function toJsonText(ev: Evaluation, value: Value, compact = false): string {
  let written = 0;
  const paid = (text: string): string => {
    written += text.length;
    ev.checkLength(written);
    return text;
  };
  const walk = (it: Value, indent: string, depth: number): string => {
    if (depth > maxResultDepth)
      throw new Fault('DW_MAX_RESULT_SIZE_EXCEEDED', `The result nests deeper than ${maxResultDepth}`);
    if (it === null || typeof it === 'boolean') return paid(String(it));
    if (typeof it === 'string') return paid(jsonString(it));
    if (typeof it === 'number' || isDec(it)) return paid(numberText(it));
    const inner = compact ? '' : `${indent}  `;
    const glue = compact ? ',' : `,\n${inner}`;
    const open = compact ? '' : `\n${inner}`;
    const close = compact ? '' : `\n${indent}`;
    if (Array.isArray(it)) {
      ev.charge(1 + it.length);
      written += it.length * (inner.length + 2) + 2;
      return `[${open}${it.map((item) => walk(item, inner, depth + 1)).join(glue)}${close}]`;
    }
    if (it instanceof Annotated) return walk(it.inner, indent, depth);
    if (!isObjectValue(it)) return paid(jsonString(scalarText(it)));
    const values = valueList(it);
    ev.charge(1 + 2 * values.length);
    written += values.length * (inner.length + 4) + 2;
    const fields = keyList(it).map((key, i) => `${paid(jsonString(key))}: ${walk(values[i]!, inner, depth + 1)}`);
    return `{${open}${fields.join(glue)}${close}}`;
  };
  const text = walk(value, '', 0);
  ev.chargeText(text.length);
  return text;
}

/** Characters that the reference engine escapes and JSON does not require to be escaped. */
const escaped = /[\x7f-\x9f\u00ad\u0600-\u0604\u070f\u17b4\u17b5\u200c-\u200f\u2060-\u206f\ufeff\ufff0-\uffff]/g;

/** A JSON string. */
export function jsonString(text: string): string {
  return JSON.stringify(text).replace(escaped, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
