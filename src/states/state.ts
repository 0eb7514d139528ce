import type { Graph } from '../definition/definition.js';
import { describe } from '../document/fields.js';
import type { Place } from '../document/place.js';
import { fixed, type ObjectSchema, part, shape } from '../document/schema-parts.js';
import type { StateRunner } from '../engine/vocabulary.js';
import { isObject, type Json, type JsonObject } from '../json/value.js';
import type { GraphReading } from '../reading/reading.js';

/** What every normalised state has; the rest is its type's own. */
export interface StateShape {
  type: string;
}

/** Where something stands below a state, as the parts of a JSON pointer. */
export type Path = readonly (string | number)[];

/** One state type of the language: its form, what reads it, what runs it, and where it leads. */
export interface StateType<S extends StateShape = StateShape> extends StateRunner<S> {
  readonly type: S['type'];
  /** JSON Schema 2020-12 of the whole state; what it does not name is an unknown field. */
  readonly schema: ObjectSchema;
  /** The state in its normal form; undefined when too little of it is understood to go on. */
  read(state: Place, graph: GraphReading, id: string): S | undefined;
  /** The states of the same graph it can go on to; its `next` where this is left out. */
  exits?(state: S): string[];
  /** The same state with each graph inside it replaced by what `change` gives; absent where none can be inside. */
  mapGraphs?(state: S, change: <G extends Graph>(graph: G, at: Path) => G): S;
  /** What a run comes to rest at here: a timer, or a step that waits for somebody's input. */
  readonly rest?: 'timer' | 'step';
}

/** The schema of a state: its type, its own fields, and nothing else. The examples, less their type, show every field. */
export function stateSchema(
  type: string,
  description: string,
  properties: Record<string, Json>,
  required: string[],
  examples: JsonObject[],
): ObjectSchema {
  const fields = { type: fixed(type, 'What the state does.'), ...properties };
  return {
    ...shape(description, fields, ['type', ...required]),
    examples: examples.map((example) => ({ type, ...example })),
  };
}

/** The schema of a reference to a state of the same graph. */
export const next = part('stateId', 'The state to go on to.');

/** The schema of a field that only old documents have. */
export function old(description: string): { description: string; deprecated: true } {
  return { description, deprecated: true };
}

/**
 * The block named after the state's type. Also checks the state's own keys against its schema. A key of the state inside the block,
 * or a key of the block beside it, is a sign of wrong indentation, and the hint says so.
 */
export function blockOf(
  state: Place,
  { type, schema }: Pick<StateType, 'type' | 'schema'>,
  blockKeys = fieldsOf(schema.properties[type] as ObjectSchema),
): Place | undefined {
  const stateKeys = fieldsOf(schema).filter((key) => key !== type);
  state.only([type, ...stateKeys], 'error', (key) => {
    if (blockKeys.includes(key)) return `It belongs one level deeper, under ${type}.`;
    return state.at(key).has('type') ? 'It looks like a state: indent it like the state it stands in.' : undefined;
  });
  const block = state.at(type);
  if (!block.object) {
    state.error(
      'STATE_BLOCK',
      `The state needs an object under ${type}, not ${describe(block.value)}.`,
      undefined,
      'key',
    );
    return undefined;
  }
  block.only(blockKeys, 'error', (key) => {
    if (stateKeys.includes(key)) return 'It belongs one level up, beside type.';
    const [inner, ...others] = blockKeys.filter((it) => isObject(fieldsAt(schema, type, it)?.[key]));
    return inner !== undefined && others.length === 0 ? `It belongs one level deeper, under ${inner}.` : undefined;
  });
  return block;
}

/** The fields of a block inside the state's own block, if it is one. */
function fieldsAt(schema: ObjectSchema, type: string, field: string): JsonObject | undefined {
  const block = schema.properties[type] as ObjectSchema;
  const inner = block.properties?.[field];
  return isObject(inner) && isObject(inner.properties) ? inner.properties : undefined;
}

/** The fields that a schema names. */
export function fieldsOf(schema: ObjectSchema): string[] {
  return Object.keys(schema.properties);
}
