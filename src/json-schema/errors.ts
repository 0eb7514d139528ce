import type { Json } from '../json/value.js';

/** One way in which a value does not match its schema. */
export interface SchemaError {
  /** JSON pointer into the value; empty for the value itself. */
  pointer: string;
  keyword: string;
  message: string;
  /** JSON pointer into the schema, following references as they were taken. */
  schemaPointer: string;
  /** The property that is missing, surplus or wrongly named. */
  property?: string;
  /** The value of the keyword, where a message can use it. */
  argument?: Json;
}

/** A place in the value together with the place in the schema that applies to it. */
export interface Place {
  pointer: string;
  schemaPointer: string;
}

/** One step deeper into value and schema. */
export function below(at: Place, key: string | number, ...schemaKeys: (string | number)[]): Place {
  return { pointer: `${at.pointer}/${escapeKey(key)}`, schemaPointer: extend(at.schemaPointer, schemaKeys) };
}

/** The same place in the value, deeper into the schema. */
export function within(at: Place, ...schemaKeys: (string | number)[]): Place {
  return { pointer: at.pointer, schemaPointer: extend(at.schemaPointer, schemaKeys) };
}

/** A pointer with further keys. */
export function extend(pointer: string, keys: (string | number)[]): string {
  return keys.reduce<string>((text, key) => `${text}/${escapeKey(key)}`, pointer);
}

function escapeKey(key: string | number): string {
  return typeof key === 'number' ? String(key) : key.replaceAll('~', '~0').replaceAll('/', '~1');
}
