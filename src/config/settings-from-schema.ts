import type { Json, JsonObject } from '../base/json/value.js';
import { emptyObject } from '../base/json/value.js';
import type { Schema } from './config-schema-builders.js';

/** A setting: a leaf of the schema, with its path and environment variable. */
export interface Setting {
  readonly path: readonly string[];
  /** The dotted path, as in the documentation. */
  readonly name: string;
  /** `JOURNEYMAN_` and the path in capitals: `gateway.bodyLimit` is `JOURNEYMAN_GATEWAY_BODY_LIMIT`. */
  readonly variable: string;
  readonly schema: Schema;
}

/** All settings of `schema`, in its order. Lists and maps are one setting: a variable sets them as a whole. */
export function settingsOf(schema: Schema, path: readonly string[] = []): Setting[] {
  if (schema.properties === undefined) {
    return [{ path, name: path.join('.'), variable: variableOf(path), schema }];
  }
  return Object.entries(schema.properties).flatMap(([key, child]) => settingsOf(child, [...path, key]));
}

function variableOf(path: readonly string[]): string {
  return ['JOURNEYMAN', ...path.map((part) => part.replace(/([A-Z])/g, '_$1').toUpperCase())].join('_');
}

/** Completes `value` with the defaults of `schema`. Sections are always created, unless they have required keys. */
export function withDefaults(schema: Schema, value: Json | undefined): Json | undefined {
  if (schema.properties === undefined) {
    const items = schema.items;
    if (Array.isArray(value) && items !== undefined) return value.map((item) => withDefaults(items, item) as Json);
    return value ?? schema.default;
  }
  if (value === undefined && !hasDefaults(schema)) return undefined;
  const out = emptyObject();
  for (const [key, child] of Object.entries(schema.properties)) {
    const filled = withDefaults(child, (value as JsonObject | undefined)?.[key]);
    if (filled !== undefined) out[key] = filled;
  }
  return out;
}

function hasDefaults(schema: Schema): boolean {
  if (schema.required !== undefined) return false;
  if (schema.properties === undefined) return schema.default !== undefined;
  return Object.values(schema.properties).some(hasDefaults);
}

/** `value` with every `format: path` string passed through `resolve`. */
export function mapPaths(schema: Schema, value: Json, resolve: (path: string) => string): Json {
  if (typeof value === 'string') return schema.format === 'path' ? resolve(value) : value;
  if (Array.isArray(value)) return value.map((item) => mapPaths(schema.items ?? {}, item, resolve));
  if (value === null || typeof value !== 'object') return value;
  const out = emptyObject();
  for (const [key, item] of Object.entries(value)) out[key] = mapPaths(childSchema(schema, key), item, resolve);
  return out;
}

function childSchema(schema: Schema, key: string): Schema {
  const branch = schema.oneOf?.find((one) => one.properties !== undefined && Object.hasOwn(one.properties, key));
  const properties = branch?.properties ?? schema.properties;
  if (properties !== undefined && Object.hasOwn(properties, key)) return properties[key] as Schema;
  return typeof schema.additionalProperties === 'object' ? schema.additionalProperties : {};
}
