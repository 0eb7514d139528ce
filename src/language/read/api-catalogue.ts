import { pointerParts } from '../../base/json/pointer.js';
import { isObject, type Json, type JsonObject, own } from '../../base/json/value.js';

/** An HTTP operation of an OpenAPI document, reduced to the parts that a call needs. */
export interface Operation {
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Server and path; the path keeps its `{name}` slots. */
  url: string;
  parameters: { name: string; in: 'path' | 'query' | 'header'; required: boolean }[];
  /** Media types of its body, if the document declares any. */
  bodyTypes: string[];
}

/** The operation with a given id, or the reason why it cannot be used. */
export type Lookup = { operation: Operation } | { problem: 'OPREF_OPERATION' | 'OPREF_SERVERS'; message: string };

/** One OpenAPI 3.0 or 3.1 document. */
export interface ApiDocument {
  operationIds: readonly string[];
  /** Finds an operation. `server` replaces the document's servers. */
  find(operationId: string, server?: string): Lookup;
  /** JSON Schemas of an operation's responses; their references are relative to `root`. */
  answers(operationId: string): { schemas: Json[]; root: Json };
}

/** The OpenAPI documents that journeys may refer to. Does no I/O: the documents are read and parsed beforehand. */
export interface ApiCatalogue {
  /** The document at an `openApiRef`, relative to the catalogue's root. */
  document(openApiRef: string): ApiDocument | undefined;
  /** The overlay document with further operations of this API; used in compatibility mode only. */
  overlay(apiName: string): ApiDocument | undefined;
  /** The JSON Schema in a file below the catalogue's root. */
  schema(ref: string): Json | undefined;
}

const methods = ['get', 'head', 'post', 'put', 'patch', 'delete'] as const;

/** A catalogue from parsed documents: by path below the root, and overlays by API name. */
export function createApiCatalogue(
  documents: ReadonlyMap<string, Json>,
  overlays: ReadonlyMap<string, Json> = new Map(),
): ApiCatalogue {
  const read = new Map<Json, ApiDocument | undefined>();
  const open = (json: Json | undefined, path?: string) => {
    if (json === undefined) return undefined;
    const others = path === undefined ? undefined : { path, open: (other: string) => documents.get(other) };
    if (!read.has(json)) read.set(json, readApiDocument(json, others));
    return read.get(json);
  };
  return {
    document: (ref) => open(documents.get(normalisePath(ref)), normalisePath(ref)),
    overlay: (name) => open(overlays.get(name)),
    schema: (ref) => documents.get(normalisePath(ref)),
  };
}

/** `./a//b/../c` as `a/c`; a path that would leave the root keeps its `..` and matches nothing. */
export function normalisePath(path: string): string {
  const out: string[] = [];
  for (const part of path.replaceAll('\\', '/').split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..' && out.length > 0 && out.at(-1) !== '..') out.pop();
    else out.push(part);
  }
  return out.join('/');
}

/** The path of a document, and access to the files that it may refer to. */
interface Others {
  path: string;
  open(path: string): Json | undefined;
}

/** The file that contains a part of a document; references in that part are resolved against it. */
interface Home {
  root: Json;
  others?: Others | undefined;
}

/** An operation, and the path item it belongs to. */
interface Entry {
  method: Operation['method'];
  path: string;
  item: JsonObject;
  operation: JsonObject;
  home: Home;
}

/** Indexes a document's operations; undefined when it is not an OpenAPI 3 document. */
export function readApiDocument(json: Json, others?: Others): ApiDocument | undefined {
  if (!isObject(json) || !/^3\.[01](\.|$)/.test(String(own(json, 'openapi')))) return undefined;
  const found = new Map<string, Entry[]>();
  const paths = own(json, 'paths');
  for (const path of Object.keys(isObject(paths) ? paths : {})) {
    const { value: item, home } = deref({ root: json, others }, own(paths, path));
    if (!isObject(item)) continue;
    for (const method of methods) {
      const operation = own(item, method);
      const id = own(operation, 'operationId');
      if (!isObject(operation) || typeof id !== 'string') continue;
      const entry = { method: method.toUpperCase() as Operation['method'], path, item, operation, home };
      found.set(id, [...(found.get(id) ?? []), entry]);
    }
  }
  return {
    operationIds: [...found.keys()],
    find: (id, server) => lookUp(json, id, found.get(id) ?? [], server),
    answers: (id) => ({ schemas: (found.get(id) ?? []).flatMap((it) => answers(json, it)), root: json }),
  };
}

