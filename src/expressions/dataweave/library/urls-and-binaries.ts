import { Fault } from '../runtime/evaluation-fault.js';
import { chargeFor, type Evaluation } from '../runtime/evaluation-state.js';
import { type FunctionDefinition, overload } from '../runtime/library-function-overloads.js';
import {
  decodedWith,
  decodeUtf8,
  encodedWith,
  encodeUtf8,
  fromBase64,
  fromHex,
  toBase64,
  toHex,
  toText,
} from '../runtime/text-encodings.js';
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

/** Decodes percent-encoding, and `+` as a space, as the reference library does everywhere. */
function unescaped(text: string): string {
  if (/%(?![0-9A-Fa-f]{2})/.test(text))
    throw new Fault('DW_FUNCTION_ERROR', 'The text is not correctly encoded', false, 'InvalidUrlEncodingException');
  return percentDecoded(text.replaceAll('+', ' '));
}

/** Decodes percent signs followed by two hexadecimal digits. */
export function percentDecoded(text: string): string {
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

function text1(name: string, fn: (text: string) => string): FunctionDefinition {
  return [name, overload([T.String], (ev: Evaluation, text: string) => chargeFor(ev, text.length, fn(text)))];
}

const uriPattern = /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/;
const serverPattern = /^(?:([^@]*)@)?(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9.-]*)(?::(\d*))?$/;
const notInUri = /[\s"<>\\^`{|}]|%(?![0-9A-Fa-f]{2})/;

/** Parses a URI. Without `//` or `/`, the part after its scheme is not a path. */
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
    ['path', isOpaque ? undefined : percentDecoded(path)],
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
    throw new Fault('DW_TYPE_MISMATCH', 'There must be one more part than values');
  return parts
    .map((part, i) => toText(part) + (i < values.length ? escaped(toText(values[i]!), componentKept) : ''))
    .join('');
}

/** Functions of dw::core::URL. */
export const urlFunctions: readonly FunctionDefinition[] = [
  text1('encodeURI', (text) => escaped(text, uriKept)),
  text1('encodeURIComponent', (text) => escaped(text, componentKept)),
  text1('decodeURI', unescaped),
  text1('decodeURIComponent', unescaped),
  ['parseURI', overload([T.String], parseUri)],
  ['compose', overload([T.Array, T.Array], compose)],
];

/** Functions of dw::core::Binaries. */
export const binaryFunctions: readonly FunctionDefinition[] = [
  [
    'toBase64',
    overload([T.Binary], (ev: Evaluation, it: BinaryValue) => chargeFor(ev, it.bytes.length, toBase64(it.bytes))),
  ],
  ['fromBase64', overload([T.String], (ev: Evaluation, text: string) => chargeFor(ev, text.length, fromBase64(text)))],
  [
    'toHex',
    overload([T.Binary], (ev: Evaluation, it: BinaryValue) =>
      chargeFor(ev, it.bytes.length, toHex(it.bytes).toUpperCase()),
    ),
  ],
  ['fromHex', overload([T.String], (ev: Evaluation, text: string) => chargeFor(ev, text.length, fromHex(text)))],
  [
    'concatWith',
    overload([T.Binary, T.Binary], (ev: Evaluation, a: BinaryValue, b: BinaryValue) => {
      ev.chargeText(a.bytes.length + b.bytes.length);
      return new BinaryValue(Uint8Array.from([...a.bytes, ...b.bytes]));
    }),
    overload([T.Null, T.Binary], (_ev: Evaluation, _nothing: null, b: BinaryValue) => b),
    overload([T.Binary, T.Null], (_ev: Evaluation, a: BinaryValue) => a),
  ],
  [
    'readLinesWith',
    overload([T.Binary, T.String], (ev: Evaluation, it: BinaryValue, charset: string) => {
      const text = chargeFor(ev, it.bytes.length, decodedWith(it.bytes, charset, true));
      const lines = text.split(/\r\n|\n|\r/);
      if (lines.at(-1) === '') lines.pop();
      ev.chargeCollection(lines.length);
      return lines;
    }),
  ],
  [
    'writeLinesWith',
    overload([T.Array, T.String], (ev: Evaluation, lines: Value[], charset: string) => {
      const text = lines.map((it) => `${toText(it)}\n`).join('');
      ev.chargeText(text.length);
      return new BinaryValue(encodedWith(text, charset).bytes);
    }),
  ],
];
