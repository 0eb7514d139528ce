/** Plain JSON, the only data a journey ever holds. Objects built from user data have no prototype. */
export type Json = null | boolean | number | string | Json[] | JsonObject;
export interface JsonObject {
  [key: string]: Json;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An object without a prototype: `__proto__` and `constructor` are ordinary keys in it. */
export function emptyObject(): JsonObject {
  return Object.create(null) as JsonObject;
}

/** The own property of `value` called `key`, or undefined: never one that comes from a prototype. */
export function own(value: Json | undefined, key: string): Json | undefined {
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** A deep copy whose objects have no prototype. */
export function copy<T extends Json>(value: T): T {
  if (Array.isArray(value)) return value.map(copy) as T;
  if (!isObject(value)) return value;
  const out = emptyObject();
  for (const key of Object.keys(value)) out[key] = copy(value[key] as Json);
  return out as T;
}

/** Structural equality; the order of keys does not matter. */
export function equal(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, i) => equal(item, b[i]));
  if (!isObject(a) || !isObject(b)) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && equal(a[key], b[key]));
}

/** JSON text with sorted keys: the same value always gives the same text. */
export function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const fields = Object.keys(value)
    .sort()
    .filter((key) => value[key] !== undefined)
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key] as Json)}`);
  return `{${fields.join(',')}}`;
}
