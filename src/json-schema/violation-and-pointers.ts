import { escapePointer } from '../base/json/pointer.js';
import type { Json } from '../base/json/value.js';

/** A violation of a schema by a value. */
export interface SchemaError {
  /** JSON pointer into the value; empty for the value itself. */
  pointer: string;
  keyword: string;
  message: string;
  /** JSON pointer into the schema, along the references that were followed. */
  schemaPointer: string;
  /** The property that is missing, surplus or wrongly named. */
  property?: string;
  /** The value of the keyword, if a message uses it. */
  argument?: Json;
}

/** A place in the value and in the schema that applies to it. */
export interface Pointers {
  pointer: string;
  schemaPointer: string;
}

/** One step deeper into value and schema. */
export function below(at: Pointers, key: string | number, ...schemaKeys: (string | number)[]): Pointers {
  return { pointer: `${at.pointer}/${escapePointer(key)}`, schemaPointer: extend(at.schemaPointer, schemaKeys) };
}

/** The same place in the value, deeper into the schema. */
export function inSchema(at: Pointers, ...schemaKeys: (string | number)[]): Pointers {
  return { pointer: at.pointer, schemaPointer: extend(at.schemaPointer, schemaKeys) };
}

/** A pointer with further keys. */
export function extend(pointer: string, keys: (string | number)[]): string {
  return keys.reduce<string>((text, key) => `${text}/${escapePointer(key)}`, pointer);
}
