import { copy, emptyObject, isObject, type Json, type JsonObject } from '../../base/json/value.js';
import { apiBase, apiMethod, urlPath } from '../../engine/definition/api-routes.js';
import type { ApiResponseRule, ApiStatus, Definition } from '../../engine/definition/definition.js';
import { anyOf, schemaCollector, startBody } from './embed-schemas.js';
import { envelopedResponses } from './enveloped-errors.js';
import { journeyOpenApiPart, type OpenApiPart, type OpenApiPartOptions } from './journey-operations.js';
import {
  componentsFor,
  copyOperation,
  copyResponse,
  type ExportedOperation,
  type OpenApi,
} from './openapi-references.js';
import { camelName, identifiersOf } from './operation-and-component-names.js';
import { credentialsAfter, requestParameters } from './request-parameters.js';

/** The self-contained OpenAPI 3.1 document of one journey or Api. `server` is the URL of the gateway. */
export function openApiOf(definition: Definition, base: OpenApi, server = ''): OpenApi {
  const { name, version, description } = definition;
  const { operations, schemas } = surfaceOf(definition, {
    base,
    prefix: camelName(name),
    idParameter: 'journeyId',
    root: '',
    enveloped: hasEnvelope(definition),
  });
  const components = base.components as JsonObject;
  const paths = pathsOf(operations);
  return {
    openapi: '3.1.0',
    info: { title: name, version, ...(description !== undefined && { description }) },
    servers: [{ url: `${server.replace(/\/+$/, '')}${apiBase}` }],
    security: base.security!,
    tags: [{ name, ...(description !== undefined && { description }) }],
    paths,
    components: componentsFor([paths, schemas], {
      ...components,
      schemas: { ...(components.schemas as JsonObject), ...schemas },
    }),
  };
}

/**
 * The OpenAPI 3.1 document of a whole gateway: its own routes, and those of every journey and Api that it serves. Runs of all journeys
 * share their paths, so steps with the same name in two journeys become one operation that accepts the input of either.
 */
export function gatewayOpenApi(base: OpenApi, definitions: readonly Definition[], server = '/'): OpenApi {
  const names = identifiersOf(definitions);
  const enveloped = definitions.some(hasEnvelope);
  const surfaces = definitions.map((definition) =>
    surfaceOf(definition, {
      base,
      prefix: names.get(definition.name)!,
      idParameter: 'id',
      root: apiBase,
      enveloped,
    }),
  );
  const components = base.components as JsonObject;
  const shared = new Set(Object.keys(base.paths as JsonObject));
  const added = surfaces.flatMap(({ operations }) => operations).filter(({ path }) => !shared.has(path));
  return {
    ...base,
    servers: [{ url: server }],
    tags: [
      ...(base.tags as Json[]),
      ...definitions.map(({ name, description }) => ({ name, ...(description !== undefined && { description }) })),
    ],
    paths: { ...(enveloped ? ownPaths(base) : (base.paths as JsonObject)), ...pathsOf(added) },
    components: {
      ...components,
      schemas: Object.assign({}, components.schemas, ...surfaces.map(({ schemas }) => schemas)) as JsonObject,
    },
  };
}

function surfaceOf(definition: Definition, options: OpenApiPartOptions): OpenApiPart {
  return definition.kind === 'Api' ? apiSurface(definition, options) : journeyOpenApiPart(definition, options);
}

function hasEnvelope({ errors }: Definition): boolean {
  return errors?.envelope !== undefined;
}

/** The gateway's own paths; those of runs may answer in the error envelope of the run's journey. */
function ownPaths(base: OpenApi): JsonObject {
  const paths = copy(base.paths as JsonObject);
  for (const [path, methods] of Object.entries(paths)) {
    if (!path.startsWith(`${apiBase}/journeys/{`) && !path.startsWith(`${apiBase}/apis/{`)) continue;
    for (const operation of Object.values(methods as JsonObject) as JsonObject[])
      operation.responses = envelopedResponses(operation.responses as JsonObject, base);
  }
  return paths;
}

function pathsOf(operations: readonly ExportedOperation[]): JsonObject {
  const paths = emptyObject();
  for (const { path, method, value } of operations) {
    const methods = (paths[path] ?? emptyObject()) as JsonObject;
    const other = methods[method];
    methods[method] = isObject(other) ? eitherOperation(other, value) : value;
    paths[path] = methods;
  }
  return paths;
}

/** Merges the operations of two journeys that have a step with the same name. */
function eitherOperation(one: JsonObject, other: JsonObject): JsonObject {
  const key = (it: Json) => JSON.stringify(isObject(it) ? (it.$ref ?? [it.in, it.name]) : it);
  const parameters = [...(one.parameters as Json[]), ...(other.parameters as Json[])];
  const bodies = [one.requestBody, other.requestBody] as JsonObject[];
  const answers = [one.responses, other.responses] as JsonObject[];
  return {
    ...one,
    tags: [...(one.tags as Json[]), ...(other.tags as Json[])],
    parameters: [...new Map(parameters.map((it) => [key(it), it])).values()],
    requestBody: {
      ...(bodies.every(({ required }) => required === true) && { required: true }),
      content: eitherContent(bodies),
    },
    responses: {
      ...answers[0],
      200: {
        ...(answers[0]!['200'] as JsonObject),
        content: eitherContent(answers.map((it) => it['200'] as JsonObject)),
      },
    },
  };
}

