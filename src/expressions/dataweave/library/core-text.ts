import { equalValues } from '../runtime/equality-and-order.js';
import type { Evaluation } from '../runtime/evaluation-state.js';
import { chargeFor } from '../runtime/evaluation-state.js';
import { type FunctionDefinition, overload } from '../runtime/library-function-overloads.js';
import { findAll, matchWhole } from '../runtime/regex.js';
import { toText } from '../runtime/text-encodings.js';
import { FunctionValue, type RegexValue, T, type Value } from '../runtime/values.js';
import { absent, indexesOf, nullSafe } from './core-collections.js';

/** Result of `replace`, which awaits the replacement from `with`. */
class Replacement extends FunctionValue {
  readonly name = 'replace';
  readonly required = 1;
  readonly accepted = 1;
  constructor(
    readonly text: string,
    readonly pattern: string | RegexValue,
  ) {
    super();
  }
  call(ev: Evaluation, replacer: Value): Value {
    const fn = replacer as FunctionValue;
    const out = this.replaced(ev, (groups, at) => toText(fn.call(ev, groups, at, absent)));
    ev.chargeText(out.length);
    return out;
  }
  apply(ev: Evaluation, args: Value[]): Value {
    return this.call(ev, args[0]!);
  }
  private replaced(ev: Evaluation, by: (groups: Value[], at: Value) => string): string {
    const { text, pattern } = this;
    const regex = typeof pattern === 'string' ? null : pattern;
    if (!regex) return this.replacedText(ev, pattern as string, by);
    let out = '';
    let last = 0;
    for (const [i, match] of findAll(ev, regex, text).entries()) {
      out += text.slice(last, match.start) + by(match.groups, i);
      ev.checkLength(out.length);
      last = match.end;
    }
    return out + text.slice(last);
  }
  private replacedText(ev: Evaluation, part: string, by: (groups: Value[], at: Value) => string): string {
    ev.charge(this.text.length >> 2);
    const { text } = this;
    let out = '';
    let last = 0;
    let at = text.indexOf(part);
    for (let i = 0; at !== -1 && at <= text.length; i++) {
      out += text.slice(last, at) + by([part], i);
      ev.charge(2);
      ev.checkLength(out.length);
      last = at + part.length;
      if (part === '') {
        out += text.slice(last, at + 1);
        last = at + 1;
        at = at < text.length ? at + 1 : -1;
      } else at = text.indexOf(part, last);
    }
    return out + text.slice(last);
  }
}

function scan(ev: Evaluation, text: string, regex: RegexValue): Value {
  return findAll(ev, regex, text).map((it) => it.groups);
}

function findRegex(ev: Evaluation, text: string, regex: RegexValue): Value {
  return findAll(ev, regex, text).map((it) => it.starts);
}

function findText(ev: Evaluation, text: string, wanted: string): Value {
  ev.charge(text.length >> 2);
  const out: number[] = [];
  if (wanted === '') return Array.from(text.split(''), (_, i) => i);
  for (let i = text.indexOf(wanted); i !== -1; i = text.indexOf(wanted, i + wanted.length)) out.push(i);
  return out;
}

function splitByRegex(ev: Evaluation, text: string, regex: RegexValue): Value {
  const out: string[] = [];
  let last = 0;
  for (const match of findAll(ev, regex, text)) {
    if (match.end === 0) continue;
    if (match.start === match.end && match.start >= text.length) continue;
    out.push(text.slice(last, match.start));
    last = match.end;
  }
  out.push(text.slice(last));
  while (out.length > 0 && out.at(-1) === '' && text !== '') out.pop();
  return out;
}

function splitByText(ev: Evaluation, text: string, separator: string): Value {
  ev.charge(text.length >> 2);
  const parts = text.split(separator);
  if (text === '') return [''];
  while (parts.length > 0 && parts.at(-1) === '') parts.pop();
  ev.chargeCollection(parts.length);
  return parts;
}

