import { isObject, type Json, type JsonObject } from '../../src/base/json/value.js';

/** A schema without descriptions, with the parts of an `allOf` put together. */
export function flat(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(flat);
  if (!isObject(schema)) return schema;
  const { description: _, title: __, allOf, ...rest } = schema;
  const out: JsonObject = {};
  for (const [key, value] of Object.entries(rest)) {
    const isNamed = key === 'properties' && isObject(value);
    out[key] = isNamed ? Object.fromEntries(Object.entries(value).map(([name, it]) => [name, flat(it)])) : flat(value);
  }
  return (Array.isArray(allOf) ? allOf : []).map(flat).reduce<Json>((all, part) => together(all, part), out);
}

function together(one: Json, other: Json): Json {
  if (!isObject(one) || !isObject(other))
    return Array.isArray(one) && Array.isArray(other) ? [...new Set([...one, ...other])] : other;
  const merged: JsonObject = { ...one };
  for (const [key, value] of Object.entries(other))
    merged[key] = Object.hasOwn(one, key) ? together(one[key]!, value) : value;
  return merged;
}
