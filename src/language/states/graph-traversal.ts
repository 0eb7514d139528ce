import { escapePointer } from '../../base/json/pointer.js';
import type { Definition, Graph } from '../../engine/definition/definition.js';
import type { KnownStep } from '../../engine/steps/step-address.js';
import type { State } from './registry.js';
import {
  innerGraphs,
  itemsAtOnce,
  nextStates,
  scheduleStart,
  stepOf,
  subjourneysOf,
  terminalExits,
} from './state-queries.js';
import type { StepForm } from './state-type.js';
/** The literal error codes of a journey's failures; computed codes are not known. */
export function errorCodes(definition: Definition): Set<string> {
  const codes = new Set<string>();
  for (const { state } of allStates(definition))
    for (const exit of terminalExits(state)) if (exit.end === 'FAILED' && exit.code !== undefined) codes.add(exit.code);
  return codes;
}

/** The subjourneys that the states of a graph call, those of inner graphs included. */
export function* subjourneysIn(graph: Graph): Generator<string> {
  for (const state of Object.values(graph.states)) {
    yield* subjourneysOf(state);
    for (const { graph: inner } of innerGraphs(state)) yield* subjourneysIn(inner);
  }
}

/** The ids reachable from `roots` within one graph, roots included. The search does not continue beyond states for which `passes` is false. */
export function reachable(
  graph: Graph,
  roots: Iterable<string>,
  passes: (state: State) => boolean = () => true,
): Set<string> {
  const seen = new Set<string>();
  const open = [...roots];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const state = Object.hasOwn(graph.states, id) ? graph.states[id] : undefined;
    if (!state || seen.has(id)) continue;
    seen.add(id);
    if (passes(state)) open.push(...nextStates(state));
  }
  return seen;
}

/** A state that a traversal of graphs has reached. */
export interface ReachedState {
  id: string;
  state: State;
}

/** Every state that a run can reach from `root`, including those of inner graphs and subjourneys. */
export function* statesReachableFrom(
  graph: Graph,
  root: string,
  subjourneys: Readonly<Record<string, Graph>>,
  entered = new Set<string>(),
): Generator<ReachedState> {
  for (const id of reachable(graph, [root])) {
    const state = graph.states[id]!;
    yield { id, state };
    for (const { graph: inner } of innerGraphs(state))
      yield* statesReachableFrom(inner, inner.start, subjourneys, entered);
    for (const ref of subjourneysOf(state)) {
      if (entered.has(ref) || !Object.hasOwn(subjourneys, ref)) continue;
      entered.add(ref);
      const inner = subjourneys[ref]!;
      yield* statesReachableFrom(inner, inner.start, subjourneys, entered);
    }
  }
}

/** A state and its JSON pointer in the document. */
export interface LocatedState extends ReachedState {
  pointer: string;
}

/** Every state of a journey: its own, those of its subjourneys and its compensation, and those inside other states. */
export function* allStates(definition: Definition): Generator<LocatedState> {
  yield* statesIn(definition, '/spec');
  for (const [id, graph] of Object.entries(definition.subjourneys))
    yield* statesIn(graph, `/spec/subjourneys/${escapePointer(id)}`);
  if (definition.compensation) yield* statesIn(definition.compensation, '/spec/compensation');
}

function* statesIn(graph: Graph, below: string): Generator<LocatedState> {
  for (const [id, state] of Object.entries(graph.states)) {
    const pointer = `${below}/states/${escapePointer(id)}`;
    yield { id, state, pointer };
    for (const { graph: inner, at } of innerGraphs(state)) yield* statesIn(inner, [pointer, ...at].join('/'));
  }
}

/** The states at which the runs of a journey's schedules start. */
export function scheduleStarts(definition: Definition): ReadonlySet<string> {
  const starts = [...allStates(definition)].map(({ state }) => scheduleStart(state));
  return new Set(starts.filter((start) => start !== undefined));
}

/** The steps of a journey by id, each with the ways in which submissions name it. */
export function stepUses(definition: Definition): ReadonlyMap<string, KnownStep> {
  const uses = new Map<string, KnownStep>();
  const entered = new Set<string>();
  const visit = (graph: Graph, inItems: boolean): void => {
    for (const [id, state] of Object.entries(graph.states)) {
      const schema = stepOf(state)?.step.schema;
      if (schema !== undefined) {
        const use = uses.get(id) ?? { alone: false, inItems: false, schema };
        uses.set(id, inItems ? { ...use, inItems } : { ...use, alone: true });
      }
      const within = inItems || itemsAtOnce(state) !== undefined;
      for (const inner of innerGraphs(state)) visit(inner.graph, within);
      for (const ref of subjourneysOf(state)) {
        const call = `${inItems} ${ref}`;
        if (entered.has(call) || !Object.hasOwn(definition.subjourneys, ref)) continue;
        entered.add(call);
        visit(definition.subjourneys[ref]!, inItems);
      }
    }
  };
  visit(definition, false);
  return uses;
}

/** The step of a journey with this id. */
export function stepWithId(definition: Definition, stepId: string): StepForm | undefined {
  for (const { id, state } of allStates(definition)) if (id === stepId) return stepOf(state)?.step;
  return undefined;
}
