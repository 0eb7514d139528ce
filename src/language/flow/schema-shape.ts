import { either, objectOf, over, type Shape } from '../../expressions/shapes/shape.js';
import { pointerParts } from '../../json/pointer.js';
import { isObject, type Json, own } from '../../json/value.js';

/** References may lead back to themselves; further than this nobody looks. */
const deepest = 6;

/**
 * The fields that values of a JSON Schema may have. A schema that names fields and says nothing of others means those it names, as
 * authors write them; but it lets others pass, so they are `undeclared`, not forbidden.
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
    shape = shape === undefined ? inner : over(shape, inner);
  }
  for (const key of ['oneOf', 'anyOf']) {
    const parts = listOf(schema, key);
    if (parts.length === 0) continue;
    const inner = parts.map((part) => schemaShape(part, root, depth - 1)).reduce(either);
    shape = shape === undefined ? inner : over(shape, inner);
  }
  return shape ?? (own(schema, 'type') === 'null' ? 'nothing' : 'anything');
}

function ownShape(schema: Json, root: Json | undefined, depth: number): Shape {
  const others = own(schema, 'additionalProperties') ?? own(schema, 'unevaluatedProperties');
  const properties = own(schema, 'properties');
  const fields = Object.keys(isObject(properties) ? properties : {}).map(
    (name) => [name, schemaShape(own(properties, name), root, depth - 1)] as const,
  );
  return objectOf(fields, others === false ? 'none' : others === undefined ? 'undeclared' : 'any');
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
