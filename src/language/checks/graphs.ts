import type { Graph, ParallelState, State } from '../../definition/definition.js';
import type { Place } from '../../document/place.js';
import type { ReadGraph } from '../../reading/graph.js';
import { isTerminal, reachable, successors } from '../../states/graphs.js';

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

type Pause = 'timer' | 'step';
type Subjourneys = Readonly<Record<string, Graph>>;

/** Warns when a synchronous start may come to rest at a timer instead of an end or a step. */
export function checkSyncStart(main: ReadGraph, subjourneys: Subjourneys): void {
  if (main.scope.broken) return;
  for (const [id, pause] of new Pauses(subjourneys).first(main.graph)) {
    if (pause !== 'timer') continue;
    const place = main.place.at('states').at(id);
    place.warn('START_SYNC_TIMER', `The caller of start is answered at the timer "${id}".`, undefined, 'key');
  }
}

/** Where runs come to rest. Looks at each subjourney once, however often it is called. */
class Pauses {
  private readonly called = new Map<string, Pause | undefined>();

  constructor(private readonly subjourneys: Subjourneys) {}

  /** The states of a graph at which a run may first come to rest, and what it rests at there. */
  first(graph: Graph): Map<string, Pause> {
    const pauses = new Map<string, Pause>();
    const seen = new Set<string>();
    const open = [graph.start];
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      const state = Object.hasOwn(graph.states, id) ? graph.states[id] : undefined;
      if (!state || seen.has(id)) continue;
      seen.add(id);
      const pause = this.at(state);
      if (pause === undefined) open.push(...successors(state));
      else pauses.set(id, pause);
    }
    return pauses;
  }

  private at(state: State): Pause | undefined {
    if (state.type === 'timer') return 'timer';
    if (state.type === 'wait' || state.type === 'webhook') return 'step';
    if (state.type === 'parallel') return this.inBranches(state);
    return state.type === 'subjourney' ? this.inSubjourney(state.ref) : undefined;
  }

  /** A step in any branch counts as a step, for the caller then gets something to do. */
  private inBranches(state: ParallelState): Pause | undefined {
    const all = state.branches.flatMap((branch) =>
      [...reachable(branch, [branch.start])].map((id) => this.at(branch.states[id]!)),
    );
    if (all.includes('step')) return 'step';
    return all.includes('timer') ? 'timer' : undefined;
  }

  private inSubjourney(ref: string): Pause | undefined {
    if (this.called.has(ref) || !Object.hasOwn(this.subjourneys, ref)) return this.called.get(ref);
    this.called.set(ref, undefined);
    const inside = [...this.first(this.subjourneys[ref]!).values()];
    const pause = inside.includes('timer') ? 'timer' : inside[0];
    this.called.set(ref, pause);
    return pause;
  }
}
