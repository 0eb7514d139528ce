import { jsonText } from '../boundary.js';
import { Fault } from '../fault.js';
import { readJson } from '../json-text.js';
import { jsonOutput, shaped, wrongOption } from '../output.js';
import type { Run } from '../run.js';
import { encodeUtf8, textOrNull, toText } from '../text.js';
import { bare, DwObject, isObjectValue, keyList, type Value, valueList } from '../values.js';
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

/** The cells of delimited text, row by row; a quoted cell may hold the separator and line ends, and so may an escaped one. */
function cells(run: Run, source: string, options: Options): string[][] {
  const { separator, quote, mark } = csvSigns(options);
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
    if (c === mark && i + 1 < source.length) cell += source[++i];
    else if (quoted) {
      if (c !== quote) cell += c;
      else {
        // What follows the closing quote up to the separator belongs to nothing.
        quoted = false;
        while (i + 1 < source.length && source[i + 1] !== separator && !/[\r\n]/.test(source[i + 1]!)) i++;
      }
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

/** The characters that mean something in delimited text. */
function csvSigns(options: Options) {
  return {
    separator: text(options, 'separator', ','),
    quote: text(options, 'quote', '"'),
    mark: text(options, 'escape', '\\'),
  };
}

function csvRead(run: Run, source: string, options: Options): Value {
  const rows = cells(run, source, options);
  const headed = options.get('header') !== false;
  const names = headed ? (rows[0] ?? []) : [];
  const nameAt = (i: number) => names[i] ?? `column_${i}`;
  return rows.slice(headed ? 1 : 0).map((row) => {
    return new DwObject(
      row.map((_, i) => nameAt(i)),
      row,
    );
  });
}

function csvWritten(run: Run, value: Value, options: Options): string {
  const rows = Array.isArray(value) ? value : [value];
  const { separator, quote, mark } = csvSigns(options);
  const quoteValues = options.get('quoteValues') === true;
  const cell = (it: Value) => {
    const plain = it === null ? '' : toText(it);
    run.charge(plain.length);
    const special = quoteValues ? [mark, quote] : [mark, quote, separator, '\n', '\r'];
    const escaped = plain
      .split('')
      .map((c) => (special.includes(c) ? mark + c : c))
      .join('');
    return quoteValues ? quote + escaped + quote : escaped;
  };
  const name = (it: string) => (options.get('quoteHeader') === true ? quote + it + quote : it);
  const lines: string[] = [];
  for (const row of rows) {
    if (!isObjectValue(row)) throw new Fault('DW_TYPE_MISMATCH', 'A row must be an object');
    run.charge(keyList(row).length);
    if (lines.length === 0 && options.get('header') !== false) lines.push(keyList(row).map(name).join(separator));
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
    const value = rest.length === 0 ? null : decoded(rest.join('=').replaceAll('+', ' '));
    out.add(decoded(name.replaceAll('+', ' ')), value);
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
  const field = (key: string, it: Value) => (it === null ? encoded(key) : `${encoded(key)}=${encoded(toText(it))}`);
  return keyList(value)
    .flatMap((key, i) => {
      const found = bare(values[i]!);
      return Array.isArray(found) ? found.map((it) => field(key, it)) : [field(key, found)];
    })
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
