import { type Definition, overload } from '../runtime/dispatch.js';
import type { Evaluation } from '../runtime/evaluation.js';
import { paid } from '../runtime/evaluation.js';
import { Fault } from '../runtime/fault.js';
import { decodeUtf8, encodeUtf8, toText } from '../runtime/text.js';
import { BinaryValue, DwObject, T, type Value } from '../runtime/values.js';

function escaped(text: string, kept: RegExp): string {
  return [...text]
    .map((c) =>
      kept.test(c) ? c : [...encodeUtf8(c)].map((b) => `%${b.toString(16).toUpperCase().padStart(2, '0')}`).join(''),
    )
    .join('');
}

const uriKept = /^[A-Za-z0-9;,/?:@&=$\-_.!~*'()#]$/;
const componentKept = /^[A-Za-z0-9\-_.!~*'()]$/;

/** Decodes percent signs, and `+` as the space that forms write it for: the real library does so everywhere. */
function unescaped(text: string): string {
  if (/%(?![0-9A-Fa-f]{2})/.test(text))
    throw new Fault('DW_FUNCTION_ERROR', 'The text is not encoded correctly', false, 'InvalidUrlEncodingException');
  return decoded(text.replaceAll('+', ' '));
}

/** Decodes percent signs that two digits follow. */
export function decoded(text: string): string {
  return text.replace(/(%[0-9A-Fa-f]{2})+/g, (ev) =>
    decodeUtf8(
      Uint8Array.from(
        ev
          .split('%')
          .slice(1)
          .map((it) => Number.parseInt(it, 16)),
      ),
    ),
  );
}

function text1(name: string, fn: (text: string) => string): Definition {
  return [name, overload([T.String], (ev: Evaluation, text: string) => paid(ev, text.length, fn(text)))];
}

const uriPattern = /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/;
const serverPattern = /^(?:([^@]*)@)?(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9.-]*)(?::(\d*))?$/;
const notInUri = /[\s"<>\\^`{|}]|%(?![0-9A-Fa-f]{2})/;

/** The parts of an address; without `//` or `/`, what follows its scheme is not a path. */
function parseUri(_ev: Evaluation, text: string): Value {
  const m = uriPattern.exec(text);
  if (!m || notInUri.test(text) || /^[^:]*:(\/\/)?$/.test(text)) return new DwObject(['isValid', 'raw'], [false, text]);
  const [, scheme, authority, path = '', query, fragment] = m;
  const isOpaque = scheme !== undefined && authority === undefined && !path.startsWith('/');
  const server = authority === undefined ? null : serverPattern.exec(authority);
  const parts: [string, Value | undefined][] = [
    ['isValid', true],
    ['raw', text],
    ['host', server?.[2] || undefined],
    ['authority', authority || undefined],
    ['fragment', fragment],
    ['path', isOpaque ? undefined : decoded(path)],
    ['port', server?.[3] ? Number(server[3]) : undefined],
    ['query', isOpaque ? undefined : query],
    ['scheme', scheme],
    ['user', server?.[1]],
    ['isAbsolute', scheme !== undefined],
    ['isOpaque', isOpaque],
  ];
  const out = new DwObject();
  for (const [key, value] of parts) if (value !== undefined) out.add(key, value);
  return out;
}

function compose(_ev: Evaluation, parts: Value[], values: Value[]): Value {
  if (values.length >= parts.length && values.length > 0)
    throw new Fault('DW_TYPE_MISMATCH', 'There must be one part more than values');
  return parts
    .map((part, i) => toText(part) + (i < values.length ? escaped(toText(values[i]!), componentKept) : ''))
    .join('');
}

/** dw::core::URL. */
export const urlFunctions: readonly Definition[] = [
  text1('encodeURI', (text) => escaped(text, uriKept)),
  text1('encodeURIComponent', (text) => escaped(text, componentKept)),
  text1('decodeURI', unescaped),
  text1('decodeURIComponent', unescaped),
  ['parseURI', overload([T.String], parseUri)],
  ['compose', overload([T.Array, T.Array], compose)],
];

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Bytes as Base64 text. */
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

function fromBase64(_ev: Evaluation, text: string): Value {
  const clean = text.replace(/[\s=]/g, '').replaceAll('-', '+').replaceAll('_', '/');
  if ([...clean].some((c) => !alphabet.includes(c))) throw new Fault('DW_FUNCTION_ERROR', 'The text is not Base64');
  const bytes: number[] = [];
  for (let i = 0; i < clean.length; i += 4) {
    const n = [0, 1, 2, 3].reduce((sum, j) => (sum << 6) | Math.max(0, alphabet.indexOf(clean[i + j] ?? 'A')), 0);
    const count = Math.min(3, clean.length - i - 1);
    for (let j = 0; j < count; j++) bytes.push((n >> (16 - 8 * j)) & 255);
  }
  return new BinaryValue(Uint8Array.from(bytes));
}

/** Bytes as hexadecimal text. */
export function hexText(bytes: Uint8Array): string {
  return [...bytes].map((it) => it.toString(16).padStart(2, '0')).join('');
}

function fromHex(_ev: Evaluation, text: string): Value {
  if (!/^([0-9A-Fa-f]{2})*$/.test(text)) throw new Fault('DW_FUNCTION_ERROR', 'The text is not hexadecimal');
  return new BinaryValue(Uint8Array.from((text.match(/../g) ?? []).map((it) => Number.parseInt(it, 16))));
}

/** Only Latin 1, and the character sets that agree with UTF-8 on the text they can hold. */
function charsetNamed(name: string): 'utf-8' | 'latin1' {
  if (/^(UTF-?8|US-ASCII|ASCII)$/i.test(name)) return 'utf-8';
  if (/^(ISO-8859-1|LATIN1)$/i.test(name)) return 'latin1';
  throw new Fault('DW_UNSUPPORTED_SYNTAX', 'Only UTF-8 and ISO-8859-1 are supported');
}

function decodedWith(bytes: Uint8Array, charset: string): string {
  if (charsetNamed(charset) === 'utf-8') return decodeUtf8(bytes);
  return Array.from(bytes, (it) => String.fromCharCode(it)).join('');
}

function encodedWith(text: string, charset: string): BinaryValue {
  if (charsetNamed(charset) === 'utf-8') return new BinaryValue(encodeUtf8(text));
  return new BinaryValue(Uint8Array.from(text, (c) => (c.charCodeAt(0) < 256 ? c.charCodeAt(0) : 63)));
}

/** dw::core::Binaries. */
export const binaryFunctions: readonly Definition[] = [
  [
    'toBase64',
    overload([T.Binary], (ev: Evaluation, it: BinaryValue) => paid(ev, it.bytes.length, toBase64(it.bytes))),
  ],
  ['fromBase64', overload([T.String], (ev: Evaluation, text: string) => paid(ev, text.length, fromBase64(ev, text)))],
  [
    'toHex',
    overload([T.Binary], (ev: Evaluation, it: BinaryValue) =>
      paid(ev, it.bytes.length, hexText(it.bytes).toUpperCase()),
    ),
  ],
  ['fromHex', overload([T.String], (ev: Evaluation, text: string) => paid(ev, text.length, fromHex(ev, text)))],
  [
    'concatWith',
    overload([T.Binary, T.Binary], (ev: Evaluation, a: BinaryValue, b: BinaryValue) => {
      ev.text(a.bytes.length + b.bytes.length);
      return new BinaryValue(Uint8Array.from([...a.bytes, ...b.bytes]));
    }),
    overload([T.Null, T.Binary], (_ev: Evaluation, _nothing: null, b: BinaryValue) => b),
    overload([T.Binary, T.Null], (_ev: Evaluation, a: BinaryValue) => a),
  ],
  [
    'readLinesWith',
    overload([T.Binary, T.String], (ev: Evaluation, it: BinaryValue, charset: string) => {
      const text = paid(ev, it.bytes.length, decodedWith(it.bytes, charset));
      const lines = text.split(/\r\n|\n|\r/);
      if (lines.at(-1) === '') lines.pop();
      ev.collection(lines.length);
      return lines;
    }),
  ],
  [
    'writeLinesWith',
    overload([T.Array, T.String], (ev: Evaluation, lines: Value[], charset: string) => {
      const text = lines.map((it) => `${toText(it)}\n`).join('');
      ev.text(text.length);
      return encodedWith(text, charset);
    }),
  ],
];
