import type { Json } from '../json/value.js';
import type { Code } from '../problems/registry.js';
import { didYouMean } from './did-you-mean.js';
import type { Place } from './placed-value.js';

const identifierPattern = /^[A-Za-z_][A-Za-z0-9_]*$/;
const headerPattern = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** Hint for a pattern that backtracking engines accept and RE2 does not. */
export const linearPatterns = 'Patterns run in linear time: look-ahead and back-references are not available.';

/** Describes a value, by its type, for a message. */
export function describeType(value: Json | undefined): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  return typeof value === 'string' ? `the text ${JSON.stringify(value.slice(0, 60))}` : `the ${typeof value} ${value}`;
}

/** Quotes a name that was not found, for a message; any other value is described by its type. */
export function quoteName(value: Json | undefined): string {
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 60)) : describeType(value);
}

/** Hint that shows how to write an expression. */
export const asExpression = 'Write it as { expr: … }.';

/** The text with its first letter in upper case, for the start of a sentence. */
export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A non-empty text, or a finding with `code`. */
export function text(place: Place, code: Code, name: string): string | undefined {
  if (typeof place.value === 'string' && place.value.trim() !== '') return place.value;
  const quote = typeof place.value === 'number' || typeof place.value === 'boolean' ? 'Put it in quotes.' : undefined;
  if (place.value === undefined) place.error(code, `${name} is missing; it must be a non-empty text.`);
  else place.error(code, `${name} must be a non-empty text, not ${describeType(place.value)}.`, quote);
  return undefined;
}

/** As `text`, for a field that may be absent. */
export function optionalText(place: Place, code: Code, name: string): string | undefined {
  return place.value === undefined ? undefined : text(place, code, name);
}

/** The name of a context variable, or a finding. */
export function identifier(place: Place, name: string): string | undefined {
  if (typeof place.value === 'string' && identifierPattern.test(place.value)) return place.value;
  const bare = typeof place.value === 'string' ? /^(?:\$\{)?context\.(\w+)\}?$/.exec(place.value)?.[1] : undefined;
  const hint = bare === undefined ? undefined : `Write ${bare}: it names a field of the context.`;
  place.error('IDENT', `${name} must be a variable name, not ${describeType(place.value)}.`, hint);
  return undefined;
}

export function optionalIdentifier(place: Place, name: string): string | undefined {
  return place.value === undefined ? undefined : identifier(place, name);
}

/** A whole number of at least `min`, or a finding with `code`. */
export function integer(place: Place, code: Code, name: string, min = 1): number | undefined {
  if (typeof place.value === 'number' && Number.isSafeInteger(place.value) && place.value >= min) return place.value;
  const hint = typeof place.value === 'string' ? numberHint(place.value, name) : undefined;
  place.error(code, `${name} must be a whole number, at least ${min}, not ${describeType(place.value)}.`, hint);
  return undefined;
}

const unitMillis: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  sec: 1000,
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
};

/** Hint for a number that was written as text: in quotes, or as a duration with its unit. */
function numberHint(text: string, name: string): string | undefined {
  if (/^\d+$/.test(text)) return `Write ${Number(text)}, without quotes.`;
  const [, amount, unit = ''] = /^(?:PT)?(\d+(?:\.\d+)?) ?([a-z]+)$/i.exec(text) ?? [];
  const [millis, unitName] = name.endsWith('Ms') ? [1, 'milliseconds'] : [1000, 'seconds'];
  const value = (Number(amount) * (unitMillis[unit.toLowerCase()] ?? Number.NaN)) / millis;
  return /(Ms|Sec|Seconds)$/.test(name) && Number.isInteger(value)
    ? `Write ${value}; the unit is ${unitName}.`
    : undefined;
}

export function optionalInteger(place: Place, code: Code, name: string, min = 1): number | undefined {
  return place.value === undefined ? undefined : integer(place, code, name, min);
}

export function optionalBoolean(place: Place, code: Code, name: string): boolean | undefined {
  if (place.value === undefined || typeof place.value === 'boolean') return place.value;
  place.error(code, `${name} must be true or false, not ${describeType(place.value)}.`);
  return undefined;
}

/** One of the allowed `values`, or a finding with `code`. */
export function oneOf<T extends string>(place: Place, values: readonly T[], code: Code, name: string): T | undefined {
  const found = values.find((value) => value === place.value);
  if (found === undefined) {
    const hint = typeof place.value === 'string' ? didYouMean(place.value, values) : `Known: ${values.join(', ')}.`;
    place.error(code, `${name} must be one of ${values.join(', ')}, not ${describeType(place.value)}.`, hint);
  }
  return found;
}

export function optionalOneOf<T extends string>(
  place: Place,
  values: readonly T[],
  code: Code,
  name: string,
): T | undefined {
  return place.value === undefined ? undefined : oneOf(place, values, code, name);
}

/** Whether the value is an object. Reports any other value that is present. */
export function isBlock(place: Place, code: Code, name: string, hint?: string): boolean {
  if (place.object) return true;
  if (place.value !== undefined)
    place.error(code, `${name} must be an object, not ${describeType(place.value)}.`, hint);
  return false;
}

/** A list of non-empty texts. */
export function texts(place: Place, code: Code, name: string): string[] {
  if (place.value === undefined) return [];
  if (!Array.isArray(place.value)) {
    place.error(code, `${name} must be a list, not ${describeType(place.value)}.`);
    return [];
  }
  return place.items().flatMap((item) => text(item, code, `An entry of ${name}`) ?? []);
}

/** The items of a list. Reports any other value that is present. */
export function list(place: Place, code: Code, name: string): Place[] {
  if (place.value !== undefined && !Array.isArray(place.value))
    place.error(code, `${name} must be a list, not ${describeType(place.value)}.`);
  return place.items();
}

/** Whether a text is a valid HTTP header name. */
export function headerName(name: string): boolean {
  return headerPattern.test(name);
}

/** A dot path into the context, without array indexes. */
export function dotPath(place: Place, code: Code, name: string): string[] | undefined {
  const value = text(place, code, name);
  if (value === undefined) return undefined;
  const parts = value.split('.');
  if (parts.every((part) => part !== '' && !/[\s[\]{}]/.test(part))) return parts;
  place.error('PATH_SYNTAX', `${name} is not a dot path: ${JSON.stringify(value)}.`);
  return undefined;
}

/** `{ [key]: value }`, or `{}` if the value is undefined: definitions never contain `undefined`. */
export function ifDefined<K extends string, T>(key: K, value: T | undefined): { [P in K]?: T } {
  return (value === undefined ? {} : { [key]: value }) as { [P in K]?: T };
}
