import { escapePointer } from '../json/pointer.js';
import { emptyObject, isObject, type Json, type JsonObject, own } from '../json/value.js';
import { dataKeywords, schemasByName } from '../json-schema/document.js';

/** OpenAPI adds one to those of JSON Schema. */
const data: ReadonlySet<string> = new Set([...dataKeywords, 'example']);

/**
 * A journey's schema as a part of another document at `at`. Its references are relative to its own root, which it no longer is: they are
 * rewritten to where their targets stand now. A schema that has parts with an `$id` keeps its references, and becomes a resource of
 * its own under `id`.
 */
export function embedded(schema: Json, at: string, id: string): Json {
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

/** What a schema is called that is a resource of its own. Its parts may be named relative to it, so that a URN will not do. */
export function schemaId(name: string, part: string): string {
  return `https://journeyman.invalid/schemas/${name}/${part}`;
}

/** In one resource an anchor is unique, so that a dynamic reference means what a plain one does. */
function relocated(part: JsonObject, at: string, anchors: ReadonlyMap<string, string>): JsonObject {
  const { $anchor: _, $dynamicAnchor: __, $dynamicRef, ...rest } = part;
  const ref = rest.$ref ?? $dynamicRef;
  if (typeof ref !== 'string' || !ref.startsWith('#')) return rest;
  const fragment = ref.slice(1);
  const within = fragment === '' || fragment.startsWith('/') ? fragment : (anchors.get(fragment) ?? '');
  return { ...rest, $ref: `${at}${within}` };
}

/** A schema with each part that is a schema object changed, outermost first. `place` is a URI fragment. */
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

/** The start body that a schema of the start context means: an object, in which what bindings copy in need not stand. */
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
 * A schema of projected fields as it stands beside the standard ones. It cannot close the object, and what it requires may be missing: a
 * run that never set the variable answers without its fields.
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

/** A schema that any one of several fits. */
export function anyOf(schemas: readonly Json[]): JsonObject {
  return schemas.length === 1 && isObject(schemas[0]) ? schemas[0] : { anyOf: [...schemas] };
}
