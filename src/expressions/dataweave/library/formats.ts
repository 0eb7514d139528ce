import { jsonOutput, wrongOption } from '../output-options.js';
import { jsonText } from '../runtime/boundary.js';
import type { Evaluation } from '../runtime/evaluation.js';
import { Fault } from '../runtime/fault.js';
import { readJson } from '../runtime/json-text.js';
import { shaped } from '../runtime/output.js';
import { toText } from '../runtime/text.js';
import { isObjectValue, keyList, type Value, valueList } from '../runtime/values.js';
import { dwText } from './write.js';

type Options = ReadonlyMap<string, Value>;

function optionsOf(value: Value): Options {
  if (!isObjectValue(value)) return new Map();
  const values = valueList(value);
  return new Map(keyList(value).map((key, i) => [key, values[i]!]));
}

function jsonWritten(ev: Evaluation, value: Value, options: Options): string {
  for (const [name, option] of options) {
    const wrong = wrongOption(name, option);
    if (wrong) throw new Fault('DW_FUNCTION_ERROR', wrong);
  }
  const output = jsonOutput(options);
  return jsonText(ev, shaped(ev, value, output), output.compact);
}

/** The one name of a format that goes by several. */
function formatNamed(name: string): string {
  const type = name.split(';')[0]!.trim().toLowerCase();
  if (/^((application|text)\/([\w.-]+\+)?)?json$/.test(type)) return 'json';
  if (/^(application\/)?dw$/.test(type)) return 'dw';
  return type === 'text/plain' ? 'text' : '';
}

/** `read`: the value of a text in one of the formats. */
export function readFormat(ev: Evaluation, source: string, format = 'application/json'): Value {
  ev.text(source.length);
  switch (formatNamed(format)) {
    case 'json':
      return readJson(ev, source);
    case 'text':
      return source;
  }
  throw new Fault('DW_UNSUPPORTED_SYNTAX', 'Only JSON and plain text can be read');
}

/** `write`: a value as a text in one of the formats. */
export function writeFormat(ev: Evaluation, value: Value, format = 'application/dw', options: Value = null): Value {
  const out = written(ev, value, formatNamed(format), optionsOf(options));
  ev.text(out.length);
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
