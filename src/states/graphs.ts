import type { Definition, Graph } from '../definition/definition.js';
import { escapePointer } from '../json/pointer.js';
import { type State, stateTypes } from './index.js';
import type { Path, StateType } from './state.js';

/** The type of a state. */
function typeOf(state: State): StateType<State> {
  return stateTypes.get(state.type)!;
}

/** The states a state can go on to, in its own graph. */
export function exitsOf(state: State): string[] {
  return typeOf(state).exits?.(state) ?? ('next' in state && state.next !== undefined ? [state.next] : []);
}

/** Whether a run can end at a state. */
export function isTerminal(state: State): boolean {
  return exitsOf(state).length === 0;
}

/** What a run comes to rest at in this state, if it does. */
export function restOf(state: State): StateType['rest'] {
  return typeOf(state).rest;
}

/** Whether a state is a step: it waits for someone's input. */
export function isStep(state: State): boolean {
  return restOf(state) === 'step';
}

/** A graph inside a state, and where it stands below that state. */
export interface InnerGraph {
  graph: Graph;
  at: Path;
}

/** The graphs inside a state. */
export function innerGraphs(state: State): InnerGraph[] {
  const found: InnerGraph[] = [];
  typeOf(state).mapGraphs?.(state, (graph, at) => {
    found.push({ graph, at });
    return graph;
  });
  return found;
}

/** A graph with every state changed, including those of the graphs inside it. */
export function mapStates<G extends Graph>(graph: G, change: (state: State) => State): G {
  const states = Object.entries(graph.states).map(([id, state]) => {
    const inner = typeOf(state).mapGraphs?.(state, (it) => mapStates(it, change));
    return [id, change(inner ?? state)];
  });
  return { ...graph, states: Object.fromEntries(states) as Graph['states'] };
}

/** The ids reachable from `roots` within one graph, roots included; not beyond states that do not let pass. */
export function reachable(
  graph: Graph,
  roots: Iterable<string>,
  letsPass: (state: State) => boolean = () => true,
): Set<string> {
  const seen = new Set<string>();
  const open = [...roots];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const state = Object.hasOwn(graph.states, id) ? graph.states[id] : undefined;
    if (!state || seen.has(id)) continue;
    seen.add(id);
    if (letsPass(state)) open.push(...exitsOf(state));
  }
  return seen;
}

/** One state met on the way through graphs. */
export interface MetState {
  id: string;
  state: State;
}

/** Every state a run can meet from `root`: in the graphs inside states and in subjourneys too. */
export function* deepStates(
  graph: Graph,
  root: string,
  subjourneys: Readonly<Record<string, Graph>>,
  entered = new Set<string>(),
): Generator<MetState> {
  for (const id of reachable(graph, [root])) {
    const state = graph.states[id]!;
    yield { id, state };
    for (const { graph: inner } of innerGraphs(state)) yield* deepStates(inner, inner.start, subjourneys, entered);
    if (state.type !== 'subjourney' || entered.has(state.ref) || !Object.hasOwn(subjourneys, state.ref)) continue;
    entered.add(state.ref);
    const inner = subjourneys[state.ref]!;
    yield* deepStates(inner, inner.start, subjourneys, entered);
  }
}

/** A state of a document and where it stands there. */
export interface PlacedState extends MetState {
  pointer: string;
}

/** Every state of a journey: its own, those of its subjourneys and its compensation, and those inside other states. */
export function* allStates(definition: Definition): Generator<PlacedState> {
  yield* statesIn(definition, '/spec');
  for (const [id, graph] of Object.entries(definition.subjourneys))
    yield* statesIn(graph, `/spec/subjourneys/${escapePointer(id)}`);
  if (definition.compensation) yield* statesIn(definition.compensation, '/spec/compensation');
}

function* statesIn(graph: Graph, below: string): Generator<PlacedState> {
  for (const [id, state] of Object.entries(graph.states)) {
    const pointer = `${below}/states/${escapePointer(id)}`;
    yield { id, state, pointer };
    for (const { graph: inner, at } of innerGraphs(state)) yield* statesIn(inner, [pointer, ...at].join('/'));
  }
}

/** The states at which the schedules that a journey makes begin. */
export function scheduleStarts(definition: Definition): ReadonlySet<string> {
  return new Set(
    [...allStates(definition)].flatMap(({ state }) =>
      state.type === 'task' && state.task.kind === 'schedule:v1' && 'start' in state.task
        ? [String(state.task.start)]
        : [],
    ),
  );
}

/** The ids of every step a journey can ever wait for. */
export function stepIds(definition: Definition): ReadonlySet<string> {
  return new Set([...allStates(definition)].filter(({ state }) => isStep(state)).map(({ id }) => id));
}
