import { pointerParts } from '../json/pointer.js';
import { copy, emptyObject, isObject, type Json, type JsonObject, own } from '../json/value.js';

/** An OpenAPI 3.1 document, or the part of one that is being made. */
export type OpenApi = JsonObject;

/** One operation of a document and where it stands. */
export interface Operation {
  readonly path: string;
  readonly method: string;
  readonly value: JsonObject;
}

/** What a local reference points at. */
export function resolve(document: JsonObject, ref: string): Json | undefined {
  let at: Json | undefined = document;
  for (const part of pointerParts(ref.slice(1))) at = own(at, part);
  return at;
}

/** A copy of an operation of `document`, to be made more special. */
export function operationOf(document: OpenApi, path: string, method: string): JsonObject {
  const found = own(own(own(document, 'paths'), path), method);
  if (!isObject(found)) throw new Error(`The gateway's document has no ${method} ${path}.`);
  return copy(found);
}

/** A response with its reference followed, to be changed without changing others. */
export function responseOf(document: OpenApi, response: Json): JsonObject {
  const ref = own(response, '$ref');
  return copy((typeof ref === 'string' ? resolve(document, ref) : response) as JsonObject);
}

/** The components that `parts` reach, and nothing else: what makes a document stand alone without carrying everything. */
export function componentsFor(parts: Json, components: JsonObject): JsonObject {
  const reached = new Set<string>();
  const open: Json[] = [parts];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const ref of referencesIn(next)) {
      const [, kind, name] = pointerParts(ref.slice(1));
      if (kind === undefined || name === undefined || reached.has(`${kind}/${name}`)) continue;
      const found = own(own(components, kind), name);
      // What only looks like a reference: data in a schema, such as a const, is the author's to choose.
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
