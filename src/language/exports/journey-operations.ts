import { escapePointer } from '../../base/json/pointer.js';
import type { Json, JsonObject } from '../../base/json/value.js';
import { apiBase } from '../../engine/definition/api-routes.js';
import type { Definition } from '../../engine/definition/definition.js';
import type { StepUse } from '../../engine/steps/step-address.js';
import { validate } from '../../json-schema/validate.js';
import { allStates, stepUses } from '../states/graph-traversal.js';
import { stepOf } from '../states/state-queries.js';
import type { AwaitedStep } from '../states/state-type.js';
import { callbackSteps } from '../states/steps-with-callback-urls.js';
import {
  anyOf,
  type CollectSchema,
  jsonContent,
  projectedSchema,
  schemaCollector,
  startBody,
} from './embed-schemas.js';
import { envelopedResponses } from './enveloped-errors.js';
import { copyOperation, type ExportedOperation, type OpenApi } from './openapi-references.js';
import { componentPart, pathSegment } from './operation-and-component-names.js';
import { credentialsAfter, requestParameters } from './request-parameters.js';

/** The part of a document that one journey or Api adds: its operations, and the schemas that they use. */
export interface OpenApiPart {
  readonly operations: readonly ExportedOperation[];
  readonly schemas: JsonObject;
}

/** Options of the document that a surface becomes part of. */
export interface OpenApiPartOptions {
  /** The gateway's own document, whose operations serve as templates. */
  readonly base: OpenApi;
  /** Prefix of operation and schema names. */
  readonly prefix: string;
  /** Name of the path parameter for the run id. */
  readonly idParameter: string;
  /** Prefix of all paths. */
  readonly root: string;
  /** Whether any journey of the document has a custom error envelope. */
  readonly enveloped: boolean;
}

