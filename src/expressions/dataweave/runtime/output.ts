import { maxDepth } from './boundary.js';
import type { Run } from './evaluation.js';
import { Fault } from './fault.js';
import { bare, DwObject, isObjectValue, keyList, type Value, valueList } from './values.js';

/** How JSON is written: options of an `output` directive, or of `write`. */
export interface JsonOutput {
  /** Without line breaks. */
  readonly compact: boolean;
  /** Whether fields, or items, that are null are left out. */
  readonly skipFields: boolean;
  readonly skipItems: boolean;
  /** Whether the values of a key that repeats become one array. */
  readonly gather: boolean;
}

/** The type each option of the JSON writer must have. */
const optionTypes: ReadonlyMap<string, string> = new Map([
  ['indent', 'boolean'],
  ['writeAttributes', 'boolean'],
  ['duplicateKeyAsArray', 'boolean'],
  ['deferred', 'boolean'],
  ['skipNullOn', 'string'],
  ['encoding', 'string'],
  ['bufferSize', 'number'],
]);

/** What is wrong with an option, or null. */
export function wrongOption(name: string, value: Value): string | null {
  const type = optionTypes.get(name);
  if (!type) return `There is no option '${name}'`;
  return typeof value === type ? null : `The option '${name}' must be a ${type}`;
}

/** The options that matter, of all that are given. */
export function jsonOutput(options: ReadonlyMap<string, Value>): JsonOutput {
  const skip = options.get('skipNullOn');
  return {
    compact: options.get('indent') === false,
    skipFields: skip === 'objects' || skip === 'everywhere',
    skipItems: skip === 'arrays' || skip === 'everywhere',
    gather: options.get('duplicateKeyAsArray') === true,
  };
}

export const plainOutput: JsonOutput = jsonOutput(new Map());

/** The value that is written for `value` under these options. */
export function shaped(run: Run, given: Value, output: JsonOutput, depth = 0): Value {
  if (!output.skipFields && !output.skipItems && !output.gather) return given;
  const value = bare(given);
  run.charge(1);
  if (depth > maxDepth) throw new Fault('DW_MAX_RESULT_SIZE_EXCEEDED', `The result nests deeper than ${maxDepth}`);
  if (Array.isArray(value)) {
    const kept = output.skipItems ? value.filter((it) => bare(it) !== null) : value;
    return kept.map((it) => shaped(run, it, output, depth + 1));
  }
  if (!isObjectValue(value)) return value;
  const out = new DwObject();
  const values = valueList(value);
  const gathered = new Map<string, Value[]>();
  for (const [i, key] of keyList(value).entries()) {
    if (output.skipFields && bare(values[i]!) === null) continue;
    const item = shaped(run, values[i]!, output, depth + 1);
    const others = gathered.get(key);
    if (others) others.push(item);
    else out.add(key, item);
    if (output.gather && !others) gathered.set(key, [item]);
  }
  for (const [i, key] of out.keys.entries()) {
    const items = gathered.get(key);
    if (items && items.length > 1) out.values[i] = items;
  }
  return out;
}
