import { Fault } from '../runtime/evaluation-fault.js';
import type { Evaluation } from '../runtime/evaluation-state.js';
import { chargeFor } from '../runtime/evaluation-state.js';
import {
  type FunctionDefinition,
  functionType,
  noMatchingOverload,
  overload,
} from '../runtime/library-function-overloads.js';
import { type Num, toDec, wrapTo32Bits } from '../runtime/numbers.js';
import { condition, truth } from '../runtime/operators.js';
import { findAll } from '../runtime/regex.js';
import { sliceUntil } from '../runtime/selectors.js';
import { textOrNull, toText } from '../runtime/text-encodings.js';
import { type FunctionValue, type RegexValue, T, type Value } from '../runtime/values.js';
import { absent, nullSafe } from './core-collections.js';
import { camelize, capitalize, dasherize, pluralize, singularize, underscore } from './word-case-and-inflection.js';

/** Whether the character is white space in Java: ASCII separators are, no-break spaces are not. */
function isJavaSpace(c: string): boolean {
  const code = c.charCodeAt(0);
  if (code < 128) return code === 32 || (code >= 9 && code <= 13) || (code >= 28 && code <= 31);
  return /^\p{Z}$/u.test(c) && !'\u00a0\u2007\u202f'.includes(c);
}

type Text1 = (text: string) => Value;

function text1(name: string, fn: Text1): FunctionDefinition {
  return [
    name,
    overload([T.String], (ev: Evaluation, text: string) => chargeFor(ev, text.length >> 3, fn(text))),
    nullSafe(),
  ];
}

/** Defines a predicate that all characters must satisfy; false for null. */
function all(name: string, pattern: RegExp): FunctionDefinition {
  return [
    name,
    overload([T.String], (ev: Evaluation, text: string) => chargeFor(ev, text.length >> 3, pattern.test(text))),
    overload([T.Null], () => false),
  ];
}

function text2(name: string, fn: (text: string, other: string) => Value): FunctionDefinition {
  return [
    name,
    overload([T.String, T.String], (ev: Evaluation, text: string, other: string) => {
      ev.charge((text.length + other.length) >> 3);
      const out = fn(text, other);
      if (typeof out === 'string') ev.chargeText(out.length);
      return out;
    }),
    nullSafe(T.String),
  ];
}

function size(n: Num): number {
  return Math.trunc(toDec(n).toNumber());
}

function padded(ev: Evaluation, text: string, width: Num, fill: string, left: boolean): Value {
  const lacking = toDec(width).minus(text.length);
  if (!lacking.gt(0)) return text;
  const missing = Math.max(1, size(lacking));
  ev.chargeText(text.length + missing);
  const filler = fill.repeat(missing);
  return left ? filler + text : text + filler;
}

function pad(name: string, left: boolean): FunctionDefinition {
  return [
    name,
    overload(
      [T.String, T.Number, T.String],
      (ev: Evaluation, text: string, width: Num, fill = ' ') => padded(ev, text, width, fill, left),
      2,
    ),
    overload([T.Null, T.Any, T.Any], () => null, 2),
  ];
}

/** Text to concatenate. `default` rescues a missing value, but not one without a text form. */
function joinable(value: Value): string {
  if (value !== null && textOrNull(value) === null) throw noMatchingOverload('++', [value]);
  return toText(value);
}

function characters(ev: Evaluation, text: string): string[] {
  ev.charge(text.length);
  return text.split('');
}

function collapse(text: string): Value {
  if (text === '') return [''];
  const out: string[] = [];
  for (const c of text) {
    const last = out.at(-1);
    if (last?.startsWith(c)) out[out.length - 1] = last + c;
    else out.push(c);
  }
  return out;
}

function ordinal(n: number): string {
  const rest = n % 100;
  if (n < 0 || (rest >= 11 && rest <= 13)) return `${n}th`;
  return n + (['th', 'st', 'nd', 'rd'][n % 10] ?? 'th');
}

function levenshtein(ev: Evaluation, a: string, b: string): Value {
  ev.charge((a.length + 1) * (b.length + 1));
  let before = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++)
      row[j] = Math.min(before[j]! + 1, row[j - 1]! + 1, before[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1));
    before = row;
  }
  return before[b.length]!;
}

/** Strips one character from each end, whatever the length of the wrapper, as the reference library does. */
function unwrapped(text: string, wrapper: string): string {
  return text.length > 1 && text.startsWith(wrapper) && text.endsWith(wrapper) ? text.slice(1, -1) : text;
}

