import { RE2JS } from 're2js';
import { describe, linearPatterns } from '../document/fields.js';
import type { Place, SchemaFault } from '../document/place.js';
import { pointerParts } from '../json/pointer.js';
import { isObject, type Json, type JsonObject, own } from '../json/value.js';
import { dataKeywords, SchemaDocument, schemasByName } from '../json-schema/document.js';
import { checkKeywords } from './schema-keywords.js';

/** The dialect of schemas in documents. */
export const draft = 'https://json-schema.org/draft/2020-12/schema';

/** An inline JSON Schema, checked against the 2020-12 meta-schema, with its references and patterns; each fault has its own place. */
export function inlineSchema(place: Place): Json | undefined {
  const { value } = place;
  if (typeof value === 'boolean') return value;
  if (!isObject(value)) {
    place.error('SCHEMA_INVALID', `A JSON Schema is an object, not ${describe(value)}.`);
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

/** References and patterns, wherever a schema may stand; `const`, `enum`, `default` and `examples` hold data, not schemas. */
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

/** As the validator of runs follows references: what it cannot find, no value would match. */
function checkReference(place: Place, keyword: string, root: SchemaDocument): void {
  const ref = place.at(keyword).value;
  if (typeof ref !== 'string') return;
  let target = targetOf(place.value!, keyword, root);
  if (target === undefined)
    place
      .at(keyword)
      .error(
        'SCHEMA_INVALID',
        `The schema has nothing at ${ref}.`,
        'Refer to a part of the same schema, like #/$defs/name.',
      );
  const seen = new Set<Json>();
  for (; isObject(target) && !seen.has(target); target = targetOf(target, '$ref', root)) {
    if (target === place.value)
      place.at(keyword).error('SCHEMA_INVALID', 'The reference leads back to itself, so that no value would match.');
    seen.add(target);
  }
}

/** What the reference of a schema means, if it has one and that is there. */
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