const stringCase = (change: (text: string) => string) => (ev: Evaluation, text: string) => {
  ev.charge(text.length >> 4);
  return change(text);
};

function javaTrim(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && text.charCodeAt(start) <= 32) start++;
  while (end > start && text.charCodeAt(end - 1) <= 32) end--;
  return text.slice(start, end);
}

/** Functions of dw::Core for text. */
export const textFunctions: readonly FunctionDefinition[] = [
  [
    'upper',
    { gives: T.String },
    overload(
      [T.String],
      stringCase((it) => it.toUpperCase()),
    ),
    nullSafe(),
  ],
  [
    'lower',
    { gives: T.String },
    overload(
      [T.String],
      stringCase((it) => it.toLowerCase()),
    ),
    nullSafe(),
  ],
  ['trim', { gives: T.String }, overload([T.String], stringCase(javaTrim)), nullSafe()],
  [
    'isBlank',
    { gives: T.Boolean },
    overload([T.String], (_ev: Evaluation, text: string) => javaTrim(text) === ''),
    overload([T.Null], () => true),
  ],
  [
    'startsWith',
    { gives: T.Boolean },
    overload([T.String, T.String], (_ev: Evaluation, a: string, b: string) => a.startsWith(b)),
    overload([T.Null, T.Any], () => false),
  ],
  [
    'endsWith',
    { gives: T.Boolean },
    overload([T.String, T.String], (_ev: Evaluation, a: string, b: string) => a.endsWith(b)),
    overload([T.Null, T.Any], () => false),
  ],
  [
    'contains',
    { gives: T.Boolean },
    overload([T.Array, T.Any], (ev: Evaluation, items: Value[], it: Value) => {
      ev.charge(items.length);
      return items.some((other) => equalValues(ev, other, it));
    }),
    overload([T.String, T.String], (ev: Evaluation, text: string, it: string) =>
      chargeFor(ev, text.length >> 4, text.includes(it)),
    ),
    overload(
      [T.String, T.Regex],
      (ev: Evaluation, text: string, it: RegexValue) => findAll(ev, it, text, 1).length > 0,
    ),
    overload([T.Null, T.Any], () => false),
  ],
  [
    'find',
    { gives: T.Array },
    overload([T.Array, T.Any], (ev: Evaluation, items: Value[], it: Value) => indexesOf(ev, items, it)),
    overload([T.String, T.Regex], findRegex),
    overload([T.String, T.String], findText),
    overload([T.Null, T.Any], () => []),
  ],
  [
    'match',
    overload(
      [T.String, T.Regex],
      (ev: Evaluation, text: string, regex: RegexValue) => matchWhole(ev, regex, text)?.groups ?? [],
    ),
    nullSafe(T.Any),
  ],
  [
    'matches',
    { gives: T.Boolean },
    overload(
      [T.String, T.Regex],
      (ev: Evaluation, text: string, regex: RegexValue) => matchWhole(ev, regex, text) !== null,
    ),
    overload([T.Null, T.Any], () => false),
  ],
  ['scan', { gives: T.Array }, overload([T.String, T.Regex], scan), nullSafe(T.Any)],
  [
    'replace',
    overload([T.String, T.Regex], (_ev: Evaluation, text: string, it: RegexValue) => new Replacement(text, it)),
    overload([T.String, T.String], (_ev: Evaluation, text: string, it: string) => new Replacement(text, it)),
    overload([T.Null, T.Any], () => new NullReplacement()),
  ],
  [
    'splitBy',
    { gives: T.Array },
    overload([T.String, T.String], splitByText),
    overload([T.String, T.Regex], splitByRegex),
    nullSafe(T.Any),
  ],
];

class NullReplacement extends FunctionValue {
  readonly name = 'replace';
  readonly required = 1;
  readonly accepted = 1;
  call(): Value {
    return null;
  }
  apply(): Value {
    return null;
  }
}
