import type { Definition } from '../definition/definition.js';
import type { Json, JsonObject } from '../json/value.js';
import { stepOperations, stepsOf } from './journey.js';
import { camelName, componentPart } from './names.js';
import { bodySchema, embedded, schemaId } from './schemas.js';
import { endsWell, type Stop, type Way, waysThrough } from './ways.js';

/**
 * The Arazzo 1.0 document of a journey: one workflow for each state where a run can end, the first of them the happy path. Which way a run
 * takes is decided by its input and by what it calls, so the criteria say what must have come of it. `source` is where its OpenAPI document is.
 */
export function arazzoOf(definition: Definition, source: string): JsonObject {
  const { name, version, description } = definition;
  const ways = waysThrough(definition);
  const happy = ways.find(endsWell) ??
    ways[0] ?? { end: definition.start, state: definition.states[definition.start]!, stops: [] };
  const others = ways.filter((way) => way !== happy);
  const submitted = new Set(
    [happy, ...others].flatMap(({ stops }) => stops.flatMap((stop) => (stop.kind === 'submit' ? [stop.id] : []))),
  );
  return {
    arazzo: '1.0.1',
    info: {
      title: `${name}: workflows`,
      version,
      ...(description !== undefined && { description }),
    },
    sourceDescriptions: [{ name: camelName(name), url: source, type: 'openapi' }],
    workflows: [
      workflow(definition, happy, 'happy-path'),
      ...others.map((way) => workflow(definition, way, `to-${componentPart(way.end)}`)),
    ],
    components: { inputs: inputs(definition, submitted) },
  };
}

/** The schemas of what a client sends. */
function inputs(definition: Definition, submitted: ReadonlySet<string>): JsonObject {
  const schemas: [string, Json][] = [
    ['startRequest', bodySchema(definition.input?.schema ?? true, [])],
    ...stepsOf(definition).flatMap(({ id, state }): [string, Json][] =>
      submitted.has(id) ? [[inputName(id), state.schema]] : [],
    ),
  ];
  const placed = schemas.map(([part, schema]) => {
    const at = `#/components/inputs/${part}`;
    const it = embedded(schema, at, schemaId(definition.name, part));
    // Inputs are schema objects; a schema that takes everything is the empty one.
    return [part, it === true ? {} : it === false ? { not: {} } : it] as const;
  });
  return Object.fromEntries(placed);
}

function inputName(stepId: string): string {
  return `${componentPart(stepId)}_input`;
}

function workflow(definition: Definition, way: Way, part: string): JsonObject {
  const { name, lifecycle } = definition;
  const ends = endsWell(way) ? 'SUCCEEDED' : 'FAILED';
  const submissions = way.stops.flatMap((stop) => (stop.kind === 'submit' ? [stop.id] : []));
  const properties: JsonObject = { startRequest: { $ref: '#/components/inputs/startRequest' } };
  for (const id of submissions) properties[inputName(id)] = { $ref: `#/components/inputs/${inputName(id)}` };
  return {
    workflowId: `${name}-${part}`,
    summary: `${name} ends ${endsWell(way) ? 'well' : 'badly'} in ${way.end}`,
    inputs: { type: 'object', properties, required: Object.keys(properties) },
    steps: [
      {
        stepId: 'start',
        description: `Start ${name}.`,
        operationId: `${camelName(name)}_start`,
        requestBody: { contentType: 'application/json', payload: '$inputs.startRequest' },
        successCriteria: [{ condition: `$statusCode == ${lifecycle.startMode === 'sync' ? 200 : 202}` }],
        outputs: { journeyId: '$response.body#/journeyId' },
      },
      ...stopSteps(definition, way.stops),
      {
        stepId: 'result',
        description: 'How it ended.',
        operationId: `${camelName(name)}_getResult`,
        parameters: [runId],
        successCriteria: [{ condition: '$statusCode == 200' }, { condition: `$response.body#/phase == '${ends}'` }],
        onFailure: [retry('notYet', '$statusCode == 409')],
        outputs: { status: '$response.body#/status' },
      },
    ],
    outputs: { journeyId: '$steps.start.outputs.journeyId', status: '$steps.result.outputs.status' },
  };
}

const runId: JsonObject = { name: 'journeyId', in: 'path', value: '$steps.start.outputs.journeyId' };

function retry(name: string, condition: string): JsonObject {
  return { name, type: 'retry', retryAfter: 5, retryLimit: 720, criteria: [{ condition }] };
}

/** A submission for each step of the client's. Where something else comes before it, the client first looks until the step waits. */
function stopSteps(definition: Definition, stops: readonly Stop[]): JsonObject[] {
  const operations = stepOperations(definition);
  const camel = camelName(definition.name);
  const steps: JsonObject[] = [];
  let mustLook = definition.lifecycle.startMode === 'async';
  for (const stop of stops) {
    if (stop.kind !== 'submit') {
      mustLook = true;
      continue;
    }
    // A subjourney that is called twice asks twice.
    const times = steps.filter(({ operationId }) => operationId === `${camel}_${operations.get(stop.id)!}`).length;
    const part = `${componentPart(stop.id).replaceAll('.', '-')}${times === 0 ? '' : `-${times + 1}`}`;
    if (mustLook)
      steps.push({
        stepId: `await-${part}`,
        description: `Look until ${stop.id} waits.`,
        operationId: `${camel}_getStatus`,
        parameters: [runId],
        successCriteria: [
          {
            context: '$response.body',
            condition: `$.activeStates[?(@.state == ${quoted(stop.id)})]`,
            type: 'jsonpath',
          },
        ],
        onFailure: [retry('notYet', '$statusCode == 200')],
      });
    steps.push({
      stepId: `submit-${part}`,
      description: `Give ${stop.id} its input.`,
      operationId: `${camel}_${operations.get(stop.id)!}`,
      parameters: [runId],
      requestBody: { contentType: 'application/json', payload: `$inputs.${inputName(stop.id)}` },
      successCriteria: [{ condition: '$statusCode == 200' }],
    });
    mustLook = false;
  }
  return steps;
}

/** A text in a JSONPath. */
function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
