import type { Json } from '../json/value.js';
import { extend, type SchemaError } from './errors.js';

/** A violation as any validator reports it, as far as messages use it. */
export type Violation = Pick<SchemaError, 'pointer' | 'keyword' | 'message' | 'property' | 'argument'>;

/**
 * What to tell whoever sent the value about a violation, and which place it is about: a missing or surplus property is the place itself.
 * Starts and steps are checked by different validators but say the same.
 */
export function inWords(violation: Violation): { pointer: string; message: string } {
  const { pointer, property } = violation;
  return { pointer: property === undefined ? pointer : extend(pointer, [property]), message: wording(violation) };
}

/** Violations in a sentence; `whole` is what the value itself is called. */
export function inOneLine(errors: readonly { pointer?: string; message: string }[], whole: string): string {
  return errors.map(({ pointer, message }) => `${pointer || whole} ${message}`).join('; ');
}

function wording({ keyword, argument, message }: Violation): string {
  switch (keyword) {
    case 'const':
      return `must be ${listed([argument ?? null])}`;
    case 'enum':
      return `must be one of ${listed(Array.isArray(argument) ? argument : [])}`;
    case 'uniqueItems':
      return 'must not hold an item twice';
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
