import type { Json, JsonObject } from '../../base/json/value.js';
import type { Definition, Graph } from '../../engine/definition/definition.js';
import type { State } from '../states/registry.js';
import {
  edgesOf,
  innerGraphs,
  innerRuns,
  isFailure,
  isSleep,
  isTerminal,
  itemsAtOnce,
  stepOf,
  subjourneysOf,
} from '../states/state-queries.js';
import { bodySchema, embedSchema, schemaId } from './embed-schemas.js';
import { stepOperations, stepsOf } from './journey-operations.js';
import { camelName, componentPart } from './operation-and-component-names.js';

/**
 * The Arazzo 1.0 document of a journey: one workflow for each state where a run can end, the happy path first, and one for each step
 * that none of these submits. The path of a run depends on its input and on the services it calls, so the success criteria state the
 * expected result. `source` is the URL of its OpenAPI document.
 */
export function arazzoOf(definition: Definition, source: string): JsonObject {
  const { name, version, description } = definition;
  const ways = waysThrough(definition);
  const happy = ways.find(endsWell) ??
    ways[0] ?? { end: definition.start, state: definition.states[definition.start]!, stops: [] };
  const others = ways.filter((way) => way !== happy);
  const submitted = new Set([happy, ...others].flatMap(submissionsOf));
  const further = stepsOf(definition).flatMap(({ id }) => {
    const way = submitted.has(id) ? undefined : wayThrough(id, definition);
    for (const step of way ? submissionsOf(way) : []) submitted.add(step);
    return way ? [{ ...way, through: id }] : [];
  });
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
      ...further.map((way) => workflow(definition, way, `through-${componentPart(way.through)}`)),
    ],
    components: { inputs: inputs(definition, submitted) },
  };
}

/** Schemas of the request bodies that a client sends. */
function inputs(definition: Definition, submitted: ReadonlySet<string>): JsonObject {
  const schemas: [string, Json][] = [
    ['startRequest', bodySchema(definition.input?.schema ?? true, [])],
    ...stepsOf(definition).flatMap(({ id, step }): [string, Json][] =>
      submitted.has(id) ? [[inputName(id), step.schema]] : [],
    ),
  ];
  const placed = schemas.map(([part, schema]) => {
    const at = `#/components/inputs/${part}`;
    const it = embedSchema(schema, at, schemaId(definition.name, part));
    // Inputs must be schema objects: `true` is written as `{}`, `false` as `{ not: {} }`.
    return [part, it === true ? {} : it === false ? { not: {} } : it] as const;
  });
  return Object.fromEntries(placed);
}

function itemName(stepId: string): string {
  return `${componentPart(stepId)}_item`;
}

function inputName(stepId: string): string {
  return `${componentPart(stepId)}_input`;
}

