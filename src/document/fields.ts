import type { Json } from '../json/value.js';
import type { Code } from '../problems/registry.js';
import type { Place } from './place.js';
import { didYouMean } from './suggest.js';

const identifierPattern = /^[A-Za-z_][A-Za-z0-9_]*$/;
const headerPattern = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** What to say about a pattern that other engines would accept. */
export const linearPatterns = 'Patterns run in linear time: look-ahead and back-references are not available.';

/** What a value is called in a message. */
export function describe(value: Json | undefined): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  return typeof value === 'string' ? `the text ${JSON.stringify(value.slice(0, 60))}` : `the ${typeof value} ${value}`;
}

/** What something that is looked up by name is called in a message. */
export function named(value: Json | undefined): string {
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 60)) : describe(value);
}

/** How a mapper is written, for messages. */
export const asMapper = 'Write it as { mapper: { lang: dataweave, expr: … } }.';

/** The text with a capital letter, to begin a sentence. */
export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A non-empty text, or a finding with `code`. */
export function text(place: Place, code: Code, name: string): string | undefined {
  if (typeof place.value === 'string' && place.value.trim() !== '') return place.value;
  const quote = typeof place.value === 'number' || typeof place.value === 'boolean' ? 'Put it in quotes.' : undefined;
  if (place.value === undefined) place.error(code, `${name} is missing; it must be a non-empty text.`);
  else place.error(code, `${name} must be a non-empty text, not ${describe(place.value)}.`, quote);
  return undefined;
}

/** As `text`, for a field that may be absent. */
export function optionalText(place: Place, code: Code, name: string): string | undefined {
  return place.value === undefined ? undefined : text(place, code, name);
}

/** The name of a context variable. */
export function identifier(place: Place, name: string): string | undefined {
  if (typeof place.value === 'string' && identifierPattern.test(place.value)) return place.value;
  const bare = typeof place.value === 'string' ? /^(?:\$\{)?context\.(\w+)\}?$/.exec(place.value)?.[1] : undefined;
  const hint = bare === undefined ? undefined : `Write ${bare}: it is a name in the context.`;
  place.error('IDENT', `${name} must be a variable name, not ${describe(place.value)}.`, hint);
  return undefined;
}

export function optionalIdentifier(place: Place, name: string): string | undefined {
  return place.value === undefined ? undefined : identifier(place, name);
}

/** A whole number of at least `min`. */
export function integer(place: Place, code: Code, name: string, min = 1): number | undefined {
  if (typeof place.value === 'number' && Number.isSafeInteger(place.value) && place.value >= min) return place.value;
  const hint = typeof place.value === 'string' ? numberIn(place.value, name) : undefined;
  place.error(code, `${name} must be a whole number, at least ${min}, not ${describe(place.value)}.`, hint);
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

/** What to write for a text that means a number: one in quotes, or a time with its unit. */
function numberIn(text: string, name: string): string | undefined {
  if (/^\d+$/.test(text)) return `Write ${Number(text)}, without quotes.`;
  const [, amount, unit = ''] = /^(?:PT)?(\d+(?:\.\d+)?) ?([a-z]+)$/i.exec(text) ?? [];
  const [counted, inWords] = name.endsWith('Ms') ? [1, 'milliseconds'] : [1000, 'seconds'];
  const value = (Number(amount) * (unitMillis[unit.toLowerCase()] ?? Number.NaN)) / counted;
  return /(Ms|Sec|Seconds)$/.test(name) && Number.isInteger(value) ? `Write ${value}: it is in ${inWords}.` : undefined;
}

export function optionalInteger(place: Place, code: Code, name: string, min = 1): number | undefined {
  return place.value === undefined ? undefined : integer(place, code, name, min);
}

export function optionalBoolean(place: Place, code: Code, name: string): boolean | undefined {
  if (place.value === undefined || typeof place.value === 'boolean') return place.value;
  place.error(code, `${name} must be true or false, not ${describe(place.value)}.`);
  return undefined;
}

/** One of a few words. */
export function oneOf<T extends string>(place: Place, values: readonly T[], code: Code, name: string): T | undefined {
  const found = values.find((value) => value === place.value);
  if (found === undefined) {
    const hint = typeof place.value === 'string' ? didYouMean(place.value, values) : `Known: ${values.join(', ')}.`;
    place.error(code, `${name} must be one of ${values.join(', ')}, not ${describe(place.value)}.`, hint);
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

/** True when the value is an object; reports anything else that is present. */
export function isBlock(place: Place, code: Code, name: string, hint?: string): boolean {
  if (place.object) return true;
  if (place.value !== undefined) place.error(code, `${name} must be an object, not ${describe(place.value)}.`, hint);
  return false;
}

/** A list of non-empty texts. */
export function texts(place: Place, code: Code, name: string): string[] {
  if (place.value === undefined) return [];
  if (!Array.isArray(place.value)) {
    place.error(code, `${name} must be a list, not ${describe(place.value)}.`);
    return [];
  }
  return place.items().flatMap((item) => text(item, code, `An entry of ${name}`) ?? []);
}

/** A list; reports anything else that is present. */
export function list(place: Place, code: Code, name: string): Place[] {
  if (place.value !== undefined && !Array.isArray(place.value))
    place.error(code, `${name} must be a list, not ${describe(place.value)}.`);
  return place.items();
}

/** A header's name. */
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

/** Adds a member only when there is a value: definitions never hold `undefined`. */
export function given<K extends string, T>(key: K, value: T | undefined): { [P in K]?: T } {
  return (value === undefined ? {} : { [key]: value }) as { [P in K]?: T };
}
