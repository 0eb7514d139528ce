import type { Graph, State } from '../../../engine/definition/definition.js';
import type { ReadGraph } from '../../read/read-graph.js';
import { statesReachableFrom } from '../../states/graph-traversal.js';
import {
  edgesOf,
  innerGraphs,
  isComputation,
  nextStates,
  parks,
  subjourneysOf,
  taskOf,
} from '../../states/state-queries.js';
import { allGraphs } from './reachability.js';

type Subjourneys = Readonly<Record<string, Graph>>;

/** Warns of a cycle that makes calls and neither waits nor counts: it would loop as fast as services respond, until the run's budget is used up. */
export function checkBusyCycles(graphs: readonly ReadGraph[], subjourneys: Subjourneys): void {
  for (const { graph, place, broken } of allGraphs(graphs)) {
    if (broken) continue;
    for (const cycle of unpausedCycles(graph, subjourneys)) {
      const names = cycle.map((id) => `"${id}"`).join(', ');
      place
        .at('states')
        .at(cycle[0]!)
        .warn(
          'CYCLE_WITHOUT_PAUSE',
          `The cycle of ${names} makes calls and neither waits nor counts.`,
          undefined,
          'key',
        );
    }
  }
}

/** Cycles that contain a call and nothing that waits or counts; each list of states begins with a call. */
function unpausedCycles(graph: Graph, subjourneys: Subjourneys): string[][] {
  const ids = Object.keys(graph.states).filter((id) => !reaches(graph.states[id]!, subjourneys, parks));
  const among = new Set(ids);
  const next = (id: string) => nextStates(graph.states[id]!).filter((it) => among.has(it));
  return stronglyConnectedComponents(ids, next).flatMap((group) => {
    const isCycle = group.length > 1 || next(group[0]!).includes(group[0]!);
    const endless = isCycle && !counts(group, graph);
    const call = endless ? group.find((id) => reaches(graph.states[id]!, subjourneys, calls)) : undefined;
    return call === undefined ? [] : [[call, ...group.filter((id) => id !== call)]];
  });
}

/** Whether a cycle can count its rounds: it computes a value, and a condition that leaves it compares with a number. */
function counts(group: readonly string[], { states }: Graph): boolean {
  const leaves = (state: State) => nextStates(state).some((to) => !group.includes(to));
  const compares = (state: State) => edgesOf(state).some(({ when }) => when && /[<>]=?\s*\d|\d\s*[<>]/.test(when.expr));
  const members = group.map((id) => states[id]!);
  return members.some(isComputation) && members.some((it) => compares(it) && leaves(it));
}

const calls = (state: State): boolean => taskOf(state) !== undefined;

/** Whether `matches` holds for a state, or for a state inside it or in a subjourney that it calls. */
function reaches(state: State, subjourneys: Subjourneys, matches: (state: State) => boolean): boolean {
  if (matches(state)) return true;
  const called = subjourneysOf(state).flatMap((ref) => (Object.hasOwn(subjourneys, ref) ? [subjourneys[ref]!] : []));
  return [...innerGraphs(state).map(({ graph }) => graph), ...called].some((graph) =>
    [...statesReachableFrom(graph, graph.start, subjourneys)].some((met) => matches(met.state)),
  );
}

/** Tarjan's strongly connected components, without recursion: a document may be one long chain. */
export function stronglyConnectedComponents(ids: readonly string[], next: (id: string) => string[]): string[][] {
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const onStack = new Set<string>();
  const found: string[][] = [];
  for (const root of ids) {
    if (index.has(root)) continue;
    const open: { id: string; left: string[] }[] = [];
    const enter = (id: string): void => {
      index.set(id, index.size);
      low.set(id, index.get(id)!);
      stack.push(id);
      onStack.add(id);
      open.push({ id, left: next(id) });
    };
    enter(root);
    while (open.length > 0) {
      const { id, left } = open.at(-1)!;
      const to = left.pop();
      if (to !== undefined) {
        if (!index.has(to)) enter(to);
        else if (onStack.has(to)) low.set(id, Math.min(low.get(id)!, index.get(to)!));
        continue;
      }
      open.pop();
      const parent = open.at(-1)?.id;
      if (parent !== undefined) low.set(parent, Math.min(low.get(parent)!, low.get(id)!));
      if (low.get(id) !== index.get(id)) continue;
      const group = stack.splice(stack.indexOf(id));
      for (const member of group) onStack.delete(member);
      found.push(group);
    }
  }
  return found;
}
