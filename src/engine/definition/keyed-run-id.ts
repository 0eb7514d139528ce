import type { Json } from '../../base/json/value.js';

/** The longest key in characters. With the journey's name and our own suffixes, an id stays below the 255 characters of SQL databases. */
export const maxKeyLength = 128;

/** The first part of the ids of our own workflows that contain a slash. */
export const runNowPrefix = 'run-now';

/** Names of journeys whose keyed ids would begin like the ids of our own workflows. */
export const reservedKeyPrefixes: readonly string[] = [runNowPrefix];

/** The workflow id of the run with a key. Only such an id contains a slash, so it never equals a generated one. */
export function keyedRunId(journey: string, key: string): string {
  return `${journey}/${key}`;
}

/** A text that no other run has: its id, which the runs of one key share, and its nonce. */
export function uniqueRunId({ id, nonce }: { id: string; nonce?: string }): string {
  return nonce === undefined ? id : `${id}/${nonce}`;
}

/** The text of a key; numbers become texts. */
export function textOfKey(value: Json): string {
  return typeof value === 'number' ? String(value) : (value as string);
}

/** Why a value cannot be a key; undefined if it can. */
export function keyFault(value: Json): string | undefined {
  if (typeof value === 'number') return undefined;
  if (typeof value !== 'string') return `it is ${kindOf(value)}, not a text or number`;
  if (value.trim() === '') return 'it is empty';
  if (value.length > maxKeyLength) return `it has ${value.length} characters, and at most ${maxKeyLength} are allowed`;
  if (value.includes('/')) return 'it contains a slash';
  if (/[\p{Cc}\u2028\u2029]/u.test(value)) return 'it contains a control character';
  if (value.trim() !== value) return 'it begins or ends with a space';
  // URLs drop such a segment, in any encoding.
  if (value === '.' || value === '..') return 'it is a dot, which URLs drop';
  if (!isWellFormed(value)) return 'it contains half of a surrogate pair';
  return undefined;
}

function isWellFormed(text: string): boolean {
  return !/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(text);
}

function kindOf(value: Json): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