/** The operations of a `kind: Journey`. */
export function journeyOpenApiPart(definition: Definition, options: OpenApiPartOptions): OpenApiPart {
  const { base, prefix, idParameter, root } = options;
  const { name } = definition;
  const { schemas, declare } = schemaCollector(name, prefix);
  const operationIds = stepOperations(definition);
  const handsOutUrls = callbackSteps(definition).length > 0;
  const outcome = outcomeSchema(definition, declare);
  const runId = {
    name: idParameter,
    in: 'path',
    required: true,
    description: 'The `journeyId` of a start, percent-encoded.',
    schema: { type: 'string' },
  };
  const run = `${root}/journeys/{${idParameter}}`;

  const operation = (from: string, method: string, path: string, id: string, change: Change): ExportedOperation => {
    const template = copyOperation(base, `${apiBase}${from}`, method);
    const given = (template.parameters as JsonObject[]).filter(
      (it) => it.$ref === idempotencyKey || (it.in === 'query' && handsOutUrls),
    );
    const { parameters = [], body, answers } = change;
    const isOfRun = path.startsWith(run);
    const responses = answers(template.responses as JsonObject);
    const isEnveloped = isOfRun ? options.enveloped : definition.errors?.envelope !== undefined;
    return {
      path,
      method,
      value: {
        ...template,
        operationId: `${prefix}_${id}`,
        tags: [name],
        summary: change.summary,
        ...(change.description !== undefined && { description: change.description }),
        parameters: [...(isOfRun ? [runId] : []), ...given, ...parameters],
        ...(body && { requestBody: body }),
        responses: isEnveloped ? envelopedResponses(responses, base) : responses,
      },
    };
  };

  const ofRun = [
    operation('/journeys/{id}', 'get', run, 'getStatus', {
      summary: `Get the status of a run of ${name}`,
      answers: (responses) => responses,
    }),
    operation('/journeys/{id}/result', 'get', `${run}/result`, 'getResult', {
      summary: `Get the result of a run of ${name}`,
      answers: (responses) => withResponseSchema(responses, '200', outcome),
    }),
    ...stepsOf(definition).flatMap(({ id, step, from, alone, inItems }) => {
      const part = componentPart(id);
      const { schema, response, signature } = step;
      const input = declare(`${part}_input`, schema);
      const fields =
        response?.schema === undefined ? undefined : declare(`${part}_response`, projectedSchema(response.schema));
      const summary = from === 'client' ? `Submit the step ${id}` : `Call back to the step ${id}`;
      const parameters = requestParameters(
        Object.hasOwn(definition.http.steps, id) ? definition.http.steps[id] : undefined,
        credentialsAfter(definition, id),
        signature,
      );
      const change: Change = {
        summary,
        parameters,
        body: jsonContent(input, validate(schema, null).length > 0),
        answers: ({ 202: unreadable, ...responses }) => ({
          ...withResponseSchema(responses, '200', fields ? { allOf: [status, fields] } : status),
          // Only a read guard can hide the status from a caller that may submit.
          ...(definition.access && { 202: unreadable! }),
        }),
      };
      const path = `${run}/steps/${pathSegment(id)}`;
      const names = operationIds.get(id)!;
      return [
        ...(alone ? [operation('/journeys/{id}/steps/{stepId}', 'post', path, names.alone, change)] : []),
        ...(inItems
          ? [
              operation('/journeys/{id}/steps/{stepId}/{item}', 'post', `${path}/{item}`, names.inItems, {
                ...change,
                summary: `${summary} in an item of a map`,
                parameters: [itemParameter, ...parameters],
              }),
            ]
          : []),
      ];
    }),
    ...(definition.lifecycle.cancellable
      ? [
          operation('/journeys/{id}/steps/cancel', 'post', `${run}/steps/cancel`, 'cancel', {
            summary: `Cancel a run of ${name}`,
            answers: (responses) => responses,
          }),
        ]
      : []),
  ];
  const start = operation('/journeys/{name}/start', 'post', `${root}/journeys/${name}/start`, 'start', {
    summary: `Start ${name}`,
    description: startDescription(definition),
    parameters: requestParameters(definition.http.start, credentialsAfter(definition), undefined, definition.metadata),
    body: startBody(definition, declare),
    answers: (responses) => startResponses(responses, definition, outcome, linksTo(ofRun, idParameter)),
  });
  const hooks = hooksOf(definition).map(({ id, step }) =>
    operation('/hooks/{name}/{stepId}', 'post', `${root}/hooks/${name}/${pathSegment(id)}`, hookOperation(id), {
      summary: `Submit the step ${id} of the run with the key in the request`,
      parameters: requestParameters(
        Object.hasOwn(definition.http.steps, id) ? definition.http.steps[id] : undefined,
        [],
        step.signature,
      ),
      body: jsonContent(declare(`${componentPart(id)}_input`, step.schema), validate(step.schema, null).length > 0),
      answers: (responses) => responses,
    }),
  );
  return { operations: [start, ...ofRun, ...hooks], schemas };
}

/** Links from the response of a start to the operations of the run. They refer to operations by path, because journeys may share an operation. */
function linksTo(operations: readonly ExportedOperation[], idParameter: string): JsonObject {
  const links = operations.map(({ path, method, value }) => {
    const place = [path, method].map((part) => encodeURIComponent(escapePointer(part)));
    const parameters = { [idParameter]: '$response.body#/journeyId' };
    return [
      componentPart(String(value.operationId)),
      { operationRef: `#/paths/${place.join('/')}`, parameters },
    ] as const;
  });
  return Object.fromEntries(links);
}

interface Change {
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly Json[];
  readonly body?: JsonObject;
  answers(responses: JsonObject): JsonObject;
}

const status: JsonObject = { $ref: '#/components/schemas/JourneyStatus' };
const idempotencyKey = '#/components/parameters/IdempotencyKey';

const itemParameter: JsonObject = {
  name: 'item',
  in: 'path',
  required: true,
  description: 'The item: its key, or its index from 0 if the map has no keys.',
  schema: { type: 'string' },
};

