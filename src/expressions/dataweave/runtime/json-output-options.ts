import { valueAttributes } from './attributes-and-metadata.js';
import { Fault } from './evaluation-fault.js';
import type { Evaluation } from './evaluation-state.js';
import { maxResultDepth } from './to-json.js';
import { DwObject, isObjectValue, keyList, type Value, valueList, withoutAnnotations } from './values.js';

/** JSON output options, from an `output` directive or `write`. */
export interface JsonOutput {
  /** Omits line breaks. */
  readonly compact: boolean;
  /** Omits null fields, or null items. */
  readonly skipFields: boolean;
  readonly skipItems: boolean;
  /** Collects the values of a repeated key in an array. */
  readonly gather: boolean;
  /** Writes attributes as fields, and a value other than an object as the field `__text` beside them. */
  readonly attributes: boolean;
}

/** Required type of each JSON writer option. */
const optionTypes: ReadonlyMap<string, string> = new Map([
  ['indent', 'boolean'],
  ['writeAttributes', 'boolean'],
  ['duplicateKeyAsArray', 'boolean'],
  ['deferred', 'boolean'],
  ['skipNullOn', 'string'],
  ['encoding', 'string'],
  ['bufferSize', 'number'],
]);

/** Error message for an option, or null if it is valid. */
export function jsonOptionError(name: string, value: Value): string | null {
  const type = optionTypes.get(name);
  if (!type) return `Unknown option '${name}'`;
  return typeof value === type ? null : `The option '${name}' must be a ${type}`;
}

/** Reads the options that this engine supports. */
export function jsonOutput(options: ReadonlyMap<string, Value>): JsonOutput {
  const skip = options.get('skipNullOn');
  return {
    compact: options.get('indent') === false,
    skipFields: skip === 'objects' || skip === 'everywhere',
    skipItems: skip === 'arrays' || skip === 'everywhere',
    gather: options.get('duplicateKeyAsArray') === true,
    attributes: options.get('writeAttributes') === true,
  };
}

/** Default JSON output options. */
export const defaultJsonOutput: JsonOutput = jsonOutput(new Map());

/** Applies the output options to `value`. */
export function applyJsonOptions(ev: Evaluation, given: Value, output: JsonOutput, depth = 0): Value {
  if (!output.skipFields && !output.skipItems && !output.gather && !output.attributes) return given;
  const value = withoutAnnotations(given);
  ev.charge(1);
  if (depth > maxResultDepth)
    throw new Fault('DW_MAX_RESULT_SIZE_EXCEEDED', `The result nests deeper than ${maxResultDepth}`);
  if (Array.isArray(value)) {
    const kept = output.skipItems ? value.filter((it) => withoutAnnotations(it) !== null) : value;
    return kept.map((it) => applyJsonOptions(ev, it, output, depth + 1));
  }
  if (!isObjectValue(value)) return value;
  const out = new DwObject();
  const values = valueList(value);
  const gathered = new Map<string, Value[]>();
  for (const [i, key] of keyList(value).entries()) {
    if (output.skipFields && withoutAnnotations(values[i]!) === null) continue;
    const item = applyJsonOptions(ev, attributesAsFields(values[i]!, output), output, depth + 1);
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

function attributesAsFields(given: Value, output: JsonOutput): Value {
  const attributes = output.attributes ? valueAttributes(given) : null;
  if (!attributes || attributes.size === 0) return given;
  const value = withoutAnnotations(given);
  const [keys, values] = isObjectValue(value) ? [keyList(value), valueList(value)] : [['__text'], [value]];
  return new DwObject([...attributes.keys.map((key) => `@${key}`), ...keys], [...attributes.values, ...values]);
}
