import type { Json } from '../base/json/value.js';
import { SchemaDocument } from './schema-document.js';
import { LimitReached, Validation } from './validation-state.js';
import type { SchemaError } from './violation-and-pointers.js';

/** Options and bounds of one validation; the same value and schema always reach them at the same point. */
export interface ValidateOptions {
  /** `format` asserts (as ajv-formats does) unless this is false; then it only annotates. */
  assertFormats: boolean;
  /** The most errors to report. */
  errors: number;
  /** The most schemas to apply plus characters and fields to compare. */
  work: number;
  /** The deepest nesting of the value, and of schemas applied inside each other. */
  depth: number;
}

const defaults: ValidateOptions = { assertFormats: true, errors: 50, work: 500_000, depth: 512 };

/**
 * Validates `value` against `schema` (JSON Schema 2020-12) and returns the violations. Interprets the schema: no generated code, user
 * patterns in linear time, bounded work. Exceeding a bound is a violation with the keyword `limit`.
 */
export function validate(schema: Json, value: Json, options: Partial<ValidateOptions> = {}): SchemaError[] {
  const bounds = { ...defaults, ...options };
  if (isDeeperThan(value, bounds.depth)) return [limitError(`must NOT be nested deeper than ${bounds.depth} levels`)];
  const run = new Validation(documentOf(schema), bounds);
  try {
    run.start(value);
    return run.errors;
  } catch (error) {
    if (!(error instanceof LimitReached)) throw error;
    return [...run.errors.slice(0, bounds.errors - 1), limitError(error.message)];
  }
}

function limitError(message: string): SchemaError {
  return { pointer: '', keyword: 'limit', message, schemaPointer: '' };
}

const documents = new WeakMap<object, SchemaDocument>();

/** Schemas are immutable parts of a definition, so their index is cached with them. */
function documentOf(schema: Json): SchemaDocument {
  if (typeof schema !== 'object' || schema === null) return new SchemaDocument(schema);
  let document = documents.get(schema);
  if (!document) {
    document = new SchemaDocument(schema);
    documents.set(schema, document);
  }
  return document;
}

function isDeeperThan(value: Json, limit: number): boolean {
  let level: Json[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > limit) return true;
    const next: Json[] = [];
    for (const item of level) {
      if (typeof item !== 'object' || item === null) continue;
      for (const child of Array.isArray(item) ? item : Object.values(item)) {
        if (typeof child === 'object' && child !== null) next.push(child);
      }
    }
    level = next;
  }
  return false;
}