/** Response schemas of an operation. Schemas in other files are omitted: their references would be relative to those files. */
function answers(json: JsonObject, { operation, home }: Entry): Json[] {
  const responses = own(operation, 'responses');
  return Object.keys(isObject(responses) ? responses : {}).flatMap((status) => {
    const response = deref(home, own(responses, status));
    const content = response.home.root === json ? own(response.value, 'content') : undefined;
    return Object.keys(isObject(content) ? content : {}).flatMap((type) => own(own(content, type), 'schema') ?? []);
  });
}

function lookUp(json: JsonObject, id: string, entries: Entry[], given?: string): Lookup {
  const [entry, second] = entries;
  if (!entry) return { problem: 'OPREF_OPERATION', message: `The API has no operation "${id}".` };
  if (second) return { problem: 'OPREF_OPERATION', message: `The API has several operations "${id}".` };
  const servers = own(entry.operation, 'servers') ?? own(entry.item, 'servers') ?? own(json, 'servers');
  const server = given ?? serverUrl(servers);
  if (server === undefined)
    return { problem: 'OPREF_SERVERS', message: `The API of "${id}" names no absolute server URL.` };
  const parameters = new Map<string, Operation['parameters'][number]>();
  for (const owner of [entry.item, entry.operation]) {
    const declared = own(owner, 'parameters');
    for (const raw of Array.isArray(declared) ? declared : []) {
      const parameter = deref(entry.home, raw).value;
      const name = own(parameter, 'name');
      const where = own(parameter, 'in');
      if (typeof name !== 'string' || (where !== 'path' && where !== 'query' && where !== 'header')) continue;
      if (where === 'header' && /^(accept|content-type|authorization)$/i.test(name)) continue;
      parameters.set(`${where} ${name}`, {
        name,
        in: where,
        required: where === 'path' || own(parameter, 'required') === true,
      });
    }
  }
  for (const [, name] of entry.path.matchAll(/\{([^{}]+)\}/g))
    if (!parameters.has(`path ${name}`)) parameters.set(`path ${name}`, { name: name!, in: 'path', required: true });
  const url = server.replace(/\/+$/, '') + entry.path;
  const content = own(deref(entry.home, own(entry.operation, 'requestBody')).value, 'content');
  const bodyTypes = isObject(content) ? Object.keys(content) : [];
  return { operation: { method: entry.method, url, parameters: [...parameters.values()], bodyTypes } };
}

/** The first server, with its variables at their defaults. */
function serverUrl(servers: Json | undefined): string | undefined {
  const first = Array.isArray(servers) ? servers[0] : undefined;
  const url = own(first, 'url');
  if (typeof url !== 'string') return undefined;
  const filled = url.replace(/\{([^{}]+)\}/g, (slot, name: string) => {
    const value = own(own(own(first, 'variables'), name), 'default');
    return typeof value === 'string' ? value : slot;
  });
  return /^https?:\/\/[^/{}]+/i.test(filled) && !/[{}]/.test(filled) ? filled : undefined;
}

/** Follows `$ref`s, also into other files of the catalogue. The value is undefined for a cycle, or if a reference leaves the catalogue. */
function deref(from: Home, value: Json | undefined): { value: Json | undefined; home: Home } {
  let [current, home] = [value, from];
  for (let hops = 0; hops < 20; hops++) {
    const ref = own(current, '$ref');
    if (typeof ref !== 'string') return { value: current, home };
    const [file = '', pointer = ''] = ref.split('#', 2);
    const there = file === '' ? home : other(home, file);
    if (!there || (pointer !== '' && !pointer.startsWith('/'))) break;
    home = there;
    current = pointerParts(`#${pointer}`).reduce<Json | undefined>((at, part) => own(at, part), home.root);
  }
  return { value: undefined, home };
}

function other({ others }: Home, file: string): Home | undefined {
  if (!others || file.includes(':')) return undefined;
  const path = normalisePath(`${others.path}/../${file}`);
  const root = others.open(path);
  return root === undefined ? undefined : { root, others: { ...others, path } };
}
