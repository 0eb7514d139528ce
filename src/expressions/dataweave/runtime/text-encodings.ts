import { Temporal } from './dates/date-values.js';
import { coercionFault, Fault } from './evaluation-fault.js';
import { numberText } from './numbers.js';
import { TypeValue } from './type-values.js';
import { Annotated, BinaryValue, isDec, Key, RegexValue, typeName, type Value } from './values.js';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Encodes bytes as Base64. */
export function toBase64(bytes: Uint8Array): string {
  let out = '';
  for (let i = 0; i < bytes.length; i += 3) {
    const n = (bytes[i]! << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0);
    const chars = [18, 12, 6, 0].map((shift) => alphabet[(n >> shift) & 63]!);
    out +=
      i + 1 >= bytes.length
        ? `${chars[0]}${chars[1]}==`
        : i + 2 >= bytes.length
          ? `${chars[0]}${chars[1]}${chars[2]}=`
          : chars.join('');
  }
  return out;
}

const base64Text = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/;

/** Decodes Base64; spaces are ignored and the padding is optional. */
export function fromBase64(text: string): BinaryValue {
  const clean = text.replace(/\s/g, '');
  if (!base64Text.test(clean))
    throw new Fault('DW_FUNCTION_ERROR', 'The text is not Base64', false, 'InvalidBase64ContentException');
  const digits = clean.replace(/=+$/, '');
  const bytes: number[] = [];
  for (let i = 0; i < digits.length; i += 4) {
    const n = [0, 1, 2, 3].reduce((sum, j) => (sum << 6) | Math.max(0, alphabet.indexOf(digits[i + j] ?? 'A')), 0);
    const count = Math.min(3, digits.length - i - 1);
    for (let j = 0; j < count; j++) bytes.push((n >> (16 - 8 * j)) & 255);
  }
  return new BinaryValue(Uint8Array.from(bytes));
}

/** Encodes bytes as hexadecimal text, in lower case. */
export function toHex(bytes: Uint8Array): string {
  return [...bytes].map((it) => it.toString(16).padStart(2, '0')).join('');
}

/** Decodes hexadecimal text. */
export function fromHex(text: string): BinaryValue {
  if (!/^([0-9A-Fa-f]{2})*$/.test(text))
    throw new Fault('DW_FUNCTION_ERROR', 'The text is not hexadecimal', false, 'InvalidHexStringContentException');
  return new BinaryValue(Uint8Array.from((text.match(/../g) ?? []).map((it) => Number.parseInt(it, 16))));
}

/** Number of characters of a single-byte character set; 0 for UTF-8. */
function charsetSize(name: string): 0 | 128 | 256 {
  if (/^UTF-?8$/i.test(name)) return 0;
  if (/^(US-)?ASCII$/i.test(name)) return 128;
  if (/^(ISO-8859-1|LATIN1)$/i.test(name)) return 256;
  throw new Fault('DW_UNSUPPORTED_SYNTAX', 'Only UTF-8, US-ASCII and ISO-8859-1 are supported');
}

/** Decodes bytes in a character set; with `exact`, bytes that it does not have are rejected. */
export function decodedWith(bytes: Uint8Array, charset: string, exact = false): string {
  const size = charsetSize(charset);
  if (exact && !isEncodedIn(bytes, size))
    throw new Fault('DW_FUNCTION_ERROR', 'The bytes are not text in this encoding');
  if (size === 0) return decodeUtf8(bytes);
  return Array.from(bytes, (it) => (it < size ? String.fromCharCode(it) : '\ufffd')).join('');
}

function isEncodedIn(bytes: Uint8Array, size: number): boolean {
  if (size > 0) return bytes.every((it) => it < size);
  const again = encodeUtf8(decodeUtf8(bytes));
  return again.length === bytes.length && again.every((it, i) => it === bytes[i]);
}

/** The same bytes, which JSON output decodes in another character set. */
export function declaredAs(bytes: Uint8Array, charset: string): BinaryValue {
  charsetSize(charset);
  return new BinaryValue(bytes, charset);
}

/** Encodes text in a character set; characters that it does not have become question marks. */
export function encodedWith(text: string, charset: string): BinaryValue {
  const size = charsetSize(charset);
  if (size === 0) return new BinaryValue(encodeUtf8(text));
  return new BinaryValue(
    Uint8Array.from(text, (c) => (c.charCodeAt(0) < size ? c.charCodeAt(0) : 63)),
    charset,
  );
}

/** Text of a value, as `as String` returns it without options. */
export function toText(value: Value): string {
  const text = textOrNull(value);
  if (text === null) throw coercionFault(typeName(value), 'String');
  return text;
}

/** Text of a value; null for arrays, objects, functions and null. */
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

/** Encodes text as UTF-8. */
export function encodeUtf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** Decodes UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
