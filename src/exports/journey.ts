import { apiBase } from '../definition/api-path.js';
import type { Definition } from '../definition/definition.js';
import { escapePointer } from '../json/pointer.js';
import { emptyObject, type Json, type JsonObject } from '../json/value.js';
import { validate } from '../json-schema/validate.js';
import { callbackSteps } from '../states/callback-steps.js';
import { allStates } from '../states/graphs.js';
import type { WaitState } from '../states/wait/read.js';
import { type OpenApi, type Operation, operationOf } from './document.js';
import { envelopedResponses } from './errors.js';
import { componentPart, segment } from './names.js';
import { credentialsAfter, requestParameters } from './parameters.js';
import { anyOf, bodySchema, embedded, projectedSchema, schemaId } from './schemas.js';

/** What one journey or Api adds to a document: its operations, and the schemas that they use. */
export interface Surface {
  readonly operations: readonly Operation[];
  readonly schemas: JsonObject;
}

/** What a surface is made for. */
export interface SurfaceOptions {
  /** The gateway's own document, whose operations are made more special. */
  readonly base: OpenApi;
  /** What names of operations and schemas begin with. */
  readonly prefix: string;
  /** What the parameter of a run's id is called. */
  readonly idParameter: string;
  /** What paths begin with. */
  readonly root: string;
  /** Whether some journey that runs belong to has an error envelope of its own. */
  readonly enveloped: boolean;
}

const journeys = `${apiBase}/journeys`;

/** The operations of a `kind: Journey`. */
export function journeySurface(definition: Definition, options: SurfaceOptions): Surface {
  const { base, prefix, idParameter, root } = options;
  const { name } = definition;
  const { schemas, declare } = declarations(name, prefix);
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

  const operation = (from: string, method: string, path: string, id: string, change: Change): Operation => {
    const template = operationOf(base, `${journeys}${from}`, method);
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
    operation('/{id}', 'get', run, 'getStatus', {
      summary: `Where an instance of ${name} stands`,
      answers: (responses) => responses,
    }),
    operation('/{id}/result', 'get', `${run}/result`, 'getResult', {
      summary: `How an instance of ${name} ended`,
      answers: (responses) => answering(responses, '200', outcome),
    }),
    ...stepsOf(definition).map(({ id, state }) => {
      const part = componentPart(id);
      const { schema, response } = state;
      const input = declare(`${part}_input`, schema);
      const fields =
        response?.schema === undefined ? undefined : declare(`${part}_response`, projectedSchema(response.schema));
      return operation('/{id}/steps/{stepId}', 'post', `${run}/steps/${segment(id)}`, operationIds.get(id)!, {
        summary: state.type === 'wait' ? `Give the step ${id} its input` : `Call back to the step ${id}`,
        parameters: requestParameters(
          Object.hasOwn(definition.http.steps, id) ? definition.http.steps[id] : undefined,
          credentialsAfter(definition, id),
          state.signature,
        ),
        body: jsonContent(input, validate(schema, null).length > 0),
        answers: ({ 202: unreadable, ...responses }) => ({
          ...answering(responses, '200', fields ? { allOf: [status, fields] } : status),
          // Only a read guard keeps the status from whoever may submit.
          ...(definition.access && { 202: unreadable! }),
        }),
      });
    }),
    ...(definition.lifecycle.cancellable
      ? [
          operation('/{id}/steps/cancel', 'post', `${run}/steps/cancel`, 'cancel', {
            summary: `Cancel an instance of ${name}`,
            answers: (responses) => responses,
          }),
        ]
      : []),
  ];
  const start = operation('/{name}/start', 'post', `${root}/journeys/${name}/start`, 'start', {
    summary: `Start ${name}`,
    description: startDescription(definition),
    parameters: requestParameters(definition.http.start, credentialsAfter(definition), undefined, definition.metadata),
    body: startBody(definition, declare),
    answers: (responses) => startAnswers(responses, definition, outcome, linksTo(ofRun, idParameter)),
  });
  return { operations: [start, ...ofRun], schemas };
}

/** What can be done with the run that a start made. Operations are meant by their place, because journeys may share one. */
function linksTo(operations: readonly Operation[], idParameter: string): JsonObject {
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

/** Makes a schema a component of the document and answers with a reference to it. */
type Declare = (part: string, schema: Json) => JsonObject;

/** The components of one journey or Api. */
export function declarations(name: string, prefix: string): { schemas: JsonObject; declare: Declare } {
  const schemas = emptyObject();
  const declare: Declare = (part, schema) => {
    const at = `#/components/schemas/${prefix}_${part}`;
    schemas[`${prefix}_${part}`] = embedded(schema, at, schemaId(name, part));
    return { $ref: at };
  };
  return { schemas, declare };
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

/** The names of the steps' operations, by step; a step may be called like another operation. */
export function stepOperations(definition: Definition): ReadonlyMap<string, string> {
  const taken = new Set(['start', 'getStatus', 'getResult', 'cancel']);
  return new Map(
    stepsOf(definition).map(({ id }) => {
      let wanted = id;
      while (taken.has(wanted)) wanted = `step_${wanted}`;
      taken.add(wanted);
      return [id, wanted] as const;
    }),
  );
}

/** The steps of a journey: everything it can wait for. */
export function stepsOf(definition: Definition): { id: string; state: WaitState }[] {
  return [...allStates(definition)].flatMap(({ id, state }) =>
    state.type === 'wait' || state.type === 'webhook' ? [{ id, state }] : [],
  );
}

/** The body of a start, or of a call of an Api. */
export function startBody(definition: Definition, declare: Declare): JsonObject {
  const { headersToContext, queryToContext } = definition.http.start;
  const copied = [...Object.values(headersToContext), ...Object.values(queryToContext)].map(
    (path) => path.split('.')[0]!,
  );
  const schema = bodySchema(definition.input?.schema ?? true, copied);
  return jsonContent(declare('startRequest', schema), validate(schema, {}).length > 0);
}

/** A body of JSON. */
export function jsonContent(schema: Json, required: boolean): JsonObject {
  return { ...(required && { required }), content: { 'application/json': { schema } } };
}

/** The responses with another schema for one of them. */
function answering(responses: JsonObject, code: string, schema: Json): JsonObject {
  const response = responses[code] as JsonObject;
  return { ...responses, [code]: { ...response, content: { 'application/json': { schema } } } };
}

function startDescription({ lifecycle, description }: Definition): string {
  const answer =
    lifecycle.startMode === 'sync'
      ? 'It answers when the run has ended or rests, at the latest after 25 seconds.'
      : 'It answers as soon as the run exists.';
  return `${description === undefined ? '' : `${description}\n\n`}The body is the start context. ${answer} Nothing is started when the request is refused.`;
}

/** A sync start answers an outcome or a status, an async one that the run exists; no journey does both. */
function startAnswers(
  { 200: ended, 202: accepted, ...others }: JsonObject,
  { lifecycle }: Definition,
  outcome: JsonObject,
  links: JsonObject,
): JsonObject {
  if (lifecycle.startMode === 'async') return { 202: { ...(accepted as JsonObject), links }, ...others };
  return answering({ 200: { ...(ended as JsonObject), links }, ...others }, '200', anyOf([outcome, status]));
}

/** The outcome of one journey: its output, the names of its outcomes, and the fields it projects. */
function outcomeSchema(definition: Definition, declare: Declare): JsonObject {
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
