import { RE2JS } from 're2js';
import type { Place, SchemaFault } from '../../base/document/placed-value.js';
import { describeType, linearPatterns } from '../../base/document/read-fields.js';
import { pointerParts } from '../../base/json/pointer.js';
import { isObject, type Json, type JsonObject, own } from '../../base/json/value.js';
import { nearestName } from '../../base/problems/nearest-name.js';
import { dataKeywords, SchemaDocument, schemasByName } from '../../json-schema/schema-document.js';

/** Keywords that hold one schema, or a list of schemas. */
const holders = [
  'additionalProperties',
  'allOf',
  'anyOf',
  'contains',
  'contentSchema',
  'else',
  'if',
  'items',
  'not',
  'oneOf',
  'prefixItems',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
];

const keywords = new Set([
  ...holders,
  ...schemasByName,
  ...['$anchor', '$comment', '$dynamicAnchor', '$dynamicRef', '$id', '$ref', '$schema', '$vocabulary'],
  ...['const', 'contentEncoding', 'contentMediaType', 'default', 'dependentRequired', 'deprecated', 'description'],
  ...['enum', 'examples', 'exclusiveMaximum', 'exclusiveMinimum', 'format', 'maxContains', 'maximum', 'maxItems'],
  ...['maxLength', 'maxProperties', 'minContains', 'minimum', 'minItems', 'minLength', 'minProperties', 'multipleOf'],
  ...['pattern', 'readOnly', 'required', 'title', 'type', 'uniqueItems', 'writeOnly'],
]);

/** Keywords of other dialects and of OpenAPI. They are ignored here, but are not misspelt. */
const elsewhere = new Set([
  ...['$recursiveAnchor', '$recursiveRef', 'additionalItems', 'dependencies', 'discriminator', 'example'],
  ...['externalDocs', 'id', 'nullable', 'xml'],
]);

/** Keywords offered as suggestions. The shortest are excluded because they are similar to custom keywords: `note` is not a misspelt `not`. */
const suggested = [...keywords].filter((keyword) => !['if', 'not', 'then', 'else'].includes(keyword));

/** Warns of keywords that look like a misspelt keyword of JSON Schema: unknown keywords are ignored, so nothing would be checked. */
function checkKeywords(place: Place): void {
  if (Array.isArray(place.value)) place.items().forEach(checkKeywords);
  for (const [key, inner] of place.entries()) {
    if (schemasByName.includes(key)) for (const [, schema] of inner.entries()) checkKeywords(schema);
    else if (holders.includes(key)) checkKeywords(inner);
    else if (!keywords.has(key) && !elsewhere.has(key)) checkKeyword(inner, key);
  }
}

function checkKeyword(place: Place, key: string): void {
  const meant = nearestName(key, suggested, key.length < 7 ? 1 : 2);
  if (meant === undefined) return;
  const message = `"${key}" is not a keyword of JSON Schema and is ignored.`;
  place.warn('SCHEMA_KEYWORD', message, `Did you mean "${meant}"?`, 'key');
}

/** The dialect of schemas in documents. */
export const draft = 'https://json-schema.org/draft/2020-12/schema';

/** Reads an inline JSON Schema. Checks it against the 2020-12 meta-schema, and checks its references and patterns. */
export function inlineSchema(place: Place): Json | undefined {
  const { value } = place;
  if (typeof value === 'boolean') return value;
  if (!isObject(value)) {
    place.error('SCHEMA_INVALID', `A JSON Schema is an object, not ${describeType(value)}.`);
    return undefined;
  }
  const dialect = own(value, '$schema');
  if (dialect !== undefined && dialect !== draft && dialect !== `${draft}#`)
    place.at('$schema').error('SCHEMA_INVALID', 'Inline schemas are JSON Schema 2020-12.', 'Leave $schema out.');
  const faults = place.report.schemaFaults?.(value) ?? new Map<string, SchemaFault>();
  for (const [path, { message, hint }] of faults) {
    const part = pointerParts(path).at(-1) ?? 'The schema';
    follow(place, path).error('SCHEMA_INVALID', `${part} ${message}.`, hint);
  }
  checkKeywords(place);
  checkParts(place, new SchemaDocument(value));
  return value;
}

function follow(place: Place, path: string): Place {
  return pointerParts(path).reduce((at, key) => at.at(Array.isArray(at.value) ? Number(key) : key), place);
}

/** Checks the references and patterns of a schema and its subschemas. Skips `const`, `enum`, `default` and `examples`, which hold data. */
function checkParts(place: Place, root: SchemaDocument): void {
  if (Array.isArray(place.value)) for (const item of place.items()) checkParts(item, root);
  if (!place.object) return;
  for (const keyword of ['$ref', '$dynamicRef']) checkReference(place, keyword, root);
  checkPattern(place.at('pattern'), place.at('pattern').value);
  for (const [pattern, at] of place.at('patternProperties').entries()) checkPattern(at, pattern);
  for (const [key, inner] of place.entries()) {
    if (dataKeywords.has(key)) continue;
    if (schemasByName.includes(key)) for (const [, schema] of inner.entries()) checkParts(schema, root);
    else checkParts(inner, root);
  }
}

/** Checks that a reference resolves and is not circular; otherwise no value would match at run time. */
function checkReference(place: Place, keyword: string, root: SchemaDocument): void {
  const ref = place.at(keyword).value;
  if (typeof ref !== 'string') return;
  let target = targetOf(place.value!, keyword, root);
  if (target === undefined)
    place
      .at(keyword)
      .error(
        'SCHEMA_INVALID',
        `The schema has no part ${ref}.`,
        'Refer to a part of the same schema, like #/$defs/name.',
      );
  const seen = new Set<Json>();
  for (; isObject(target) && !seen.has(target); target = targetOf(target, '$ref', root)) {
    if (target === place.value)
      place.at(keyword).error('SCHEMA_INVALID', 'The reference leads back to itself, so no value would match.');
    seen.add(target);
  }
}

/** The target of a schema's reference; undefined if there is no reference or no target. */
function targetOf(schema: Json, keyword: string, root: SchemaDocument): Json | undefined {
  const ref = own(schema, keyword);
  return typeof ref === 'string' ? root.resolve(ref, root.resourceOf(schema as JsonObject) ?? root.root) : undefined;
}

function checkPattern(place: Place, pattern: Json | undefined): void {
  if (typeof pattern !== 'string') return;
  try {
    RE2JS.compile(pattern);
  } catch (error) {
    place.error('SCHEMA_INVALID', `The pattern is not valid: ${(error as Error).message}.`, linearPatterns);
  }
}
