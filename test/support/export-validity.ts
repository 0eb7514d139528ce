import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { isObject, type Json, type JsonObject, own } from '../../src/base/json/value.js';
import { resolveReference } from '../../src/language/exports/openapi-references.js';

const schema = new URL('test/fixtures/arazzo/arazzo-1.0.schema.json', pathToFileURL(`${process.cwd()}/`));
const ajv = new Ajv2020({ strict: false, allErrors: false });
formats.default(ajv);
const checkArazzo = ajv.compile(JSON.parse(readFileSync(schema, 'utf8')));

/** Violations of the official schema of OpenAPI 3.1, and errors that it cannot detect: references, ids, parameters, schemas. */
export async function openApiFaults(document: JsonObject): Promise<string[]> {
  const { valid, errors } = await new Validator().validate(structuredClone(document));
  const official = valid ? [] : [JSON.stringify(errors)];
  const operations = operationsOf(document);
  const ids = operations.map(({ value }) => String(value.operationId));
  const twice = ids.filter((id, i) => ids.indexOf(id) !== i).map((id) => `two operations are called ${id}`);
  return [
    ...official,
    ...twice,
    ...dangling(document, document, ''),
    ...operations.flatMap(pathFaults),
    ...unusable(document),
  ];
}

/** Violations of the official schema of Arazzo 1.0, and references to missing operations and inputs. */
export function arazzoFaults(document: JsonObject, openApi: JsonObject): string[] {
  const official = checkArazzo(document) ? [] : [JSON.stringify(checkArazzo.errors)];
  const known = new Set(operationsOf(openApi).map(({ value }) => value.operationId));
  const workflows = document.workflows as JsonObject[];
  const unknown = workflows.flatMap((it) => (it.steps as JsonObject[]).filter((step) => !known.has(step.operationId!)));
  const ids = workflows.flatMap((it) => [
    String(it.workflowId),
    ...(it.steps as JsonObject[]).map(({ stepId }) => `${String(it.workflowId)}/${String(stepId)}`),
  ]);
  return [
    ...official,
    ...unknown.map(({ operationId }) => `there is no operation ${String(operationId)}`),
    ...ids.filter((id, i) => ids.indexOf(id) !== i).map((id) => `two are called ${id}`),
    ...dangling(document, document, ''),
  ];
}

/** Every operation of a document. */
export function operationsOf(document: JsonObject): { path: string; method: string; value: JsonObject }[] {
  return Object.entries(document.paths as JsonObject).flatMap(([path, methods]) =>
    Object.entries(methods as JsonObject).map(([method, value]) => ({ path, method, value: value as JsonObject })),
  );
}

function dangling(value: Json, root: JsonObject, at: string): string[] {
  if (Array.isArray(value)) return value.flatMap((item, i) => dangling(item, root, `${at}/${i}`));
  // A schema with an `$id` is a separate document.
  if (!isObject(value) || typeof own(value, '$id') === 'string') return [];
  const ref = own(value, '$ref') ?? own(value, 'operationRef');
  const bad = typeof ref === 'string' && resolveReference(root, decodeURIComponent(ref)) === undefined;
  const inner = Object.entries(value).flatMap(([key, it]) => dangling(it, root, `${at}/${key}`));
  return bad ? [`${at} refers to ${ref}`, ...inner] : inner;
}

/** Each parameter of a path must be declared. */
function pathFaults({ path, value }: { path: string; value: JsonObject }): string[] {
  const wanted = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name!);
  const given = ((value.parameters ?? []) as JsonObject[]).filter((it) => it.in === 'path' || it.$ref !== undefined);
  return given.length < wanted.length ? [`${path} does not declare ${wanted.join()}`] : [];
}

/** Schemas that cannot be compiled in place. */
function unusable(document: JsonObject): string[] {
  const validator = new Ajv2020({ strict: false, validateFormats: false });
  validator.addSchema({ ...document, $id: 'https://example.test/openapi' });
  return Object.keys(own(document.components, 'schemas') as JsonObject).flatMap((name) => {
    try {
      validator.compile({ $ref: `https://example.test/openapi#/components/schemas/${name}` });
      return [];
    } catch (error) {
      return [`${name}: ${(error as Error).message}`];
    }
  });
}
