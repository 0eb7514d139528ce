import type { Graph, ParallelState, State } from '../definition.js';
import type { ReadGraph } from '../graph.js';
import type { Place } from '../place.js';
import { isTerminal, reachable, successors } from '../walk.js';

/** Every graph of a document: the given ones and the branches inside them. */
export function* allGraphs(
  graphs: readonly ReadGraph[],
): Generator<{ graph: Graph; place: Place; main: boolean; broken: boolean }> {
  for (const { graph, place, scope } of graphs) yield* withBranches(graph, place, scope.role === 'main', scope.broken);
}

function* withBranches(graph: Graph, place: Place, main: boolean, broken: boolean): ReturnType<typeof allGraphs> {
  yield { graph, place, main, broken };
  for (const [id, state] of Object.entries(graph.states)) {
    if (state.type !== 'parallel') continue;
    const branches = place.at('states').at(id).at('parallel').at('branches');
    for (const [i, branch] of state.branches.entries()) yield* withBranches(branch, branches.at(i), false, broken);
  }
}

/** Warns about states nothing leads to. `roots` are further entries of the main graph: where scheduled runs start. */
export function checkReachability(graphs: readonly ReadGraph[], roots: ReadonlySet<string>): void {
  for (const { graph, place, main, broken } of allGraphs(graphs)) {
    if (broken) continue;
    const seen = reachable(graph, main ? [graph.start, ...roots] : [graph.start]);
    for (const id of Object.keys(graph.states))
      if (!seen.has(id))
        place.at('states').at(id).warn('STATE_UNREACHABLE', `Nothing leads to "${id}".`, undefined, 'key');
  }
}

/** Refuses an Api with a state from which no end can be reached: its caller would wait for ever. */
export function checkEnds(graphs: readonly ReadGraph[]): void {
  for (const { graph, place, broken } of allGraphs(graphs)) {
    if (broken) continue;
    const ends = canEnd(graph);
    const stuck = [...reachable(graph, [graph.start])].filter((id) => !ends.has(id));
    if (stuck[0] === undefined) continue;
    const names = stuck.map((id) => `"${id}"`).join(', ');
    place
      .at('states')
      .at(stuck[0])
      .error('API_NO_TERMINAL_PATH', `From ${names} no succeed or fail can be reached.`, undefined, 'key');
  }
}

function canEnd(graph: Graph): Set<string> {
  const ends = new Set<string>();
  const before = new Map<string, string[]>();
  const open: string[] = [];
  for (const [id, state] of Object.entries(graph.states)) {
    for (const next of successors(state)) {
      const known = before.get(next);
      if (known) known.push(id);
      else before.set(next, [id]);
    }
    if (isTerminal(state)) open.push(id);
  }
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (ends.has(id)) continue;
    ends.add(id);
    open.push(...(before.get(id) ?? []));
  }
  return ends;
}

/** Warns when a synchronous start may come to rest at a timer instead of an end or a step. */
export function checkSyncStart(main: ReadGraph): void {
  if (main.scope.broken) return;
  const seen = new Set<string>();
  const open = [main.graph.start];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const state = main.graph.states[id];
    if (!state || seen.has(id)) continue;
    seen.add(id);
    const pause = firstPause(state);
    if (pause === 'timer') {
      const place = main.place.at('states').at(id);
      place.warn('START_SYNC_TIMER', `The caller of start is answered at the timer "${id}".`, undefined, 'key');
    }
    if (pause === undefined) open.push(...successors(state));
  }
}

/** What a state may come to rest at: a step anywhere counts as a step, for the caller then gets something to do. */
function firstPause(state: State): 'timer' | 'step' | undefined {
  if (state.type === 'timer') return 'timer';
  if (state.type === 'wait' || state.type === 'webhook') return 'step';
  return state.type === 'parallel' ? branchPause(state) : undefined;
}

function branchPause(state: ParallelState): 'timer' | 'step' | undefined {
  const all = state.branches.flatMap((branch) =>
    [...reachable(branch, [branch.start])].map((id) => firstPause(branch.states[id]!)),
  );
  if (all.includes('step')) return 'step';
  return all.includes('timer') ? 'timer' : undefined;
}