/** The names of a step's operations. */
export interface StepOperations {
  readonly alone: string;
  /** In the items of a map. */
  readonly inItems: string;
}

/** Operation names of steps, by step id. A step whose id equals the name of another operation gets a prefix. */
export function stepOperations(definition: Definition): ReadonlyMap<string, StepOperations> {
  const hooks = hooksOf(definition).map(({ id }) => hookOperation(id));
  const taken = new Set(['start', 'getStatus', 'getResult', 'cancel', ...hooks]);
  return new Map(
    stepsOf(definition).map(({ id, alone, inItems }) => {
      const free = (name: string) => {
        let wanted = name;
        while (taken.has(wanted)) wanted = `step_${wanted}`;
        taken.add(wanted);
        return wanted;
      };
      const name = free(id);
      return [id, { alone: name, inItems: alone && inItems ? free(`${id}_item`) : name }] as const;
    }),
  );
}

/** The steps that have a fixed URL for all runs. */
function hooksOf(definition: Definition): (AwaitedStep & { id: string })[] {
  return stepsOf(definition).filter(({ step }) => step.correlate);
}

/** The operation name of a fixed URL, by the step's id. */
function hookOperation(id: string): string {
  return `hook_${id}`;
}

/** Every step of a journey. One that nothing leads to is exported as one outside of maps. */
export function stepsOf(definition: Definition): (AwaitedStep & StepUse & { id: string })[] {
  const uses = stepUses(definition);
  return [...allStates(definition)].flatMap(({ id, state }) => {
    const awaited = stepOf(state);
    return awaited ? [{ id, ...awaited, ...(uses.get(id) ?? { alone: true, inItems: false }) }] : [];
  });
}

/** The responses, with the schema of one of them replaced. */
function withResponseSchema(responses: JsonObject, code: string, schema: Json): JsonObject {
  const response = responses[code] as JsonObject;
  return { ...responses, [code]: { ...response, content: { 'application/json': { schema } } } };
}

function startDescription({ lifecycle, description }: Definition): string {
  const answer =
    lifecycle.startMode === 'sync'
      ? 'Responds when the run ends or parks, after 25 seconds at the latest.'
      : 'Responds as soon as the run exists.';
  return `${description === undefined ? '' : `${description}\n\n`}The body is the start context. ${answer} A rejected request starts nothing.`;
}

/** A sync start responds with an outcome or a status (200), an async start with an acknowledgement (202); a journey has one of the two modes. */
function startResponses(
  { 200: ended, 202: accepted, ...others }: JsonObject,
  { lifecycle }: Definition,
  outcome: JsonObject,
  links: JsonObject,
): JsonObject {
  if (lifecycle.startMode === 'async') return { 202: { ...(accepted as JsonObject), links }, ...others };
  return withResponseSchema({ 200: { ...(ended as JsonObject), links }, ...others }, '200', anyOf([outcome, status]));
}

/** Schema of one journey's outcome: its output, the names of its outcomes, and the fields that it projects. */
function outcomeSchema(definition: Definition, declare: CollectSchema): JsonObject {
  const { output, outcomes } = definition;
  const properties: JsonObject = {
    ...(output?.schema !== undefined && { output: declare('output', output.schema) }),
    ...(outcomes.length > 0 && { outcomeId: { type: 'string', enum: [...new Set(outcomes.map(({ id }) => id))] } }),
  };
  const projected = output?.response?.schema;
  const parts: Json[] = [
    { $ref: '#/components/schemas/JourneyOutcome' },
    ...(Object.keys(properties).length > 0 ? [{ type: 'object', properties }] : []),
    ...(projected === undefined ? [] : [declare('outcomeFields', projectedSchema(projected))]),
  ];
  return parts.length === 1 ? (parts[0] as JsonObject) : { allOf: parts };
}