function eitherContent(parts: readonly JsonObject[]): JsonObject {
  const schemas = parts.map(({ content }) => ((content as JsonObject)['application/json'] as JsonObject).schema!);
  const known = new Map(
    schemas
      .flatMap((it) => (isObject(it) && Array.isArray(it.anyOf) ? it.anyOf : [it]))
      .map((it) => [JSON.stringify(it), it]),
  );
  return { 'application/json': { schema: anyOf([...known.values()]) } };
}

type Phase = 'SUCCEEDED' | 'FAILED';

const failure = 'The Api failed, and its rules chose this status.';
const serverFault = /^5/;

/** The one operation of a `kind: Api`, at its own route. */
function apiSurface(definition: Definition, { base, prefix, root }: OpenApiPartOptions): OpenApiPart {
  const { schemas, declare } = schemaCollector(definition.name, prefix);
  const template = copyOperation(base, `${apiBase}/apis/{name}`, 'post');
  const { 200: _, ...refusals } = template.responses as JsonObject;
  const output = definition.output?.schema === undefined ? true : declare('output', definition.output.schema);
  const failures = statusesOf(definition, 'FAILED');
  const errors = Object.fromEntries(failures.map((status) => [status, failing(status)]));
  const plain: JsonObject = { ...refusals, ...errors };
  const responses = definition.errors?.envelope ? envelopedResponses(plain, base, failures) : plain;
  for (const status of statusesOf(definition, 'SUCCEEDED')) responses[status] = succeeding(responses[status], output);
  const value: JsonObject = {
    ...template,
    operationId: `${prefix}_call`,
    tags: [definition.name],
    summary: `Call ${definition.name}`,
    description: [definition.description, 'One request, one response; no run is stored.'].filter(Boolean).join('\n\n'),
    parameters: requestParameters(definition.http.start, credentialsAfter(definition)),
    responses: withoutBodies(responses),
  };
  const method = apiMethod(definition) === 'GET' ? 'get' : 'post';
  if (method === 'post') value.requestBody = startBody(definition, declare);
  else delete value.requestBody;
  const path = `${root}${urlPath(definition).slice(apiBase.length)}`;
  return { operations: [{ path, method, value }], schemas };

  /** The response for a failure of the Api, merged with the gateway's response of the same status. */
  function failing(status: string): Json {
    if (status === 'default' || serverFault.test(status)) return refusals[status] ?? refusals.default!;
    const also = refusals[status];
    const it = copyResponse(base, also ?? refusals.default!);
    return { ...it, description: also ? `${failure} Or: ${String(it.description)}` : failure };
  }

  /** The response for a success, merged with another response of the same status. */
  function succeeding(also: Json | undefined, schema: Json): JsonObject {
    if (also === undefined) return { description: 'The Api’s output.', content: { 'application/json': { schema } } };
    const it = copyResponse(base, also);
    const content = it.content as JsonObject;
    const same = (content['application/json'] as JsonObject | undefined)?.schema;
    const json = same === undefined ? schema : anyOf([schema, same]);
    return {
      ...it,
      description: `The Api’s output, or: ${String(it.description)}`,
      content: { ...content, 'application/json': { schema: json } },
    };
  }
}

/** The statuses of responses for this phase; `default` if an expression computes the status. */
function statusesOf({ http, execution }: Definition, phase: Phase): string[] {
  const { rules = [], default: fallback } = http.apiResponses ?? {};
  const found = new Set<string>();
  // A rule that cannot be evaluated results in a 500.
  if (phase === 'FAILED') found.add('500');
  for (const rule of rules) {
    if (!canMatch(rule, phase)) continue;
    found.add(statusOf(rule));
    if (!rule.predicate && rule.errorType === undefined) return [...found];
  }
  const last = fallback?.[phase];
  if (last) found.add(statusOf(last));
  else if (phase === 'SUCCEEDED') found.add('200');
  else if (execution) found.add('504');
  return [...found];
}

function canMatch(rule: ApiResponseRule, phase: Phase): boolean {
  if (rule.phase !== undefined && rule.phase !== phase) return false;
  return phase === 'FAILED' || rule.errorType === undefined;
}

function statusOf(rule: ApiStatus): string {
  if (!('status' in rule)) return 'default';
  return rule.status < 200 ? '500' : String(rule.status);
}

/** Removes the content of responses that HTTP sends without a body. */
function withoutBodies(responses: JsonObject): JsonObject {
  for (const [status, response] of Object.entries(responses)) {
    if (!/^(204|205|304)$/.test(status)) continue;
    const { content: _, ...rest } = response as JsonObject;
    responses[status] = rest;
  }
  return responses;
}
