import type { Task } from '../definition/definition.js';
import type { Place } from '../document/place.js';
import type { Json } from '../json/value.js';
import type { Scope } from '../reading/reading.js';

/** One task kind as the language knows it: its fields, its JSON Schema, and what turns them into the normalised task. */
export interface TaskKind {
  kind: string;
  /** Fields beside `kind`; anything else is an unknown field. */
  fields: readonly string[];
  /** JSON Schema 2020-12 of the task block, for editors. */
  schema: Json;
  read(block: Place, scope: Scope): Task | undefined;
}

/** The fields a kind's schema names, `kind` itself apart. */
export function fieldsOf(schema: { properties: object }): string[] {
  return Object.keys(schema.properties).filter((name) => name !== 'kind');
}
