import { pointerParts } from '../../../base/json/pointer.js';
import { isObject, type Json, own } from '../../../base/json/value.js';
import { mergeShapes, objectShape, type Shape, unionShape } from '../../../expressions/value-shape.js';

/** Depth at which the search stops, because references may be circular. */
const deepest = 6;

/**
 * The fields that values of a JSON Schema may have. A schema that names fields usually names all of them, but without
 * `additionalProperties: false` it accepts others, so those are `undeclared`, not forbidden.
 */
export function schemaShape(schema: Json | undefined, root: Json | undefined = schema, depth = deepest): Shape {
  if (!isObject(schema) || depth === 0) return 'anything';
  const ref = own(schema, '$ref');
  if (ref !== undefined) return typeof ref === 'string' ? schemaShape(find(ref, root), root, depth - 1) : 'anything';
  if (['if', 'not', 'patternProperties', 'propertyNames', 'dependentSchemas', '$dynamicRef'].some((it) => it in schema))
    return 'anything';
  let shape = own(schema, 'properties') === undefined ? undefined : ownShape(schema, root, depth);
  for (const part of listOf(schema, 'allOf')) {
    const inner = schemaShape(part, root, depth - 1);
    shape = shape === undefined ? inner : mergeShapes(shape, inner);
  }
  for (const key of ['oneOf', 'anyOf']) {
    const parts = listOf(schema, key);
    if (parts.length === 0) continue;
    const inner = parts.map((part) => schemaShape(part, root, depth - 1)).reduce(unionShape);
    shape = shape === undefined ? inner : mergeShapes(shape, inner);
  }
  return shape ?? scalarOf(schema);
}

/** The shape of values without parts, by `type`, or by the values that `const` or `enum` lists. */
function scalarOf(schema: Json): Shape {
  const type = own(schema, 'type');
  if (type !== undefined)
    return [type]
      .flat()
      .map((it) => scalarTypes[String(it)] ?? 'anything')
      .reduce(unionShape);
  const values = own(schema, 'enum') ?? [own(schema, 'const')];
  if (!Array.isArray(values) || values.length === 0) return 'anything';
  return values.map((it) => scalarTypes[it === null ? 'null' : typeof it] ?? 'anything').reduce(unionShape);
}

const scalarTypes: Readonly<Record<string, Shape>> = {
  string: 'text',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'nothing',
};

function ownShape(schema: Json, root: Json | undefined, depth: number): Shape {
  const others = own(schema, 'additionalProperties') ?? own(schema, 'unevaluatedProperties');
  const properties = own(schema, 'properties');
  const fields = Object.keys(isObject(properties) ? properties : {}).map(
    (name) => [name, schemaShape(own(properties, name), root, depth - 1)] as const,
  );
  return objectShape(fields, others === false ? 'none' : others === undefined ? 'undeclared' : 'any');
}

function listOf(schema: Json, key: string): Json[] {
  const value = own(schema, key);
  return Array.isArray(value) ? value : [];
}

function find(ref: string, root: Json | undefined): Json | undefined {
  if (ref === '#') return root;
  if (!ref.startsWith('#/')) return undefined;
  return pointerParts(ref).reduce<Json | undefined>((at, part) => own(at, part), root);
}
