import type { Graph, State } from '../../definition/definition.js';
import type { ReadGraph } from '../../reading/graph.js';
import { deepStates, exitsOf, innerGraphs, restOf } from '../../states/graphs.js';
import { allGraphs } from './graphs.js';

type Subjourneys = Readonly<Record<string, Graph>>;

/** Warns of a cycle that calls and neither waits nor counts: as fast as services answer, until the run's allowance is used up. */
export function checkCycles(graphs: readonly ReadGraph[], subjourneys: Subjourneys): void {
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

/** The groups of states that lead to each other, with a call among them and nothing that waits or counts; each begins with a call. */
function unpausedCycles(graph: Graph, subjourneys: Subjourneys): string[][] {
  const ids = Object.keys(graph.states).filter((id) => !meets(graph.states[id]!, subjourneys, pauses));
  const among = new Set(ids);
  const next = (id: string) => exitsOf(graph.states[id]!).filter((it) => among.has(it));
  return components(ids, next).flatMap((group) => {
    const isCycle = group.length > 1 || next(group[0]!).includes(group[0]!);
    const endless = isCycle && !counts(group, graph);
    const call = endless ? group.find((id) => meets(graph.states[id]!, subjourneys, calls)) : undefined;
    return call === undefined ? [] : [[call, ...group.filter((id) => id !== call)]];
  });
}

/** Whether a cycle is left at a number that it can reach: a choice compares with one, and a transform changes something. */
function counts(group: readonly string[], { states }: Graph): boolean {
  const leaves = (state: State) => exitsOf(state).some((to) => !group.includes(to));
  const compares = (state: State) =>
    state.type === 'choice' && state.choices.some(({ when }) => /[<>]=?\s*\d|\d\s*[<>]/.test(when.expr));
  const members = group.map((id) => states[id]!);
  return members.some(({ type }) => type === 'transform') && members.some((it) => compares(it) && leaves(it));
}

const pauses = (state: State): boolean => restOf(state) !== undefined;
const calls = (state: State): boolean => state.type === 'task';

/** Whether a state, or any that it holds or calls, is such a one. */
function meets(state: State, subjourneys: Subjourneys, such: (state: State) => boolean): boolean {
  if (such(state)) return true;
  const called = state.type === 'subjourney' && Object.hasOwn(subjourneys, state.ref) ? [subjourneys[state.ref]!] : [];
  return [...innerGraphs(state).map(({ graph }) => graph), ...called].some((graph) =>
    [...deepStates(graph, graph.start, subjourneys)].some((met) => such(met.state)),
  );
}

/** Tarjan's strongly connected components, without recursion: a document may be one long chain. */
export function components(ids: readonly string[], next: (id: string) => string[]): string[][] {
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
