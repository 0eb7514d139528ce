import { equal, isObject, type Json, type JsonObject } from './value.js';

/** A value without the fields that equal those of `usual`, at any depth. */
export function withoutUsual<T extends object>(value: T, usual: object): Partial<T> {
  const fields = Object.entries(value).flatMap(([key, field]: [string, Json]) => {
    const common = own(usual, key);
    if (common === undefined) return [[key, field]];
    if (equal(field, common)) return [];
    return [[key, isObject(field) && isObject(common) ? withoutUsual(field, common) : field]];
  });
  return Object.fromEntries(fields) as Partial<T>;
}

/** The value again: with the fields of `usual` that it does not have, at any depth. */
export function withUsual(value: object, usual: object): JsonObject {
  const restored: JsonObject = { ...(usual as JsonObject), ...(value as JsonObject) };
  for (const [key, field] of Object.entries(value) as [string, Json][]) {
    const common = own(usual, key);
    if (isObject(field) && isObject(common)) restored[key] = withUsual(field, common);
  }
  return restored;
}

function own(value: object, key: string): Json | undefined {
  return Object.hasOwn(value, key) ? (value as JsonObject)[key] : undefined;
}
