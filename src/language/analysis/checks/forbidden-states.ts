import type { Place } from '../../../base/document/placed-value.js';
import type { Definition, Graph, InboundBinding, State } from '../../../engine/definition/definition.js';
import type { ReadGraph } from '../../read/read-graph.js';
import { statesReachableFrom } from '../../states/graph-traversal.js';
import {
  credentialOf,
  innerGraphs,
  isStep,
  itemsAtOnce,
  parks,
  roundsOf,
  scheduleStart,
  schedulesStoppedBy,
  subjourneysOf,
  targetsOf,
  terminalExits,
} from '../../states/state-queries.js';
import { allGraphs, innerOf } from './reachability.js';

type Subjourneys = Readonly<Record<string, Graph>>;

/** The start of a `schedule:v1` task: the state's id, and the place that names it. */
export interface ScheduleStart {
  id: string;
  place: Place;
}

/** Every `schedule:v1` task of the document whose start is a state. */
export function scheduleStartPlaces(graphs: readonly ReadGraph[]): ScheduleStart[] {
  const out: ScheduleStart[] = [];
  for (const { graph, place } of allGraphs(graphs))
    for (const [id, state] of Object.entries(graph.states)) {
      const start = scheduleStart(state);
      if (start !== undefined) out.push({ id: start, place: place.at('states').at(id).at(state.type).at('start') });
    }
  return out;
}

/** Refuses steps that a scheduled run can reach at any depth, because it has no caller. */
export function checkSchedules(main: ReadGraph, starts: readonly ScheduleStart[], subjourneys: Subjourneys): void {
  for (const { id, place } of starts) {
    const steps = [...statesReachableFrom(main.graph, id, subjourneys)]
      .filter(({ state }) => isStep(state))
      .map((visit) => `"${visit.id}"`);
    if (steps.length > 0)
      place.error(
        'SCHED_PATH_INTERACTIVE',
        `Scheduled runs from "${id}" can reach ${[...new Set(steps)].join(', ')}, where they wait for input.`,
      );
  }
}

/** Warns about tasks that stop schedules of the journey itself which no task of it creates. */
export function checkStops(graphs: readonly ReadGraph[], starts: readonly ScheduleStart[]): void {
  for (const { graph, place } of allGraphs(graphs))
    for (const [id, state] of Object.entries(graph.states)) {
      const stopped = schedulesStoppedBy(state);
      if (stopped?.isOwn && !starts.some((it) => it.id === stopped.start))
        place
          .at('states')
          .at(id)
          .at(state.type)
          .at('start')
          .warn('UNSCHEDULE_NOTHING', `No schedule:v1 of this journey starts at "${stopped.start}".`);
    }
}

/** Refuses steps in a compensation and in the subjourneys that it calls, because it may run without a caller. */
export function checkCompensation(read: ReadGraph, subjourneys: Subjourneys): void {
  for (const { graph, place } of allGraphs([read]))
    for (const [id, state] of Object.entries(graph.states)) {
      const at = place.at('states').at(id);
      if (isStep(state)) at.error('COMP_INTERACTIVE', `"${id}" waits for input.`, undefined, 'key');
      for (const ref of subjourneysOf(state)) {
        const step = firstIn(ref, subjourneys, isStep);
        if (step !== undefined)
          at.error('COMP_INTERACTIVE', `The subjourney "${ref}" waits for input at "${step}".`, undefined, 'key');
      }
    }
}

/** Refuses states that pause, create schedules or write attributes in a read guard: it runs while a caller waits, and must not change anything. */
export function checkGuard(guard: string, place: Place, subjourneys: Subjourneys): void {
  const found = firstIn(guard, subjourneys, isForbiddenInGuard);
  if (found !== undefined)
    place.error('GUARD_STATE_FORBIDDEN', `The guard's state "${found}" cannot run during a read.`);
}

