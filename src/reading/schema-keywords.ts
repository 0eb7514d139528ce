import type { Place } from '../document/place.js';
import { schemasByName } from '../json-schema/document.js';
import { nearest } from '../problems/nearest.js';

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

/** Words of other dialects and of OpenAPI: they mean nothing here, but are not misspelt. */
const elsewhere = new Set([
  ...['$recursiveAnchor', '$recursiveRef', 'additionalItems', 'dependencies', 'discriminator', 'example'],
  ...['externalDocs', 'id', 'nullable', 'xml'],
]);

/** The shortest are near to words that authors choose for notes of their own: `note` is no misspelt `not`. */
const suggested = [...keywords].filter((keyword) => !['if', 'not', 'then', 'else'].includes(keyword));

/** Warns of keywords that are almost one of JSON Schema's: unknown ones are ignored, so that nothing would be checked. */
export function checkKeywords(place: Place): void {
  if (Array.isArray(place.value)) place.items().forEach(checkKeywords);
  for (const [key, inner] of place.entries()) {
    if (schemasByName.includes(key)) for (const [, schema] of inner.entries()) checkKeywords(schema);
    else if (holders.includes(key)) checkKeywords(inner);
    else if (!keywords.has(key) && !elsewhere.has(key)) checkKeyword(inner, key);
  }
}

function checkKeyword(place: Place, key: string): void {
  const meant = nearest(key, suggested, key.length < 7 ? 1 : 2);
  if (meant === undefined) return;
  const message = `"${key}" is not a keyword of JSON Schema, and means nothing.`;
  place.warn('SCHEMA_KEYWORD', message, `Did you mean "${meant}"?`, 'key');
}
