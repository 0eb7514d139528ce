import { Temporal } from './dates/values.js';
import { coercionFault } from './fault.js';
import { numberText } from './numbers.js';
import { TypeValue } from './types.js';
import { Annotated, BinaryValue, isDec, Key, RegexValue, typeName, type Value } from './values.js';

/** The text of a value where text is wanted: what `as String` gives without options. */
export function toText(value: Value): string {
  const text = textOrNull(value);
  if (text === null) throw coercionFault(typeName(value), 'String');
  return text;
}

/** The text of a value, or null if it has none, as arrays, objects, functions and null have. */
export function textOrNull(value: Value): string | null {
  switch (typeof value) {
    case 'string':
      return value;
    case 'number':
      return numberText(value);
    case 'boolean':
      return value ? 'true' : 'false';
  }
  if (value === null) return null;
  if (isDec(value)) return numberText(value);
  if (value instanceof Key) return value.name;
  if (value instanceof Temporal) return value.iso();
  if (value instanceof RegexValue) return value.source;
  if (value instanceof TypeValue) return value.toString();
  if (value instanceof Annotated) return textOrNull(value.inner);
  return value instanceof BinaryValue ? decodeUtf8(value.bytes) : null;
}

/** The UTF-8 bytes of a text. */
export function encodeUtf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** The text of UTF-8 bytes. */
export function decodeUtf8(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
