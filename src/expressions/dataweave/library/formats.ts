import { jsonText } from '../boundary.js';
import { Fault } from '../fault.js';
import { readJson } from '../json-text.js';
import { jsonOutput, shaped, wrongOption } from '../output.js';
import type { Run } from '../run.js';
import { encodeUtf8, textOrNull, toText } from '../text.js';
import { DwObject, isObjectValue, keyList, type Value, valueList } from '../values.js';
import { decoded } from './urls.js';
import { dwText } from './write.js';

type Options = ReadonlyMap<string, Value>;

function optionsOf(value: Value): Options {
  if (!isObjectValue(value)) return new Map();
  const values = valueList(value);
  return new Map(keyList(value).map((key, i) => [key, values[i]!]));
}

function text(options: Options, name: string, fallback: string): string {
  return textOrNull(options.get(name) ?? fallback) ?? fallback;
}

function jsonWritten(run: Run, value: Value, options: Options): string {
  for (const [name, option] of options) {
    const wrong = wrongOption(name, option);
    if (wrong) throw new Fault('DW_FUNCTION_ERROR', wrong);
  }
  const output = jsonOutput(options);
  return jsonText(run, shaped(run, value, output), output.compact);
}

/** The cells of delimited text, row by row; a quoted cell may hold the separator and line ends. */
function cells(run: Run, source: string, separator: string, quote: string): string[][] {
  run.charge(source.length);
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = '';
  let quoted = false;
  const endRow = () => {
    row.push(cell);
    if (row.length > 1 || row[0] !== '') rows.push(row);
    row = [];
    cell = '';
  };
  for (let i = 0; i < source.length; i++) {
    const c = source[i]!;
    if (quoted) {
      if (c !== quote) cell += c;
      else if (source[i + 1] === quote) cell += source[++i];
      else quoted = false;
    } else if (c === quote && cell === '') quoted = true;
    else if (c === separator) {
      row.push(cell);
      cell = '';
    } else if (c === '\n' || c === '\r') {
      if (c === '\r' && source[i + 1] === '\n') i++;
      endRow();
    } else cell += c;
  }
  if (cell !== '' || row.length > 0) endRow();
  return rows;
}

function csvRead(run: Run, source: string, options: Options): Value {
  const rows = cells(run, source, text(options, 'separator', ','), text(options, 'quote', '"'));
  const headed = options.get('header') !== false;
  const names = headed ? (rows[0] ?? []) : [];
  const nameAt = (i: number) => names[i] ?? `column_${i}`;
  return rows.slice(headed ? 1 : 0).map((row) => {
    const count = headed ? Math.min(row.length, names.length) : row.length;
    const positions = Array.from({ length: count }, (_, i) => i);
    return new DwObject(positions.map(nameAt), row.slice(0, count));
  });
}

function csvWritten(run: Run, value: Value, options: Options): string {
  const rows = Array.isArray(value) ? value : [value];
  const separator = text(options, 'separator', ',');
  const quote = text(options, 'quote', '"');
  const cell = (it: Value) => {
    const plain = it === null ? '' : toText(it);
    const needs = plain.includes(separator) || plain.includes(quote) || /[\r\n]/.test(plain);
    if (!needs && options.get('quoteValues') !== true) return plain;
    return quote + plain.replaceAll(quote, `\\${quote}`) + quote;
  };
  const lines: string[] = [];
  for (const row of rows) {
    if (!isObjectValue(row)) throw new Fault('DW_TYPE_MISMATCH', 'A row must be an object');
    run.charge(keyList(row).length);
    if (lines.length === 0 && options.get('header') !== false) lines.push(keyList(row).map(cell).join(separator));
    lines.push(valueList(row).map(cell).join(separator));
  }
  const end = text(options, 'lineSeparator', '\n');
  return lines.map((it) => it + end).join('');
}

function formRead(run: Run, source: string): Value {
  run.charge(source.length);
  const out = new DwObject();
  for (const part of source.split('&').filter((it) => it !== '')) {
    const [name = '', ...rest] = part.split('=');
    out.add(decoded(name.replaceAll('+', ' ')), decoded(rest.join('=').replaceAll('+', ' ')));
  }
  return out;
}

function formWritten(run: Run, value: Value): string {
  if (!isObjectValue(value)) throw new Fault('DW_TYPE_MISMATCH', 'A form must be an object');
  const encoded = (it: string) => {
    run.charge(it.length);
    return [...it]
      .map((c) => {
        if (/[A-Za-z0-9.*_-]/.test(c)) return c;
        if (c === ' ') return '+';
        return Array.from(encodeUtf8(c), (b) => `%${b.toString(16).toUpperCase().padStart(2, '0')}`).join('');
      })
      .join('');
  };
  const values = valueList(value);
  return keyList(value)
    .map((key, i) => `${encoded(key)}=${encoded(values[i] === null ? '' : toText(values[i]!))}`)
    .join('&');
}

/** The name a format goes by, whatever it is called by. */
function formatNamed(name: string): string {
  const type = name.split(';')[0]!.trim().toLowerCase();
  if (/^(application|text)\/([\w.-]+\+)?json$/.test(type)) return 'json';
  const known: Record<string, string> = {
    'application/csv': 'csv',
    'text/csv': 'csv',
    'application/dw': 'dw',
    'text/plain': 'text',
    'application/x-www-form-urlencoded': 'form',
    json: 'json',
    csv: 'csv',
    dw: 'dw',
    urlencoded: 'form',
  };
  return Object.hasOwn(known, type) ? known[type]! : '';
}

/** `read`: what a text in one of the formats says. */
export function readFormat(run: Run, source: string, format = 'application/json', options: Value = null): Value {
  run.text(source.length);
  switch (formatNamed(format)) {
    case 'json':
      return readJson(run, source);
    case 'csv':
      return csvRead(run, source, optionsOf(options));
    case 'form':
      return formRead(run, source);
    case 'text':
      return source;
  }
  throw new Fault('DW_UNSUPPORTED_SYNTAX', 'Only JSON, CSV, forms and plain text can be read');
}

/** `write`: a value as a text in one of the formats. */
export function writeFormat(run: Run, value: Value, format = 'application/dw', options: Value = null): Value {
  const out = written(run, value, formatNamed(format), optionsOf(options));
  run.text(out.length);
  return out;
}

function written(run: Run, value: Value, format: string, options: Options): string {
  switch (format) {
    case 'json':
      return jsonWritten(run, value, options);
    case 'dw':
      return dwText(run, value);
    case 'csv':
      return csvWritten(run, value, options);
    case 'form':
      return formWritten(run, value);
    case 'text':
      return value === null ? '' : toText(value);
  }
  throw new Fault('DW_UNSUPPORTED_SYNTAX', 'Only JSON, DataWeave, CSV, forms and plain text can be written');
}
