import { RE2JS } from 're2js';
import { describe, linearPatterns } from '../document/fields.js';
import type { Place, SchemaFault } from '../document/place.js';
import { pointerParts } from '../json/pointer.js';
import { isObject, type Json, own } from '../json/value.js';

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
  checkParts(place, value);
  return value;
}

function follow(place: Place, path: string): Place {
  return pointerParts(path).reduce((at, key) => at.at(Array.isArray(at.value) ? Number(key) : key), place);
}

/** References and patterns, wherever a schema may stand; `const`, `enum`, `default` and `examples` hold data, not schemas. */
function checkParts(place: Place, root: Json): void {
  if (Array.isArray(place.value)) for (const item of place.items()) checkParts(item, root);
  if (!place.object) return;
  const ref = place.at('$ref').value;
  if (typeof ref === 'string' && !resolves(ref, root))
    place
      .at('$ref')
      .error(
        'SCHEMA_INVALID',
        `The schema has nothing at ${ref}.`,
        'Refer to a part of the same schema, like #/$defs/name.',
      );
  checkPattern(place.at('pattern'), place.at('pattern').value);
  for (const [pattern, at] of place.at('patternProperties').entries()) checkPattern(at, pattern);
  for (const [key, inner] of place.entries()) {
    if (['const', 'enum', 'default', 'examples'].includes(key)) continue;
    if (['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'].includes(key))
      for (const [, schema] of inner.entries()) checkParts(schema, root);
    else checkParts(inner, root);
  }
}

function checkPattern(place: Place, pattern: Json | undefined): void {
  if (typeof pattern !== 'string') return;
  try {
    RE2JS.compile(pattern);
  } catch (error) {
    place.error('SCHEMA_INVALID', `The pattern is not valid: ${(error as Error).message}.`, linearPatterns);
  }
}

function resolves(ref: string, root: Json): boolean {
  if (ref === '#' || ref === draft) return true;
  if (!ref.startsWith('#')) return hasAnchor(root, '$id', ref);
  if (!ref.startsWith('#/'))
    return hasAnchor(root, '$anchor', ref.slice(1)) || hasAnchor(root, '$dynamicAnchor', ref.slice(1));
  let at: Json | undefined = root;
  for (const key of pointerParts(ref)) {
    at = Array.isArray(at) ? at[Number(key)] : own(at, key);
    if (at === undefined) return false;
  }
  return true;
}

function hasAnchor(value: Json | undefined, key: string, name: string): boolean {
  if (Array.isArray(value)) return value.some((item) => hasAnchor(item, key, name));
  if (!isObject(value)) return false;
  return own(value, key) === name || Object.keys(value).some((inner) => hasAnchor(value[inner], key, name));
}
