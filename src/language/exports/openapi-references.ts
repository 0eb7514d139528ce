import { pointerParts } from '../../base/json/pointer.js';
import { copy, emptyObject, isObject, type Json, type JsonObject, own } from '../../base/json/value.js';

/** An OpenAPI 3.1 document, complete or under construction. */
export type OpenApi = JsonObject;

/** One operation of a document, with its path and method. */
export interface ExportedOperation {
  readonly path: string;
  readonly method: string;
  readonly value: JsonObject;
}

/** The target of a local reference. */
export function resolveReference(document: JsonObject, ref: string): Json | undefined {
  let at: Json | undefined = document;
  for (const part of pointerParts(ref.slice(1))) at = own(at, part);
  return at;
}

/** A copy of an operation of `document`, to be specialised for one journey. */
export function copyOperation(document: OpenApi, path: string, method: string): JsonObject {
  const found = own(own(own(document, 'paths'), path), method);
  if (!isObject(found)) throw new Error(`The gateway's document has no ${method} ${path}.`);
  return copy(found);
}

/** A copy of a response with its reference resolved, so that changes to it do not affect others. */
export function copyResponse(document: OpenApi, response: Json): JsonObject {
  const ref = own(response, '$ref');
  return copy((typeof ref === 'string' ? resolveReference(document, ref) : response) as JsonObject);
}

/** The components that `parts` refer to, directly or indirectly: a self-contained document needs these and no others. */
export function componentsFor(parts: Json, components: JsonObject): JsonObject {
  const reached = new Set<string>();
  const open: Json[] = [parts];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const ref of referencesIn(next)) {
      const [, kind, name] = pointerParts(ref.slice(1));
      if (kind === undefined || name === undefined || reached.has(`${kind}/${name}`)) continue;
      const found = own(own(components, kind), name);
      // Not a reference: data in a schema, such as a `const`, may contain a member named `$ref`.
      if (found === undefined) continue;
      reached.add(`${kind}/${name}`);
      open.push(found);
    }
  }
  const kept = emptyObject();
  for (const [kind, members] of Object.entries(components)) {
    if (kind === 'securitySchemes') kept[kind] = members;
    const used = Object.entries(members as JsonObject).filter(([name]) => reached.has(`${kind}/${name}`));
    if (used.length > 0) kept[kind] = Object.assign(emptyObject(), Object.fromEntries(used));
  }
  return kept;
}

const component = '#/components/';

function* referencesIn(value: Json): Generator<string> {
  if (Array.isArray(value)) for (const item of value) yield* referencesIn(item);
  if (!isObject(value)) return;
  const ref = own(value, '$ref');
  if (typeof ref === 'string' && ref.startsWith(component)) yield ref;
  for (const key of Object.keys(value)) yield* referencesIn(value[key] as Json);
}
