import { pointerParts } from '../../../base/json/pointer.js';
import { isObject, type Json, type JsonObject, own } from '../../../base/json/value.js';

/** One level of the path to a line: the key that leads there, and the scalars beside it. */
export interface Level {
  readonly key: string;
  /** Fields of the object that contains the key, as far as they are scalars on one line. */
  readonly siblings: ReadonlyMap<string, string>;
}

/** The schemas that apply at a path, without references: all alternatives that the values beside the path do not exclude. */
export function schemasAt(root: Json, path: readonly Level[], siblings: ReadonlyMap<string, string>): JsonObject[] {
  let found = expanded(root, root, path[0]?.siblings ?? siblings);
  for (const [index, { key }] of path.entries()) {
    const beside = path[index + 1]?.siblings ?? siblings;
    found = found.flatMap((schema) => below(schema, key)).flatMap((schema) => expanded(root, schema, beside));
  }
  return found;
}

/** Fields that an object may have at a path, with their schemas; the first description wins. */
export function fieldsIn(schemas: readonly JsonObject[]): Map<string, Json> {
  const fields = new Map<string, Json>();
  for (const schema of schemas) {
    const properties = own(schema, 'properties');
    if (!isObject(properties)) continue;
    for (const [name, field] of Object.entries(properties))
      if (!fields.has(name) || ownDescription(fields.get(name)) === undefined) fields.set(name, field as Json);
  }
  return fields;
}

/** Values that a scalar may have at a path. */
export function valuesIn(schemas: readonly JsonObject[]): string[] {
  const values = schemas.flatMap((schema) => {
    const listed = own(schema, 'enum');
    const only = own(schema, 'const');
    if (Array.isArray(listed)) return listed;
    if (only !== undefined) return [only];
    return own(schema, 'type') === 'boolean' ? [true, false] : [];
  });
  return [...new Set(values.filter((it) => typeof it !== 'object').map(String))];
}

/** The description of a schema, of the parts that it refers to if it has none. */
export function descriptionOf(root: Json, schema: Json | undefined): string | undefined {
  return (
    ownDescription(schema) ??
    expanded(root, schema, new Map())
      .map(ownDescription)
      .find((it) => it !== undefined)
  );
}

function ownDescription(schema: Json | undefined): string | undefined {
  const text = own(schema, 'description');
  return typeof text === 'string' ? text : undefined;
}

function below(schema: JsonObject, key: string): Json[] {
  if (/^\d+$/.test(key) && own(schema, 'items') !== undefined) return [own(schema, 'items')!];
  const field = own(own(schema, 'properties'), key);
  const other = own(schema, 'additionalProperties');
  if (field !== undefined) return [field];
  return isObject(other) ? [other] : [];
}

const deepest = 12;

/** The schema and everything that it consists of: references, alternatives, and conditions that hold. */
function expanded(
  root: Json,
  schema: Json | undefined,
  siblings: ReadonlyMap<string, string>,
  depth = 0,
): JsonObject[] {
  if (!isObject(schema) || depth > deepest) return [];
  const inner = (it: Json | undefined) => expanded(root, it, siblings, depth + 1);
  const ref = own(schema, '$ref');
  const referred =
    typeof ref === 'string' && ref.startsWith('#')
      ? inner(pointerParts(ref).reduce<Json | undefined>((at, part) => own(at, part), root))
      : [];
  const parts = ['allOf', 'anyOf', 'oneOf'].flatMap((name) => {
    const list = own(schema, name);
    return Array.isArray(list) ? list.flatMap(inner) : [];
  });
  const condition = own(schema, 'if');
  const conditional = condition === undefined ? [] : inner(own(schema, holds(condition, siblings) ? 'then' : 'else'));
  return [schema, ...referred, ...parts, ...conditional];
}

/** Whether the constants of a condition are those beside the cursor. */
function holds(condition: Json, siblings: ReadonlyMap<string, string>): boolean {
  const properties = own(condition, 'properties');
  return Object.entries(isObject(properties) ? properties : {}).every(
    ([name, it]) => own(it as Json, 'const') === siblings.get(name),
  );
}