function workflow(definition: Definition, way: Way, part: string): JsonObject {
  const { name, lifecycle } = definition;
  const ends = endsWell(way) ? 'SUCCEEDED' : 'FAILED';
  const submissions = submissionsOf(way);
  const properties: JsonObject = { startRequest: { $ref: '#/components/inputs/startRequest' } };
  for (const id of submissions) properties[inputName(id)] = { $ref: `#/components/inputs/${inputName(id)}` };
  for (const stop of way.stops)
    if (stop.kind === 'submit' && stop.inItem)
      properties[itemName(stop.id)] = { type: 'string', description: `An item that ${stop.id} waits in.` };
  return {
    workflowId: `${name}-${part}`,
    summary: `${name} ${endsWell(way) ? 'succeeds' : 'fails'} in ${way.end}`,
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
        description: 'Get the result.',
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

/** A submission for each step of the client. If the run stops for anything else first, the client polls until the step waits. */
function stopSteps(definition: Definition, stops: readonly Stop[]): JsonObject[] {
  const operations = stepOperations(definition);
  const camel = camelName(definition.name);
  const steps: JsonObject[] = [];
  let mustPoll = definition.lifecycle.startMode === 'async';
  for (const stop of stops) {
    if (stop.kind !== 'submit') {
      mustPoll = true;
      continue;
    }
    // A subjourney that is called twice has its steps submitted twice.
    const operation = `${camel}_${operations.get(stop.id)![stop.inItem ? 'inItems' : 'alone']}`;
    const times = steps.filter(({ operationId }) => operationId === operation).length;
    const part = `${componentPart(stop.id).replaceAll('.', '-')}${times === 0 ? '' : `-${times + 1}`}`;
    if (mustPoll)
      steps.push({
        stepId: `await-${part}`,
        description: `Poll until ${stop.id} waits.`,
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
      description: `Submit ${stop.id}.`,
      operationId: operation,
      parameters: [
        runId,
        ...(stop.inItem ? [{ name: 'item', in: 'path', value: `$inputs.${itemName(stop.id)}` }] : []),
      ],
      requestBody: { contentType: 'application/json', payload: `$inputs.${inputName(stop.id)}` },
      successCriteria: [{ condition: '$statusCode == 200' }],
    });
    mustPoll = false;
  }
  return steps;
}

/** A text as a string literal of JSONPath. */
function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

/** An event that a run waits for: a submission by the client, a callback from another system, or a timer. */
type Stop = { kind: 'submit' | 'callback'; id: string; inItem?: true } | { kind: 'time' };

/** One path through a journey: its stops, and the state in which it ends. */
interface Way {
  readonly end: string;
  readonly state: State;
  readonly stops: readonly Stop[];
}

/** The steps that a client submits on a path. */
function submissionsOf({ stops }: Way): string[] {
  return stops.flatMap((stop) => (stop.kind === 'submit' ? [stop.id] : []));
}

/** Weights of stops when paths are compared: submissions by the client are preferred to callbacks, and callbacks to timers. */
const costs = { submit: 100, callback: 150, time: 300 };

/** The cheapest path to each state where a run can end, cheapest first. Step timeouts are used only if no other path leads to the state. */
function waysThrough(definition: Definition): Way[] {
  const inTime = waysIn(definition, definition, false, new Set());
  const all = waysIn(definition, definition, true, new Set());
  const ways = [...inTime.values(), ...[...all].filter(([end]) => !inTime.has(end)).map(([, way]) => way)];
  return ways.sort((a, b) => a.cost - b.cost);
}

/** The cheapest path on which the client submits this step: a successful one if possible, and without timeouts if possible. */
function wayThrough(step: string, definition: Definition): Way | undefined {
  for (const late of [false, true]) {
    const best = bestOf(waysIn(definition, definition, late, new Set(), step));
    if (best) return best;
  }
  return undefined;
}

interface Costed extends Way {
  readonly cost: number;
}

/** The cheapest path to each end of a graph; with `through`, the cheapest one that submits this step. */
function waysIn(
  graph: Graph,
  definition: Definition,
  late: boolean,
  within: ReadonlySet<string>,
  through?: string,
): Map<string, Costed> {
  const done = new Set<string>();
  const ends = new Map<string, Costed>();
  const passes = (stops: readonly Stop[]) => through === undefined || submits(stops, through);
  const open: { id: string; stops: readonly Stop[]; cost: number }[] = [{ id: graph.start, stops: [], cost: 0 }];
  for (;;) {
    const next = open.sort((a, b) => b.cost - a.cost).pop();
    if (!next) return ends;
    const state = Object.hasOwn(graph.states, next.id) ? graph.states[next.id] : undefined;
    const key = `${passes(next.stops)} ${next.id}`;
    if (!state || done.has(key)) continue;
    done.add(key);
    const wanted = passes(next.stops) ? [undefined] : [undefined, through];
    for (const here of wanted.map((it) => stopsAt(next.id, state, definition, late, within, it))) {
      if (!here) continue;
      const stops = [...next.stops, ...here];
      const cost = next.cost + 1 + costOf(here);
      const known = ends.get(next.id);
      if (isTerminal(state) && passes(stops) && !(known && known.cost <= cost))
        ends.set(next.id, { end: next.id, state, stops, cost });
      for (const { to, isTimeout } of edgesOf(state)) {
        if (!isTimeout) open.push({ id: to, stops, cost });
        else if (late) open.push({ id: to, stops: [...next.stops, { kind: 'time' }], cost: cost + costs.time });
      }
    }
  }
}

function submits(stops: readonly Stop[], step: string): boolean {
  return stops.some((stop) => stop.kind === 'submit' && stop.id === step);
}

function costOf(stops: readonly Stop[]): number {
  return stops.reduce((sum, { kind }) => sum + costs[kind], 0);
}

/** The stops of a run inside one state, with the step `through` if it is inside; undefined if no path leads through the state. */
function stopsAt(
  id: string,
  state: State,
  definition: Definition,
  late: boolean,
  within: ReadonlySet<string>,
  through?: string,
): readonly Stop[] | undefined {
  const awaited = stepOf(state);
  if (awaited) return [{ kind: awaited.from === 'client' ? 'submit' : 'callback', id }];
  if (isSleep(state)) return [{ kind: 'time' }];
  const called = subjourneysOf(state).map((ref) => {
    const graph = Object.hasOwn(definition.subjourneys, ref) && !within.has(ref) && definition.subjourneys[ref];
    return graph ? bestIn(graph, definition, late, new Set([...within, ref]), through) : undefined;
  });
  const inner = innerGraphs(state).map(({ graph }) => bestIn(graph, definition, late, within, through));
  const all = [...called, ...(itemsAtOnce(state) === undefined ? inner : inner.map(inItem))];
  const known = all.filter((stops) => stops !== undefined);
  const wanted = through === undefined ? undefined : known.find((stops) => submits(stops, through));
  if (innerRuns(state) === 'first') return wanted ?? known.sort((a, b) => costOf(a) - costOf(b))[0];
  return known.length === all.length ? known.flat() : undefined;
}

function inItem(stops: readonly Stop[] | undefined): readonly Stop[] | undefined {
  return stops?.map((stop) => (stop.kind === 'time' ? stop : { ...stop, inItem: true }));
}

/** The stops of the best path through an inner graph; one through the step `through` if there is any. */
function bestIn(
  graph: Graph,
  definition: Definition,
  late: boolean,
  within: ReadonlySet<string>,
  through?: string,
): readonly Stop[] | undefined {
  const special = through === undefined ? undefined : bestOf(waysIn(graph, definition, late, within, through));
  return (special ?? bestOf(waysIn(graph, definition, late, within)))?.stops;
}

/** The cheapest successful path, or the cheapest failing one if none succeeds. */
function bestOf(ways: ReadonlyMap<string, Costed>): Costed | undefined {
  const cheapestFirst = [...ways.values()].sort((a, b) => a.cost - b.cost);
  return cheapestFirst.find(endsWell) ?? cheapestFirst[0];
}

/** Whether a path ends in success; a `parallel` at the end of a graph counts as success. */
function endsWell({ state }: Pick<Way, 'state'>): boolean {
  return !isFailure(state);
}
