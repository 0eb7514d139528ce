import { apiBase } from '../definition/api-path.js';
import type { Definition } from '../definition/definition.js';
import { copy, emptyObject, isObject, type Json, type JsonObject } from '../json/value.js';
import { apiSurface } from './api.js';
import { componentsFor, type OpenApi, type Operation } from './document.js';
import { envelopedResponses } from './errors.js';
import { journeySurface, type Surface, type SurfaceOptions } from './journey.js';
import { camelName, identifiersOf } from './names.js';
import { anyOf } from './schemas.js';

/** The OpenAPI 3.1 document of one journey or Api. It refers to nothing outside itself. `server` is where the gateway is. */
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
 * share their paths, so a step of one name in two journeys is one operation that takes what either takes.
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

function surfaceOf(definition: Definition, options: SurfaceOptions): Surface {
  return definition.kind === 'Api' ? apiSurface(definition, options) : journeySurface(definition, options);
}

function hasEnvelope({ errors }: Definition): boolean {
  return errors?.envelope !== undefined;
}

/** The gateway's own paths, where those of runs answer in the envelope of whichever journey a run belongs to. */
function ownPaths(base: OpenApi): JsonObject {
  const paths = copy(base.paths as JsonObject);
  for (const [path, methods] of Object.entries(paths)) {
    if (!path.startsWith(`${apiBase}/journeys/{`) && !path.startsWith(`${apiBase}/apis/{`)) continue;
    for (const operation of Object.values(methods as JsonObject) as JsonObject[])
      operation.responses = envelopedResponses(operation.responses as JsonObject, base);
  }
  return paths;
}

function pathsOf(operations: readonly Operation[]): JsonObject {
  const paths = emptyObject();
  for (const { path, method, value } of operations) {
    const methods = (paths[path] ?? emptyObject()) as JsonObject;
    const other = methods[method];
    methods[method] = isObject(other) ? eitherOperation(other, value) : value;
    paths[path] = methods;
  }
  return paths;
}

/** One operation for two journeys that have a step of the same name. */
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
