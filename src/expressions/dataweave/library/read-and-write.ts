import { Temporal } from '../runtime/dates/date-values.js';
import { Fault } from '../runtime/evaluation-fault.js';
import type { Evaluation } from '../runtime/evaluation-state.js';
import { applyJsonOptions, jsonOptionError, jsonOutput } from '../runtime/json-output-options.js';
import { type FunctionDefinition, overload } from '../runtime/library-function-overloads.js';
import { numberText } from '../runtime/numbers.js';
import { readJson } from '../runtime/parse-json.js';
import { textOrNull, toText } from '../runtime/text-encodings.js';
import { jsonString, toJsonText } from '../runtime/to-json.js';
import {
  Annotated,
  BinaryValue,
  DwObject,
  fieldOf,
  isDec,
  isObjectValue,
  keyList,
  RegexValue,
  T,
  type Value,
  valueList,
  WideRange,
} from '../runtime/values.js';
import type { Obj } from './core-collections.js';

type Options = ReadonlyMap<string, Value>;

function optionsOf(value: Value): Options {
  if (!isObjectValue(value)) return new Map();
  const values = valueList(value);
  return new Map(keyList(value).map((key, i) => [key, values[i]!]));
}

function jsonWritten(ev: Evaluation, value: Value, options: Options): string {
  for (const [name, option] of options) {
    const wrong = jsonOptionError(name, option);
    if (wrong) throw new Fault('DW_FUNCTION_ERROR', wrong);
  }
  const output = jsonOutput(options);
  return toJsonText(ev, applyJsonOptions(ev, value, output), output.compact);
}

/** Canonical name of a format. */
function formatNamed(name: string): string {
  const type = name.split(';')[0]!.trim().toLowerCase();
  if (/^((application|text)\/([\w.-]+\+)?)?json$/.test(type)) return 'json';
  if (/^(application\/)?dw$/.test(type)) return 'dw';
  return type === 'text/plain' ? 'text' : '';
}

/** Implements `read`: parses text in a format. */
export function readFormat(ev: Evaluation, source: string, format = 'application/json'): Value {
  ev.chargeText(source.length);
  switch (formatNamed(format)) {
    case 'json':
      return readJson(ev, source);
    case 'text':
      return source;
  }
  throw new Fault('DW_UNSUPPORTED_SYNTAX', 'Only JSON and plain text can be read');
}

/** Implements `write`: formats a value as text. */
export function writeFormat(ev: Evaluation, value: Value, format = 'application/dw', options: Value = null): Value {
  const out = written(ev, value, formatNamed(format), optionsOf(options));
  ev.chargeText(out.length);
  return out;
}

function written(ev: Evaluation, value: Value, format: string, options: Options): string {
  switch (format) {
    case 'json':
      return jsonWritten(ev, value, options);
    case 'dw':
      return dwText(ev, value);
    case 'text':
      return value === null ? '' : toText(value);
  }
  throw new Fault('DW_UNSUPPORTED_SYNTAX', 'Only JSON, DataWeave and plain text can be written');
}

