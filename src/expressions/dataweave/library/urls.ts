import { type Definition, overload } from '../dispatch.js';
import { Fault } from '../fault.js';
import type { Run } from '../run.js';
import { paid } from '../run.js';
import { decodeUtf8, encodeUtf8, toText } from '../text.js';
import { BinaryValue, DwObject, T, type Value } from '../values.js';

function escaped(text: string, kept: RegExp): string {
  return [...text]
    .map((c) =>
      kept.test(c) ? c : [...encodeUtf8(c)].map((b) => `%${b.toString(16).toUpperCase().padStart(2, '0')}`).join(''),
    )
    .join('');
}

const uriKept = /^[A-Za-z0-9;,/?:@&=+$\-_.!~*'()#]$/;
const componentKept = /^[A-Za-z0-9\-_.!~*'()]$/;

function unescaped(text: string, keptBytes: string): string {
  return text.replace(/(%[0-9A-Fa-f]{2})+/g, (run) => {
    const bytes = run
      .split('%')
      .slice(1)
      .map((it) => Number.parseInt(it, 16));
    const kept = bytes.map((b) => keptBytes.includes(String.fromCharCode(b)) && b < 128);
    let out = '';
    let pending: number[] = [];
    for (const [i, b] of bytes.entries()) {
      if (!kept[i]) pending.push(b);
      else {
        out += `${decodeUtf8(Uint8Array.from(pending))}%${b.toString(16).toUpperCase().padStart(2, '0')}`;
        pending = [];
      }
    }
    return out + decodeUtf8(Uint8Array.from(pending));
  });
}

function text1(name: string, fn: (text: string) => string): Definition {
  return [name, overload([T.String], (run: Run, text: string) => paid(run, text.length, fn(text)))];
}

const uriPattern =
  /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?:\/\/(?:([^/?#@]*)@)?([^/?#:]*)(?::(\d+))?)?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/;

function parseUri(_run: Run, text: string): Value {
  const m = uriPattern.exec(text);
  if (!m || /\s/.test(text))
    return new DwObject(['isValid', 'raw', 'isAbsolute', 'isOpaque'], [false, text, false, false]);
  const [, scheme, user, host, port, path, query, fragment] = m;
  const out = new DwObject();
  const put = (key: string, value: Value | undefined) => {
    if (value !== undefined && value !== null) out.add(key, value);
  };
  const isAbsolute = scheme !== undefined;
  out.add('isValid', true);
  out.add('raw', text);
  put('host', host || undefined);
  put(
    'authority',
    host === undefined
      ? undefined
      : `${user === undefined ? '' : `${user}@`}${host}${port === undefined ? '' : `:${port}`}`,
  );
  put('fragment', fragment);
  put('path', path);
  put('scheme', scheme);
  put('query', query);
  put('user', user);
  put('port', port === undefined ? undefined : Number(port));
  out.add('isAbsolute', isAbsolute);
  out.add('isOpaque', isAbsolute && host === undefined && !path!.startsWith('/'));
  return out;
}

function compose(_run: Run, parts: Value[], values: Value[]): Value {
  return parts
    .map((part, i) => toText(part) + (i < values.length ? escaped(toText(values[i]!), componentKept) : ''))
    .join('');
}

/** dw::core::URL. */
export const urlFunctions: readonly Definition[] = [
  text1('encodeURI', (text) => escaped(text, uriKept)),
  text1('encodeURIComponent', (text) => escaped(text, componentKept)),
  text1('decodeURI', (text) => unescaped(text, ';,/?:@&=+$#')),
  text1('decodeURIComponent', (text) => unescaped(text, '')),
  ['parseURI', overload([T.String], parseUri)],
  ['compose', overload([T.Array, T.Array], compose)],
];

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

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

function fromBase64(_run: Run, text: string): Value {
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

export function hexText(bytes: Uint8Array): string {
  return [...bytes].map((it) => it.toString(16).padStart(2, '0')).join('');
}

function fromHex(_run: Run, text: string): Value {
  if (!/^([0-9A-Fa-f]{2})*$/.test(text)) throw new Fault('DW_FUNCTION_ERROR', 'The text is not hexadecimal');
  return new BinaryValue(Uint8Array.from((text.match(/../g) ?? []).map((it) => Number.parseInt(it, 16))));
}

/** dw::core::Binaries. */
export const binaryFunctions: readonly Definition[] = [
  ['toBase64', overload([T.Binary], (run: Run, it: BinaryValue) => paid(run, it.bytes.length, toBase64(it.bytes)))],
  ['fromBase64', overload([T.String], (run: Run, text: string) => paid(run, text.length, fromBase64(run, text)))],
  [
    'toHex',
    overload([T.Binary], (run: Run, it: BinaryValue) => paid(run, it.bytes.length, hexText(it.bytes).toUpperCase())),
  ],
  ['fromHex', overload([T.String], (run: Run, text: string) => paid(run, text.length, fromHex(run, text)))],
  [
    'concatWith',
    overload([T.Binary, T.Binary], (run: Run, a: BinaryValue, b: BinaryValue) => {
      run.text(a.bytes.length + b.bytes.length);
      return new BinaryValue(Uint8Array.from([...a.bytes, ...b.bytes]));
    }),
  ],
];
