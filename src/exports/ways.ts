import type { Definition, Graph } from '../definition/definition.js';
import { exitsOf, isTerminal } from '../states/graphs.js';
import type { State } from '../states/index.js';

/** Something that keeps a run from going on by itself: a step for the client or for another system, or time. */
export type Stop = { kind: 'submit' | 'callback'; id: string } | { kind: 'time' };

/** One way through a journey: what it stops at, and the state it ends in. */
export interface Way {
  readonly end: string;
  readonly state: State;
  readonly stops: readonly Stop[];
}

/** What a stop costs when ways are compared: what the client does itself is nearer than what others do, and that than waiting. */
const costs = { submit: 100, callback: 150, time: 300 };

/** The cheapest way to each state where a run can end, cheapest first; timeouts of steps are taken only where nothing else leads there. */
export function waysThrough(definition: Definition): Way[] {
  const inTime = waysIn(definition, definition, false, new Set());
  const all = waysIn(definition, definition, true, new Set());
  const ways = [...inTime.values(), ...[...all].filter(([end]) => !inTime.has(end)).map(([, way]) => way)];
  return ways.sort((a, b) => a.cost - b.cost);
}

interface Costed extends Way {
  readonly cost: number;
}

function waysIn(graph: Graph, definition: Definition, late: boolean, within: ReadonlySet<string>): Map<string, Costed> {
  const done = new Set<string>();
  const ends = new Map<string, Costed>();
  const open: { id: string; stops: readonly Stop[]; cost: number }[] = [{ id: graph.start, stops: [], cost: 0 }];
  for (;;) {
    const next = open.sort((a, b) => b.cost - a.cost).pop();
    if (!next) return ends;
    const state = Object.hasOwn(graph.states, next.id) ? graph.states[next.id] : undefined;
    if (!state || done.has(next.id)) continue;
    done.add(next.id);
    const here = stopsAt(next.id, state, definition, late, within);
    if (!here) continue;
    const stops = [...next.stops, ...here];
    const cost = next.cost + 1 + costOf(here);
    if (isTerminal(state)) ends.set(next.id, { end: next.id, state, stops, cost });
    const step = state.type === 'wait' || state.type === 'webhook' ? state : undefined;
    if (step && late && step.timeout)
      open.push({ id: step.timeout.next, stops: [...next.stops, { kind: 'time' }], cost: cost + costs.time });
    for (const id of step ? [step.next] : exitsOf(state)) open.push({ id, stops, cost });
  }
}

function costOf(stops: readonly Stop[]): number {
  return stops.reduce((sum, { kind }) => sum + costs[kind], 0);
}

/** What a run stops at inside one state; undefined where no way leads through it. */
function stopsAt(
  id: string,
  state: State,
  definition: Definition,
  late: boolean,
  within: ReadonlySet<string>,
): readonly Stop[] | undefined {
  switch (state.type) {
    case 'wait':
      return [{ kind: 'submit', id }];
    case 'webhook':
      return [{ kind: 'callback', id }];
    case 'timer':
      return [{ kind: 'time' }];
    case 'subjourney': {
      const inner =
        Object.hasOwn(definition.subjourneys, state.ref) && !within.has(state.ref) && definition.subjourneys[state.ref];
      return inner ? bestIn(inner, definition, late, new Set([...within, state.ref])) : undefined;
    }
    case 'parallel': {
      const branches = state.branches.map((branch) => bestIn(branch, definition, late, within));
      const known = branches.filter((stops) => stops !== undefined);
      if (state.join.strategy === 'allOf') return known.length === branches.length ? known.flat() : undefined;
      return known.sort((a, b) => costOf(a) - costOf(b))[0];
    }
    case 'map':
      return bestIn(state.graph, definition, late, within);
    default:
      return [];
  }
}

/** The stops of the cheapest way through an inner graph that ends well, or of any if none does. */
function bestIn(
  graph: Graph,
  definition: Definition,
  late: boolean,
  within: ReadonlySet<string>,
): readonly Stop[] | undefined {
  const ways = [...waysIn(graph, definition, late, within).values()].sort((a, b) => a.cost - b.cost);
  return (ways.find(endsWell) ?? ways[0])?.stops;
}

/** Whether a way ends as a success; a `parallel` at the end of a graph counts as one. */
export function endsWell({ state }: Pick<Way, 'state'>): boolean {
  return state.type !== 'fail';
}