/** A value in DataWeave's own notation, the default format of `write`. */
export function dwText(ev: Evaluation, value: Value): string {
  let written = 0;
  const walk = (it: Value, indent: string, depth: number): string => {
    const text = print(it, indent, depth);
    if (typeof it !== 'object') written += text.length;
    written += indent.length + 2;
    ev.checkLength(written);
    return text;
  };
  const print = (it: Value, indent: string, depth: number): string => {
    if (depth > 500) throw new Fault('DW_MAX_RESULT_SIZE_EXCEEDED', 'The value nests too deeply');
    ev.charge(1);
    if (it instanceof Annotated) return print(it.inner, indent, depth);
    if (it === null || typeof it === 'boolean') return String(it);
    if (typeof it === 'number' || isDec(it)) return numberText(it);
    if (typeof it === 'string') return jsonString(it).replaceAll('$', '\\$');
    const inner = `${indent}  `;
    if (Array.isArray(it)) {
      if (it.length === 0) return '[]';
      return `[\n${it.map((item) => inner + walk(item, inner, depth + 1)).join(', \n')}\n${indent}]`;
    }
    if (it instanceof Temporal) return `|${it.iso()}|`;
    if (it instanceof WideRange) throw new Fault('DW_MAX_RESULT_SIZE_EXCEEDED', 'The range has too many elements');
    if (it instanceof BinaryValue)
      throw new Fault('DW_UNSUPPORTED_SYNTAX', 'A Binary cannot be written in DataWeave notation');
    if (it instanceof RegexValue) return `/${it.source}/`;
    if (!isObjectValue(it)) return JSON.stringify(textOrNull(it) ?? '');
    const values = valueList(it);
    if (values.length === 0) return '{}';
    const fields = keyList(it).map(
      (key, i) => `${inner}${keyText(key)}${attributeText(values[i]!)}: ${walk(values[i]!, inner, depth + 1)}`,
    );
    return `{\n${fields.join(',\n')}\n${indent}}`;
  };
  const attributeText = (it: Value): string => {
    const attributes = it instanceof Annotated ? it.attributes : null;
    if (!attributes || attributes.size === 0) return '';
    return ` @(${attributes.keys.map((key, i) => `${keyText(key)}: ${walk(attributes.values[i]!, '', 0)}`).join(', ')})`;
  };
  const out = walk(value, '', 0);
  ev.chargeText(out.length);
  return out;
}

function keyText(key: string): string {
  return /^[A-Za-z_]\w*$/.test(key) ? key : JSON.stringify(key);
}

/** Splits at semicolons outside quotes. */
function sections(text: string): string[] {
  return (text.match(/(?:"(?:\\.|[^"\\])*"|[^;"]|")+/g) ?? []).map((it) => it.trim()).filter((it) => it !== '');
}

function parameters(parts: readonly string[]): DwObject {
  const out = new DwObject();
  for (const part of parts) {
    const at = part.indexOf('=');
    if (at === -1) continue;
    const value = part.slice(at + 1).trim();
    out.add(part.slice(0, at).trim(), /^".*"$/.test(value) ? value.slice(1, -1).replace(/\\(.)/g, '$1') : value);
  }
  return out;
}

function fromString(ev: Evaluation, text: string): Value {
  ev.charge(text.length);
  const [first = '', ...rest] = sections(text);
  const slash = first.indexOf('/');
  if (slash === -1) {
    const error = new DwObject(['message'], [`Unable to find a sub type in \`${text}\`.`]);
    return new DwObject(['success', 'error'], [false, error]);
  }
  const [type, subtype] = [first.slice(0, slash), first.slice(slash + 1)].map((it) => it.trim().toLowerCase());
  const mime = new DwObject(['type', 'subtype', 'parameters'], [type!, subtype!, parameters(rest)]);
  return new DwObject(['success', 'result'], [true, mime]);
}

function part(mime: Obj, name: string): string {
  return textOrNull(fieldOf(mime, name) ?? null) ?? '';
}

function isHandledBy(_ev: Evaluation, handler: Obj, mime: Obj): Value {
  const [type, subtype] = [part(handler, 'type'), part(handler, 'subtype')];
  const other = part(mime, 'subtype');
  if (type !== '*' && type !== part(mime, 'type')) return false;
  if (subtype === '*' || subtype === other) return true;
  return subtype.startsWith('*+') && other.endsWith(subtype.slice(1));
}

function mimeText(_ev: Evaluation, mime: Obj): Value {
  const given = fieldOf(mime, 'parameters') ?? null;
  const values = isObjectValue(given) ? valueList(given) : [];
  const names = isObjectValue(given) ? keyList(given) : [];
  const tail = names.map((name, i) => {
    const value = textOrNull(values[i]!) ?? '';
    return `;${name}=${/^[\w!#$%&'*+.^`|~-]+$/.test(value) ? value : JSON.stringify(value)}`;
  });
  return `${part(mime, 'type')}/${part(mime, 'subtype')}${tail.join('')}`;
}

/** Functions of dw::module::Mime. */
export const mimeFunctions: readonly FunctionDefinition[] = [
  ['fromString', overload([T.String], fromString)],
  ['isHandledBy', overload([T.Object, T.Object], isHandledBy)],
  ['toString', overload([T.Object], mimeText)],
];
