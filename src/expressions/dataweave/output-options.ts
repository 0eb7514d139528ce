import type { Value } from './runtime/values.js';

/** How JSON is written: options of an `output` directive, or of `write`. */
export interface JsonOutput {
  /** Without line breaks. */
  readonly compact: boolean;
  /** Whether null fields, or null items, are left out. */
  readonly skipFields: boolean;
  readonly skipItems: boolean;
  /** Whether the values of a repeated key become one array. */
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

/** Those of the given options that matter here. */
export function jsonOutput(options: ReadonlyMap<string, Value>): JsonOutput {
  const skip = options.get('skipNullOn');
  return {
    compact: options.get('indent') === false,
    skipFields: skip === 'objects' || skip === 'everywhere',
    skipItems: skip === 'arrays' || skip === 'everywhere',
    gather: options.get('duplicateKeyAsArray') === true,
  };
}

/** How JSON is written where nothing is said about it. */
export const plainOutput: JsonOutput = jsonOutput(new Map());
