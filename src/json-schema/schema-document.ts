import { unescapePointer } from '../base/json/pointer.js';
import { isObject, type Json, type JsonObject, own } from '../base/json/value.js';

/** A schema resource: the document, or a part of it with its own `$id`. */
export interface Resource {
  id: string;
  schema: Json;
  anchors: Map<string, Json>;
  dynamicAnchors: Map<string, Json>;
}

/** The resources entered on the way to a schema, innermost first; searched for a `$dynamicRef`. */
export interface DynamicScope {
  resource: Resource;
  outer: DynamicScope | undefined;
}

/** Keywords whose values are data, not schemas. */
export const dataKeywords: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples']);

/** Keywords whose values are schemas by name: their keys are not keywords. */
export const schemasByName: readonly string[] = [
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
];

/** One schema document, indexed so that references inside it can be followed. */
export class SchemaDocument {
  readonly root: Resource;
  /** True if a schema uses `unevaluatedProperties` or `unevaluatedItems`. */
  readonly tracksEvaluated: boolean;
  private readonly resources = new Map<string, Resource>();
  private readonly resourceBySchema = new Map<JsonObject, Resource>();

  constructor(schema: Json) {
    this.root = this.resource('', schema);
    const id = own(schema, '$id');
    if (typeof id === 'string') this.root.id = withoutFragment(id);
    this.resources.set(this.root.id, this.root);
    this.tracksEvaluated = this.index(schema, this.root);
  }

  /** The resource that a schema of this document belongs to. */
  resourceOf(schema: JsonObject): Resource | undefined {
    return this.resourceBySchema.get(schema);
  }

  /** The target of a `$ref`, resolved from `from`; undefined if the document has none. */
  resolve(ref: string, from: Resource): Json | undefined {
    const hash = ref.indexOf('#');
    const uri = hash < 0 ? ref : ref.slice(0, hash);
    const resource = uri === '' ? from : (this.resources.get(against(from.id, uri)) ?? this.resources.get(uri));
    if (!resource) return undefined;
    const fragment = decode(hash < 0 ? '' : ref.slice(hash + 1));
    if (fragment === undefined) return undefined;
    if (fragment === '') return resource.schema;
    if (fragment.startsWith('/')) return atPointer(resource.schema, fragment);
    return resource.anchors.get(fragment);
  }

  /** The target of a `$dynamicRef`: the outermost one with that dynamic anchor, if the plain target has it too. */
  resolveDynamic(ref: string, scope: DynamicScope): Json | undefined {
    const target = this.resolve(ref, scope.resource);
    const name = ref.slice(ref.indexOf('#') + 1);
    if (own(target, '$dynamicAnchor') !== name) return target;
    let found = target;
    for (let at: DynamicScope | undefined = scope; at; at = at.outer) {
      found = at.resource.dynamicAnchors.get(name) ?? found;
    }
    return found;
  }

  private resource(id: string, schema: Json): Resource {
    return { id, schema, anchors: new Map(), dynamicAnchors: new Map() };
  }

  private index(root: Json, resource: Resource): boolean {
    let tracks = false;
    const todo: { schema: Json; resource: Resource }[] = [{ schema: root, resource }];
    for (let next = todo.pop(); next; next = todo.pop()) {
      const { schema } = next;
      if (typeof schema !== 'object' || schema === null) continue;
      if (Array.isArray(schema)) {
        for (const item of schema) todo.push({ schema: item, resource: next.resource });
        continue;
      }
      const owner = this.enter(schema, next.resource, schema === root);
      for (const key of Object.keys(schema)) {
        if (key === 'unevaluatedProperties' || key === 'unevaluatedItems') tracks = true;
        if (!dataKeywords.has(key)) todo.push({ schema: schema[key] as Json, resource: owner });
      }
    }
    return tracks;
  }

  private enter(schema: JsonObject, outer: Resource, isRoot: boolean): Resource {
    const id = own(schema, '$id');
    let resource = outer;
    if (!isRoot && typeof id === 'string' && !id.startsWith('#')) {
      resource = this.resource(against(outer.id, withoutFragment(id)), schema);
      this.resources.set(resource.id, resource);
    }
    this.resourceBySchema.set(schema, resource);
    const anchor = own(schema, '$anchor');
    if (typeof anchor === 'string') resource.anchors.set(anchor, schema);
    const dynamic = own(schema, '$dynamicAnchor');
    if (typeof dynamic === 'string') {
      resource.anchors.set(dynamic, schema);
      resource.dynamicAnchors.set(dynamic, schema);
    }
    return resource;
  }
}

function withoutFragment(uri: string): string {
  const hash = uri.indexOf('#');
  return hash < 0 ? uri : uri.slice(0, hash);
}

/** `uri` resolved against `base`: enough of RFC 3986 for identifiers within one document. */
function against(base: string, uri: string): string {
  if (/^[a-z][a-z0-9+.-]*:/i.test(uri)) return uri;
  if (uri.startsWith('/')) return (/^[a-z][a-z0-9+.-]*:\/\/[^/]*/i.exec(base)?.[0] ?? '') + uri;
  return base.slice(0, base.lastIndexOf('/') + 1) + uri;
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function atPointer(root: Json, pointer: string): Json | undefined {
  let value: Json | undefined = root;
  for (const part of pointer.split('/').slice(1)) {
    const key = unescapePointer(part);
    if (Array.isArray(value)) value = /^(?:0|[1-9]\d*)$/.test(key) ? value[Number(key)] : undefined;
    else value = isObject(value) ? own(value, key) : undefined;
  }
  return value;
}
