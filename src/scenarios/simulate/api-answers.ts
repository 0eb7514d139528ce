import { pointerParts } from '../../json/pointer.js';
import { isObject, type Json, type JsonObject, own } from '../../json/value.js';
import type { ApiCatalogue } from '../../reading/api-catalogue.js';
import type { Reply } from '../../tasks/virtual.js';
import { sampleOf } from './sample.js';

const methods = ['get', 'head', 'post', 'put', 'patch', 'delete'];

/** What the OpenAPI documents of a journey say that its operations answer, by `<api>.<operationId>`. */
export function apiAnswers(
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

/** The first answer of an operation that is a success. */
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
  const body = own(media, 'example') ?? named ?? sampleOf(own(media, 'schema'), root);
  return body === undefined ? undefined : { status, headers: { 'content-type': type }, body, afterMs: 0 };
}

function resolved(value: Json | undefined, root: Json): Json | undefined {
  const ref = own(value, '$ref');
  if (typeof ref !== 'string') return value;
  return pointerParts(ref).reduce<Json | undefined>((at, part) => own(at, part), root);
}