function wrapIfMissing(text: string, wrapper: string): string {
  if (text === '') return wrapper;
  return (text.startsWith(wrapper) ? '' : wrapper) + text + (text.endsWith(wrapper) ? '' : wrapper);
}

function splitEvery(ev: Evaluation, text: string, length: Num): Value {
  const step = Math.ceil(toDec(length).toNumber());
  if (step <= 0) return [];
  ev.charge(text.length);
  const out: string[] = [];
  for (let i = 0; i < text.length; i += step) out.push(text.slice(i, i + step));
  return out;
}

function splitByTest(ev: Evaluation, text: string, f: FunctionValue): Value {
  const out: string[] = [];
  let part = '';
  for (const [i, c] of characters(ev, text).entries()) {
    if (condition(f.call(ev, c, i, absent))) {
      out.push(part);
      part = '';
    } else part += c;
  }
  out.push(part);
  return out;
}

function fromCode(code: number): string {
  if (code < 0 || code > 0x10ffff) throw new Fault('DW_FUNCTION_ERROR', 'The character position is out of bounds');
  return String.fromCodePoint(code);
}

/** The first `n` characters. The reference library counts positions up to `n - 1`, truncated to a whole number. */
function leading(text: string, n: Num): string {
  return toDec(n).gt(0) ? text.slice(0, size(toDec(n).minus(1)) + 1) : '';
}

function withMaxSize(_ev: Evaluation, text: string, max: Num): Value {
  const limit = toDec(max);
  if (limit.isNegative()) throw new Fault('DW_FUNCTION_ERROR', 'The size must be positive');
  return limit.isZero() ? text : leading(text, max);
}

function codeAt(text: string, index: number): Value {
  const at = index < 0 ? text.length + index : index;
  if (at < 0 || at >= text.length) throw new Fault('DW_FUNCTION_ERROR', 'The character position is out of bounds');
  return text.codePointAt(at)!;
}

