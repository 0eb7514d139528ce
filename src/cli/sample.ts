import type { Json, JsonObject } from '../json/value.js';

/** A value that a schema is likely to admit, for a command to try: its first example, its default, else the smallest that its type allows. */
export function sampleOf(schema: Json, name = 'text'): Json {
  if (schema === null || typeof schema !== 'object' || Array.isArray(schema)) return {};
  const { examples, enum: values, type, items = {} } = schema;
  const [given] = [...list(examples), ...['default', 'const'].flatMap((key) => schema[key] ?? []), ...list(values)];
  if (given !== undefined) return given;
  switch (Array.isArray(type) ? type[0] : type) {
    case 'string':
      return name;
    case 'boolean':
      return true;
    case 'integer':
    case 'number':
      return Math.max(1, typeof schema.minimum === 'number' ? schema.minimum : 1);
    case 'array':
      return Number(schema.minItems ?? 0) > 0 ? [sampleOf(items, name)] : [];
    default:
      return Object.fromEntries(
        list(schema.required).map((key) => [key, sampleOf(property(schema, String(key)), String(key))]),
      );
  }
}

function property({ properties }: JsonObject, key: string): Json {
  const known = properties as JsonObject | undefined;
  return known && Object.hasOwn(known, key) ? known[key]! : { type: 'string' };
}

function list(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}
