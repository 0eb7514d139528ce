import type { Graph, State } from '../definition/definition.js';

/** The states a state can go on to, in its own graph. */
export function successors(state: State): string[] {
  switch (state.type) {
    case 'succeed':
    case 'fail':
      return [];
    case 'choice':
      return [...state.choices.map(({ next }) => next), ...(state.default === undefined ? [] : [state.default])];
    case 'wait':
    case 'webhook':
      return state.timeout ? [state.next, state.timeout.next] : [state.next];
    case 'parallel':
      return state.next === undefined ? [] : [state.next];
    default:
      return [state.next];
  }
}

/** Whether a run can end at a state. */
export function isTerminal(state: State): boolean {
  return state.type === 'succeed' || state.type === 'fail' || (state.type === 'parallel' && state.next === undefined);
}

/** The ids reachable from `roots` within one graph, roots included. */
export function reachable(graph: Graph, roots: Iterable<string>): Set<string> {
  const seen = new Set<string>();
  const open = [...roots];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const state = Object.hasOwn(graph.states, id) ? graph.states[id] : undefined;
    if (!state || seen.has(id)) continue;
    seen.add(id);
    open.push(...successors(state));
  }
  return seen;
}

/** One state met on the way through graphs, with how it was reached. */
export interface Visit {
  id: string;
  state: State;
}

/** Every state a run can meet from `root`: through branches and subjourneys too. */
export function* deepStates(
  graph: Graph,
  root: string,
  subjourneys: Readonly<Record<string, Graph>>,
  entered = new Set<string>(),
): Generator<Visit> {
  for (const id of reachable(graph, [root])) {
    const state = graph.states[id]!;
    yield { id, state };
    if (state.type === 'parallel')
      for (const branch of state.branches) yield* deepStates(branch, branch.start, subjourneys, entered);
    if (state.type !== 'subjourney' || entered.has(state.ref) || !Object.hasOwn(subjourneys, state.ref)) continue;
    entered.add(state.ref);
    const inner = subjourneys[state.ref]!;
    yield* deepStates(inner, inner.start, subjourneys, entered);
  }
}

/** Whether a state is a step: it waits for someone's input. */
export function isStep(state: State): boolean {
  return state.type === 'wait' || state.type === 'webhook';
}