/** Functions of dw::core::Strings. */
export const stringFunctions: readonly FunctionDefinition[] = [
  text2('appendIfMissing', (text, suffix) => (text.endsWith(suffix) ? text : text + suffix)),
  text2('prependIfMissing', (text, prefix) => (text.startsWith(prefix) ? text : prefix + text)),
  text1('camelize', camelize),
  text1('capitalize', capitalize),
  text1('dasherize', dasherize),
  text1('underscore', underscore),
  text1('pluralize', pluralize),
  text1('singularize', singularize),
  ['ordinalize', overload([T.Number], (_ev: Evaluation, n: Num) => ordinal(wrapTo32Bits(n))), nullSafe()],
  ['charCode', overload([T.String], (_ev: Evaluation, text: string) => codeAt(text, 0)), nullSafe()],
  [
    'charCodeAt',
    overload([T.String, T.Number], (_ev: Evaluation, text: string, at: Num) => codeAt(text, wrapTo32Bits(at))),
    nullSafe(T.Any),
  ],
  ['fromCharCode', overload([T.Number], (_ev: Evaluation, code: Num) => fromCode(wrapTo32Bits(code))), nullSafe()],
  text1('collapse', collapse),
  text1('reverse', (text) => text.split('').reverse().join('')),
  text1('lines', (text) => text.replace(/(\r\n|\n|\r)+$/, '').split(/\r\n|\n|\r/)),
  text1('words', (text) => text.split(/\s+/).filter((it) => it !== '')),
  all('isAlpha', /^\p{L}+$/u),
  all('isAlphanumeric', /^[\p{L}\p{Nd}]+$/u),
  all('isLowerCase', /^\p{Ll}+$/u),
  all('isUpperCase', /^\p{Lu}+$/u),
  all('isNumeric', /^\p{Nd}+$/u),
  [
    'isWhitespace',
    overload([T.String], (ev: Evaluation, text: string) =>
      chargeFor(ev, text.length, text.split('').every(isJavaSpace)),
    ),
    overload([T.Null], () => false),
  ],
  pad('leftPad', true),
  pad('rightPad', false),
  ['levenshteinDistance', overload([T.String, T.String], levenshtein)],
  [
    'hammingDistance',
    overload([T.String, T.String], (ev: Evaluation, a: string, b: string) => {
      ev.charge(a.length);
      return a.length === b.length ? a.split('').filter((c, i) => c !== b[i]).length : null;
    }),
  ],
  [
    'countCharactersBy',
    overload(
      [T.String, functionType(1)],
      (ev: Evaluation, text: string, f: FunctionValue) =>
        characters(ev, text).filter((c) => condition(f.call(ev, c, absent, absent))).length,
    ),
    nullSafe(T.Function),
  ],
  [
    'everyCharacter',
    overload([T.String, functionType(1)], (ev: Evaluation, text: string, f: FunctionValue) =>
      characters(ev, text).every((c) => truth(f.call(ev, c, absent, absent))),
    ),
    overload([T.Null, T.Function], () => true),
  ],
  [
    'someCharacter',
    overload([T.String, functionType(1)], (ev: Evaluation, text: string, f: FunctionValue) =>
      characters(ev, text).some((c) => truth(f.call(ev, c, absent, absent))),
    ),
    overload([T.Null, T.Function], () => false),
  ],
  [
    'mapString',
    overload([T.String, functionType(2)], (ev: Evaluation, text: string, f: FunctionValue) => {
      const out = characters(ev, text)
        .map((c, i) => joinable(f.call(ev, c, i, absent)))
        .join('');
      ev.chargeText(out.length);
      return out;
    }),
    nullSafe(T.Function),
  ],
  [
    'countMatches',
    overload([T.String, T.Regex], (ev: Evaluation, text: string, regex: RegexValue) => findAll(ev, regex, text).length),
    overload([T.String, T.String], (ev: Evaluation, text: string, part: string) => {
      ev.charge(text.length >> 2);
      return part === '' ? text.length : text.split(part).length - 1;
    }),
    nullSafe(T.Any),
  ],
  [
    'remove',
    overload([T.String, T.String], (ev: Evaluation, text: string, part: string) =>
      chargeFor(ev, text.length >> 3, part === '' ? text : text.split(part).join('')),
    ),
    nullSafe(T.Any),
  ],
  [
    'repeat',
    overload([T.String, T.Number], (ev: Evaluation, text: string, times: Num) => {
      const count = toDec(times).gt(0) ? Math.max(1, size(times)) : 0;
      ev.chargeText(text.length * count);
      return text.repeat(count);
    }),
    nullSafe(T.Any),
  ],
  [
    'replaceAll',
    overload([T.String, T.String, T.String], (ev: Evaluation, text: string, part: string, by: string) => {
      const out =
        part === ''
          ? text
              .split('')
              .map((c) => by + c)
              .join('') + by
          : text.split(part).join(by);
      ev.chargeText(out.length);
      return out;
    }),
    nullSafe(T.String, T.String),
  ],
  [
    'substring',
    overload(
      [T.String, T.Number, T.Number],
      (ev: Evaluation, text: string, from: Num, until: Num) => sliceUntil(ev, text, text.length, from, until) ?? '',
    ),
    nullSafe(T.Any, T.Any),
  ],
  text2('substringAfter', (text, mark) => (text.includes(mark) ? text.slice(text.indexOf(mark) + mark.length) : '')),
  text2('substringAfterLast', (text, mark) =>
    mark !== '' && text.includes(mark) ? text.slice(text.lastIndexOf(mark) + mark.length) : '',
  ),
  text2('substringBefore', (text, mark) => (text.includes(mark) ? text.slice(0, text.indexOf(mark)) : '')),
  text2('substringBeforeLast', (text, mark) =>
    mark === '' ? text.slice(0, -1) : text.includes(mark) ? text.slice(0, text.lastIndexOf(mark)) : '',
  ),
  ['substringBy', overload([T.String, functionType(2)], splitByTest), nullSafe(T.Function)],
  ['substringEvery', overload([T.String, T.Number], splitEvery), nullSafe(T.Any)],
  text2('unwrap', unwrapped),
  text2('wrapIfMissing', wrapIfMissing),
  [...text2('wrapWith', (text, wrapper) => wrapper + text + wrapper), nullSafe(T.Any)],
  ['withMaxSize', overload([T.String, T.Number], withMaxSize), nullSafe(T.Number)],
  [
    'first',
    overload(
      [T.String, T.Number],
      (ev: Evaluation, text: string, n: Num) => sliceUntil(ev, text, text.length, 0, n) ?? '',
    ),
    nullSafe(T.Any),
  ],
  [
    'last',
    overload([T.String, T.Number], (_ev: Evaluation, text: string, n: Num) =>
      toDec(n).gt(0) ? text.slice(Math.max(0, Math.trunc(text.length - toDec(n).toNumber()))) : '',
    ),
    nullSafe(T.Any),
  ],
];
