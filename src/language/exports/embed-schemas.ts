import { escapePointer } from '../../base/json/pointer.js';
import { emptyObject, isObject, type Json, type JsonObject, own } from '../../base/json/value.js';
import type { Definition } from '../../engine/definition/definition.js';
import { dataKeywords, schemasByName } from '../../json-schema/schema-document.js';
import { validate } from '../../json-schema/validate.js';

/** Keywords that hold data, not schemas: those of JSON Schema, and `example` of OpenAPI. */
const data: ReadonlySet<string> = new Set([...dataKeywords, 'example']);

/**
 * A journey's schema embedded in another document at `at`. References relative to the schema's root are rewritten to the new location of
 * their targets. A schema with an `$id` in any of its parts keeps its references and becomes a separate schema resource, `id`.
 */
export function embedSchema(schema: Json, at: string, id: string): Json {
  if (!isObject(schema)) return schema;
  const { $schema: _, ...root } = schema;
  let hasId = false;
  const anchors = new Map<string, string>();
  mapParts(root, '', (part, place) => {
    if (typeof own(part, '$id') === 'string') hasId = true;
    for (const keyword of ['$anchor', '$dynamicAnchor']) {
      const name = own(part, keyword);
      if (typeof name === 'string') anchors.set(name, place);
    }
    return part;
  });
  if (hasId) return { $id: id, ...root };
  return mapParts(root, '', (part) => relocated(part, at, anchors));
}

/** The `$id` of a separate schema resource. An https URL, not a URN: ids of its parts may be relative to it. */
export function schemaId(name: string, part: string): string {
  return `https://journeyman.invalid/schemas/${name}/${part}`;
}

/** A part of a schema with its reference rewritten. Anchors are unique within one resource, so `$dynamicRef` can become `$ref`. */
function relocated(part: JsonObject, at: string, anchors: ReadonlyMap<string, string>): JsonObject {
  const { $anchor: _, $dynamicAnchor: __, $dynamicRef, ...rest } = part;
  const ref = rest.$ref ?? $dynamicRef;
  if (typeof ref !== 'string' || !ref.startsWith('#')) return rest;
  const fragment = ref.slice(1);
  const within = fragment === '' || fragment.startsWith('/') ? fragment : (anchors.get(fragment) ?? '');
  return { ...rest, $ref: `${at}${within}` };
}

/** Applies `change` to every schema object within a schema, outermost first. `place` is a URI fragment. */
function mapParts(value: Json, place: string, change: (part: JsonObject, place: string) => JsonObject): Json {
  if (Array.isArray(value)) return value.map((item, i) => mapParts(item, `${place}/${i}`, change));
  if (!isObject(value)) return value;
  const out = emptyObject();
  for (const [key, inner] of Object.entries(change(value, place))) {
    const at = `${place}/${fragmentPart(key)}`;
    if (data.has(key)) out[key] = inner;
    else if (schemasByName.includes(key) && isObject(inner)) {
      const members = emptyObject();
      for (const name of Object.keys(inner))
        members[name] = mapParts(inner[name]!, `${at}/${fragmentPart(name)}`, change);
      out[key] = members;
    } else out[key] = mapParts(inner, at, change);
  }
  return out;
}

function fragmentPart(key: string): string {
  return encodeURI(escapePointer(key)).replaceAll('#', '%23');
}

/** Schema of the start body, from the schema of the start context. Fields that bindings copy into the context are not required in the body. */
export function bodySchema(schema: Json, copied: readonly string[]): Json {
  if (schema === true) return { type: 'object' };
  if (!isObject(schema)) return schema;
  const { required, ...rest } = schema;
  const left = Array.isArray(required) ? required.filter((name) => !copied.includes(String(name))) : required;
  return {
    type: 'object',
    ...rest,
    ...(left === undefined || (Array.isArray(left) && left.length === 0) ? {} : { required: left }),
  };
}

/**
 * A schema of projected fields, to be combined with the standard fields. It cannot forbid other properties, and its required properties
 * become optional: the status of a run that has not set the variable does not contain them.
 */
export function projectedSchema(schema: Json): Json {
  if (!isObject(schema)) return schema;
  const { required: _, additionalProperties: closed, unevaluatedProperties, ...rest } = schema;
  return {
    ...rest,
    ...(closed === true && { additionalProperties: true }),
    ...(unevaluatedProperties === true && { unevaluatedProperties }),
  };
}

/** A schema that accepts values of any of the given schemas. */
export function anyOf(schemas: readonly Json[]): JsonObject {
  return schemas.length === 1 && isObject(schemas[0]) ? schemas[0] : { anyOf: [...schemas] };
}

/** Adds a schema to the components of the document and returns a reference to it. */
export type CollectSchema = (part: string, schema: Json) => JsonObject;

/** The components of one journey or Api. */
export function schemaCollector(name: string, prefix: string): { schemas: JsonObject; declare: CollectSchema } {
  const schemas = emptyObject();
  const declare: CollectSchema = (part, schema) => {
    const at = `#/components/schemas/${prefix}_${part}`;
    schemas[`${prefix}_${part}`] = embedSchema(schema, at, schemaId(name, part));
    return { $ref: at };
  };
  return { schemas, declare };
}

/** The body of a start, or of a call of an Api. */
export function startBody(definition: Definition, declare: CollectSchema): JsonObject {
  const { headersToContext, queryToContext } = definition.http.start;
  const copied = [...Object.values(headersToContext), ...Object.values(queryToContext)].map(
    (path) => path.split('.')[0]!,
  );
  const schema = bodySchema(definition.input?.schema ?? true, copied);
  return jsonContent(declare('startRequest', schema), validate(schema, {}).length > 0);
}

/** A JSON request body. */
export function jsonContent(schema: Json, required: boolean): JsonObject {
  return { ...(required && { required }), content: { 'application/json': { schema } } };
}
