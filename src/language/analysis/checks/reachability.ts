import type { Place } from '../../../base/document/placed-value.js';
import type { Graph, State } from '../../../engine/definition/definition.js';
import type { ReadGraph } from '../../read/read-graph.js';
import { reachable } from '../../states/graph-traversal.js';
import {
  edgesOf,
  innerGraphs,
  isSleep,
  isStep,
  isTerminal,
  nextStates,
  roundsAtMost,
  subjourneysOf,
} from '../../states/state-queries.js';

/** A graph and its place in the document. */
export interface PlacedGraph {
  graph: Graph;
  place: Place;
  main: boolean;
  broken: boolean;
  /** The graph runs in rounds. */
  inRounds: boolean;
}

/** Every graph of a document: the given ones and those inside their states. */
export function* allGraphs(graphs: readonly ReadGraph[]): Generator<PlacedGraph> {
  for (const { graph, place, within } of graphs) yield* withInner(graph, place, within.role === 'main', within.broken);
}

function* withInner(
  graph: Graph,
  place: Place,
  main: boolean,
  broken: boolean,
  inRounds = false,
): Generator<PlacedGraph> {
  yield { graph, place, main, broken, inRounds };
  for (const [id, state] of Object.entries(graph.states)) yield* innerOf(state, place.at('states').at(id), broken);
}

/** The graphs inside a state at `place`, and those inside their states. */
export function* innerOf(state: State, place: Place, broken = false): Generator<PlacedGraph> {
  for (const { graph, at } of innerGraphs(state)) {
    const below = at.reduce((it: Place, part) => it.at(part), place);
    yield* withInner(graph, below, false, broken, roundsAtMost(state) !== undefined);
  }
}

/** Warns about states that nothing leads to. `roots` are further entries of the main graph: where scheduled runs start. */
export function checkReachability(graphs: readonly ReadGraph[], roots: ReadonlySet<string>): void {
  for (const { graph, place, main, broken } of allGraphs(graphs)) {
    if (broken || hasErrors(place)) continue;
    const seen = reachable(graph, main ? [graph.start, ...roots] : [graph.start]);
    const left = Object.keys(graph.states).filter((id) => !seen.has(id));
    const after = new Set(left.flatMap((id) => nextStates(graph.states[id]!).filter((to) => to !== id)));
    // States reached only from an unreachable state have the same cause and share its finding; of a cycle, the first state is reported.
    for (const id of [...left.filter((it) => !after.has(it)), ...left]) {
      if (seen.has(id)) continue;
      const lost = [...reachable(graph, [id])].filter((it) => it !== id && !seen.has(it));
      for (const it of [id, ...lost]) seen.add(it);
      const also = lost.length === 0 ? '' : `, and only it leads to ${lost.map((it) => `"${it}"`).join(', ')}`;
      place.at('states').at(id).warn('STATE_UNREACHABLE', `Nothing leads to "${id}"${also}.`, undefined, 'key');
    }
  }
}

/** Whether a state of the graph has errors: its edges may be missing, and the states behind it would be reported as unreachable too. */
function hasErrors(graph: Place): boolean {
  const below = `${graph.pointer}/states/`;
  return graph.report.findings.some(({ severity, pointer }) => severity === 'error' && pointer.startsWith(below));
}

/** Refuses an Api with a state from which no end can be reached: its caller would wait forever. */
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
    for (const next of nextStates(state)) {
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

type Pause = 'sleep' | 'step';
type Subjourneys = Readonly<Record<string, Graph>>;

/** Warns when a synchronous start may park at a timer before it reaches an end or a step. */
export function checkSyncStart(main: ReadGraph, subjourneys: Subjourneys): void {
  if (main.within.broken) return;
  for (const [id, pause] of new Pauses(subjourneys).first(main.graph)) {
    if (pause !== 'sleep') continue;
    const place = main.place.at('states').at(id);
    const where = isSleep(main.graph.states[id]!) ? `the timer "${id}"` : `a timer within "${id}"`;
    place.warn('START_SYNC_TIMER', `The start may be answered at ${where}.`, undefined, 'key');
  }
}

/** Finds where runs park. Visits each subjourney once, no matter how often it is called. */
class Pauses {
  private readonly called = new Map<string, Pause | undefined>();

  constructor(private readonly subjourneys: Subjourneys) {}

  /** The states of a graph at which a run may park first, and whether it parks for a step or a timer. */
  first(graph: Graph): Map<string, Pause> {
    const pauses = new Map<string, Pause>();
    const seen = new Set<string>();
    const open = [graph.start];
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      const state = Object.hasOwn(graph.states, id) ? graph.states[id] : undefined;
      if (!state || seen.has(id)) continue;
      seen.add(id);
      const pause = this.at(state);
      if (pause === undefined) open.push(...nextStates(state));
      else pauses.set(id, pause);
    }
    return pauses;
  }

  private at(state: State): Pause | undefined {
    if (isStep(state)) return 'step';
    if (isSleep(state)) return 'sleep';
    const called = subjourneysOf(state).map((ref) => this.inSubjourney(ref));
    return called.find((pause) => pause !== undefined) ?? this.inside(state);
  }

  /** The pause inside a state's graphs. A step takes precedence, because the caller can then submit something. */
  private inside(state: State): Pause | undefined {
    const all = innerGraphs(state).flatMap(({ graph }) =>
      [...reachable(graph, [graph.start])].map((id) => this.at(graph.states[id]!)),
    );
    if (all.includes('step')) return 'step';
    return all.includes('sleep') ? 'sleep' : undefined;
  }

  private inSubjourney(ref: string): Pause | undefined {
    if (this.called.has(ref) || !Object.hasOwn(this.subjourneys, ref)) return this.called.get(ref);
    this.called.set(ref, undefined);
    const inside = [...this.first(this.subjourneys[ref]!).values()];
    const pause = inside.includes('sleep') ? 'sleep' : inside[0];
    this.called.set(ref, pause);
    return pause;
  }
}

/** Functions that may return a different value at each evaluation. */
const changing = /\b(random|randomInt|uuid|millis|now)\b/i;

/** Warns about branches that are never taken, because an earlier one always is or has the same condition. */
export function checkChoices(graphs: readonly ReadGraph[]): void {
  for (const { graph, place } of allGraphs(graphs))
    for (const [id, state] of Object.entries(graph.states)) {
      const conditions = new Map<string, number>();
      let always: number | undefined;
      for (const [i, { when, at = [] }] of edgesOf(state).entries()) {
        if (!when) continue;
        const text = when.expr.trim();
        const key = `${when.lang} ${text.replace(/\s+/g, ' ')}`;
        const before = changing.test(text) ? undefined : conditions.get(key);
        const branch = at.reduce((it: Place, part) => it.at(part), place.at('states').at(id));
        const dead = (why: string) => branch.warn('CHOICE_BRANCH_DEAD', why, undefined, 'key');
        if (always !== undefined) dead(`Branch ${always + 1} is always taken, so branch ${i + 1} never is.`);
        else if (text === 'false') dead(`The predicate of branch ${i + 1} is false.`);
        else if (before !== undefined) dead(`Branch ${i + 1} has the same condition as branch ${before + 1}.`);
        else conditions.set(key, i);
        if (text === 'true') always ??= i;
      }
    }
}