function isForbiddenInGuard(state: State): boolean {
  return (
    parks(state) ||
    roundsOf(state) > 1 ||
    schedulesStoppedBy(state) !== undefined ||
    scheduleStart(state) !== undefined ||
    targetsOf(state).some(({ kind }) => kind === 'attributes')
  );
}

function firstIn(ref: string, subjourneys: Subjourneys, match: (state: State) => boolean): string | undefined {
  const graph = Object.hasOwn(subjourneys, ref) ? subjourneys[ref] : undefined;
  if (!graph) return undefined;
  for (const { id, state } of statesReachableFrom(graph, graph.start, subjourneys, new Set([ref])))
    if (match(state)) return id;
  return undefined;
}

/** Warns about states that output the whole context although it contains credentials. */
export function checkOutput(main: ReadGraph, { http, subjourneys }: Pick<Definition, 'http' | 'subjourneys'>): void {
  const secret = credential(main.graph, subjourneys) ?? copiedCredential([http.start, ...Object.values(http.steps)]);
  if (secret === undefined) return;
  for (const [id, state] of Object.entries(main.graph.states))
    if (terminalExits(state).some((exit) => 'outputsContext' in exit))
      main.place
        .at('states')
        .at(id)
        .warn(
          'OUTPUT_FULL_CONTEXT',
          `Without outputVar the whole context is the output, context.${secret} included.`,
          undefined,
          'key',
        );
}

/** The first variable that holds validated claims or the response of a token endpoint. */
function credential(graph: Graph, subjourneys: Subjourneys): string | undefined {
  for (const { state } of statesReachableFrom(graph, graph.start, subjourneys)) {
    const found = credentialOf(state);
    if (found) return found.variable;
  }
  return undefined;
}

/** The first field that a header with credentials is copied to. */
function copiedCredential(bindings: readonly InboundBinding[]): string | undefined {
  return bindings
    .flatMap(({ headersToContext }) => Object.entries(headersToContext))
    .find(([header]) => /^(proxy-)?authorization$|^cookie$|token|api-?key/i.test(header))?.[1];
}

/** Refuses nested maps in the states of a map and in the subjourneys that they call: the number of calls in flight would be unbounded. */
export function checkItems(graphs: readonly ReadGraph[], subjourneys: Subjourneys): void {
  for (const { graph, place } of allGraphs(graphs))
    for (const [id, state] of Object.entries(graph.states))
      if (runsItems(state)) {
        const at = place.at('states').at(id);
        checkKey(state, at, subjourneys);
        for (const inner of innerOf(state, at))
          for (const [innerId, innerState] of Object.entries(inner.graph.states))
            checkState(innerId, innerState, inner.place.at('states').at(innerId), subjourneys);
      }
}

/** Warns about keys of items without steps: only the addresses of steps use them. */
function checkKey(state: State, place: Place, subjourneys: Subjourneys): void {
  const key = place.at(state.type).at('key');
  const hasSteps = innerGraphs(state).some(({ graph }) =>
    [...statesReachableFrom(graph, graph.start, subjourneys)].some((met) => isStep(met.state)),
  );
  if (key.value !== undefined && !hasSteps) key.warn('MAP_KEY_UNUSED', 'No item has a step.', undefined, 'key');
}

function checkState(id: string, state: State, place: Place, subjourneys: Subjourneys): void {
  if (runsItems(state)) place.error('MAP_NESTED', `"${id}" is a map inside a map.`, undefined, 'key');
  for (const ref of subjourneysOf(state)) {
    if (!Object.hasOwn(subjourneys, ref)) continue;
    const called = subjourneys[ref]!;
    const within = [...statesReachableFrom(called, called.start, subjourneys, new Set([ref]))];
    const map = within.find((met) => runsItems(met.state));
    if (map)
      place.error('MAP_NESTED', `The subjourney "${ref}" runs the map "${map.id}", in every item.`, undefined, 'key');
  }
}

function runsItems(state: State): boolean {
  return itemsAtOnce(state) !== undefined;
}
