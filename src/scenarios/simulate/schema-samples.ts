import { pointerParts } from '../../base/json/pointer.js';
import { isObject, type Json, type JsonObject, own } from '../../base/json/value.js';
import { validate } from '../../json-schema/validate.js';
import type { ApiCatalogue } from '../../language/read/api-catalogue.js';
import type { Reply } from '../../language/tasks/task-kind.js';

const deepest = 8;

const formats: Readonly<Record<string, string>> = {
  'date-time': '2026-01-01T00:00:00Z',
  date: '2026-01-01',
  time: '09:00:00Z',
  duration: 'P1D',
  email: 'kim@example.com',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uri: 'https://example.com/',
  'uri-reference': '/',
  uuid: '00000000-0000-4000-8000-000000000001',
};

/**
 * Returns a sample of a schema: its example, or the simplest value that matches. References are resolved in `root`.
 * Undefined if there is none. Not guaranteed to be valid; callers that need a valid value check it.
 */
export function schemaSample(schema: Json | undefined, root: Json | undefined = schema, depth = 0): Json | undefined {
  if (!isObject(schema) || depth > deepest) return undefined;
  const ref = own(schema, '$ref');
  if (typeof ref === 'string') {
    if (!ref.startsWith('#')) return undefined;
    return schemaSample(
      pointerParts(ref).reduce<Json | undefined>((at, part) => own(at, part), root),
      root,
      depth + 1,
    );
  }
  const said =
    own(schema, 'const') ?? own(schema, 'example') ?? first(own(schema, 'examples')) ?? own(schema, 'default');
  if (said !== undefined) return said;
  const inner = (it: Json | undefined) => schemaSample(it, root, depth + 1);
  const listed = first(own(schema, 'enum')) ?? inner(first(own(schema, 'oneOf'))) ?? inner(first(own(schema, 'anyOf')));
  if (listed !== undefined) return listed;
  const all = own(schema, 'allOf');
  if (Array.isArray(all)) return merged([...all.map(inner), ofType(schema, inner)]);
  return ofType(schema, inner);
}

/** A value that a schema describes and accepts. */
export function validSample(schema: Json): Json | undefined {
  const sample = schemaSample(schema) ?? {};
  return validate(schema, sample).length === 0 ? sample : undefined;
}

function ofType(schema: JsonObject, inner: (it: Json | undefined) => Json | undefined): Json | undefined {
  const given = own(schema, 'type');
  const type = Array.isArray(given) ? given.find((it) => it !== 'null') : given;
  switch (type ?? (own(schema, 'properties') === undefined ? undefined : 'object')) {
    case 'object':
      return object(schema, inner);
    case 'array': {
      const item = inner(own(schema, 'items'));
      const least = number(schema, 'minItems') ?? 1;
      return item === undefined ? [] : Array.from({ length: Math.min(least, 20) }, () => item);
    }
    case 'string':
      return text(schema);
    case 'integer':
    case 'number':
      return numeric(schema, type === 'integer');
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return undefined;
  }
}

function object(schema: JsonObject, inner: (it: Json | undefined) => Json | undefined): JsonObject {
  const out: JsonObject = {};
  const properties = own(schema, 'properties');
  for (const [name, property] of Object.entries(isObject(properties) ? properties : {})) {
    const value = inner(property);
    if (value !== undefined) out[name] = value;
  }
  return out;
}

function text(schema: JsonObject): string {
  const format = own(schema, 'format');
  const base = typeof format === 'string' && Object.hasOwn(formats, format) ? formats[format]! : 'text';
  const least = number(schema, 'minLength') ?? 0;
  const most = number(schema, 'maxLength') ?? Number.POSITIVE_INFINITY;
  return base.padEnd(Math.min(least, 1_000), 'x').slice(0, most);
}

function numeric(schema: JsonObject, whole: boolean): number {
  const above = number(schema, 'exclusiveMinimum');
  const below = number(schema, 'exclusiveMaximum');
  const step = number(schema, 'multipleOf') ?? (whole ? 1 : undefined);
  const least = number(schema, 'minimum') ?? (above === undefined ? undefined : above + (step ?? 1));
  const most = number(schema, 'maximum') ?? (below === undefined ? undefined : below - (step ?? 1));
  const near = least ?? (most !== undefined && most < 1 ? most : 1);
  return step === undefined ? near : Math.ceil(near / step) * step;
}

function number(schema: JsonObject, key: string): number | undefined {
  const value = own(schema, key);
  return typeof value === 'number' ? value : undefined;
}

function first(value: Json | undefined): Json | undefined {
  return Array.isArray(value) ? value[0] : undefined;
}

function merged(parts: (Json | undefined)[]): Json | undefined {
  const objects = parts.filter(isObject);
  return objects.length === 0 ? parts.find((it) => it !== undefined) : Object.assign({}, ...objects);
}

const methods = ['get', 'head', 'post', 'put', 'patch', 'delete'];

/** Responses that the OpenAPI documents of a journey declare, by `<api>.<operationId>`. */
export function openApiReplies(
  document: Json | undefined,
  catalogue: ApiCatalogue,
): (operation: string) => Reply | undefined {
  const apis = own(own(document, 'spec'), 'apis');
  return (name) => {
    const [api, id] = [name.slice(0, name.indexOf('.')), name.slice(name.indexOf('.') + 1)];
    const ref = own(own(apis, api), 'openApiRef');
    const root = typeof ref === 'string' ? catalogue.schema(ref) : undefined;
    const operation = root === undefined ? undefined : operationOf(root, id);
    return operation && answerOf(operation, root!);
  };
}

function operationOf(root: Json, id: string): JsonObject | undefined {
  const paths = own(root, 'paths');
  for (const item of Object.values(isObject(paths) ? paths : {}))
    for (const method of methods) {
      const operation = own(item, method);
      if (isObject(operation) && own(operation, 'operationId') === id) return operation;
    }
  return undefined;
}

/** The first successful response of an operation. */
function answerOf(operation: JsonObject, root: Json): Reply | undefined {
  const responses = own(operation, 'responses');
  if (!isObject(responses)) return undefined;
  const key = Object.keys(responses)
    .sort()
    .find((it) => /^2(\d\d|XX)$/i.test(it) || it === 'default');
  if (key === undefined) return undefined;
  const status = /^\d+$/.test(key) ? Number(key) : 200;
  const content = own(resolved(own(responses, key), root), 'content');
  const [type, media] = Object.entries(isObject(content) ? content : {}).find(([name]) => /json/i.test(name)) ?? [];
  if (type === undefined) return { status, headers: {}, afterMs: 0 };
  const examples = own(media, 'examples');
  const named = isObject(examples) ? own(resolved(Object.values(examples)[0], root), 'value') : undefined;
  const body = own(media, 'example') ?? named ?? schemaSample(own(media, 'schema'), root);
  return body === undefined ? undefined : { status, headers: { 'content-type': type }, body, afterMs: 0 };
}

function resolved(value: Json | undefined, root: Json): Json | undefined {
  const ref = own(value, '$ref');
  if (typeof ref !== 'string') return value;
  return pointerParts(ref).reduce<Json | undefined>((at, part) => own(at, part), root);
}
