import type { Graph, State } from '../../definition/definition.js';
import type { Place } from '../../document/place.js';
import type { ReadGraph } from '../../reading/graph.js';
import { exitsOf, innerGraphs, isTerminal, reachable, restOf } from '../../states/graphs.js';

/** A graph of a document and where it stands. */
export interface PlacedGraph {
  graph: Graph;
  place: Place;
  main: boolean;
  broken: boolean;
}

/** Every graph of a document: the given ones and those inside their states. */
export function* allGraphs(graphs: readonly ReadGraph[]): Generator<PlacedGraph> {
  for (const { graph, place, within } of graphs) yield* withInner(graph, place, within.role === 'main', within.broken);
}

/** A graph and those inside its states. */
export function* withInner(graph: Graph, place: Place, main = false, broken = false): Generator<PlacedGraph> {
  yield { graph, place, main, broken };
  for (const [id, state] of Object.entries(graph.states))
    for (const { graph: inner, at } of innerGraphs(state)) {
      const below = at.reduce((it: Place, part) => it.at(part), place.at('states').at(id));
      yield* withInner(inner, below, false, broken);
    }
}

/** Warns about states that nothing leads to. `roots` are further entries of the main graph: where scheduled runs start. */
export function checkReachability(graphs: readonly ReadGraph[], roots: ReadonlySet<string>): void {
  for (const { graph, place, main, broken } of allGraphs(graphs)) {
    if (broken || hasErrors(place)) continue;
    const seen = reachable(graph, main ? [graph.start, ...roots] : [graph.start]);
    const left = Object.keys(graph.states).filter((id) => !seen.has(id));
    const after = new Set(left.flatMap((id) => exitsOf(graph.states[id]!).filter((to) => to !== id)));
    // A state that only such a one leads to has the same cause; of a circle, the first stands for all.
    for (const id of [...left.filter((it) => !after.has(it)), ...left]) {
      if (seen.has(id)) continue;
      const lost = [...reachable(graph, [id])].filter((it) => it !== id && !seen.has(it));
      for (const it of [id, ...lost]) seen.add(it);
      const also = lost.length === 0 ? '' : `, and only it leads to ${lost.map((it) => `"${it}"`).join(', ')}`;
      place.at('states').at(id).warn('STATE_UNREACHABLE', `Nothing leads to "${id}"${also}.`, undefined, 'key');
    }
  }
}

/** Whether a state of the graph is wrong: what it leads to may be lost with it, and one cause is one finding. */
function hasErrors(graph: Place): boolean {
  const below = `${graph.pointer}/states/`;
  return graph.report.findings.some(({ severity, pointer }) => severity === 'error' && pointer.startsWith(below));
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
      .error('API_NO_TERMINAL_PATH', `No succeed or fail can be reached from ${names}.`, undefined, 'key');
  }
}

function canEnd(graph: Graph): Set<string> {
  const ends = new Set<string>();
  const before = new Map<string, string[]>();
  const open: string[] = [];
  for (const [id, state] of Object.entries(graph.states)) {
    for (const next of exitsOf(state)) {
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

type Pause = NonNullable<ReturnType<typeof restOf>>;
type Subjourneys = Readonly<Record<string, Graph>>;

/** Warns when a synchronous start may come to rest at a timer instead of an end or a step. */
export function checkSyncStart(main: ReadGraph, subjourneys: Subjourneys): void {
  if (main.within.broken) return;
  for (const [id, pause] of new Pauses(subjourneys).first(main.graph)) {
    if (pause !== 'timer') continue;
    const place = main.place.at('states').at(id);
    const where = main.graph.states[id]!.type === 'timer' ? `the timer "${id}"` : `a timer within "${id}"`;
    place.warn('START_SYNC_TIMER', `The start may be answered at ${where}.`, undefined, 'key');
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
      if (pause === undefined) open.push(...exitsOf(state));
      else pauses.set(id, pause);
    }
    return pauses;
  }

  private at(state: State): Pause | undefined {
    if (state.type === 'subjourney') return this.inSubjourney(state.ref);
    return restOf(state) ?? this.inside(state);
  }

  /** A step in any graph inside a state counts as a step, for the caller then gets something to do. */
  private inside(state: State): Pause | undefined {
    const all = innerGraphs(state).flatMap(({ graph }) =>
      [...reachable(graph, [graph.start])].map((id) => this.at(graph.states[id]!)),
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
