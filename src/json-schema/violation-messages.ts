import type { Json } from '../base/json/value.js';
import { extend, type SchemaError } from './violation-and-pointers.js';

/** The parts of a validator's violation that messages use. */
export type Violation = Pick<SchemaError, 'pointer' | 'keyword' | 'message' | 'property' | 'argument'>;

/**
 * The message and the place of a violation, for the sender of the value; a missing or surplus property is the place itself.
 * Starts and steps are checked by different validators with the same messages.
 */
export function violationText(violation: Violation): { pointer: string; message: string } {
  const { pointer, property } = violation;
  return { pointer: property === undefined ? pointer : extend(pointer, [property]), message: wording(violation) };
}

/** Violations in a sentence; `whole` is the name of the value itself. */
export function violationsText(errors: readonly { pointer?: string; message: string }[], whole: string): string {
  return errors.map(({ pointer, message }) => `${pointer || whole} ${message}`).join('; ');
}

function wording({ keyword, argument, message }: Violation): string {
  switch (keyword) {
    case 'const':
      return `must be ${listed([argument ?? null])}`;
    case 'enum':
      return `must be one of ${listed(Array.isArray(argument) ? argument : [])}`;
    case 'uniqueItems':
      return 'must not contain an item twice';
    case 'format':
      return `must match format "${String(argument)}"`;
    case 'required':
      return 'is required';
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return 'is not a known property';
    case 'false schema':
      return 'is not allowed here';
    default:
      return message;
  }
}

function listed(values: readonly Json[]): string {
  const texts = values.slice(0, 20).map((it) => JSON.stringify(it));
  return `${texts.join(', ')}${values.length > texts.length ? ', …' : ''}`.slice(0, 500);
}
