import type { Diagram, DiagramGraph } from './diagram.js';
import { visitedNode } from './find-visited-node.js';

/** A visit of a state, as the trail of a run reports it. */
export interface VisitedState {
  readonly state: string;
  readonly within?: string | undefined;
  readonly next?: string | undefined;
}

/**
 * Counts how often each edge of a diagram was taken, by the keys of the edges. Edges between the same two states share their count, because
 * a visit records only the state that followed.
 */
export function takenEdges(diagram: Diagram, visits: Iterable<VisitedState>): Map<string, number> {
  const ways = new Map<string, number>();
  const entered = new Map<string, number>();
  const count = (of: Map<string, number>, key: string) => of.set(key, (of.get(key) ?? 0) + 1);
  for (const { state, within, next } of visits) {
    const key = visitedNode(diagram, state, within);
    if (key === undefined) continue;
    count(entered, key);
    const to = next === undefined ? undefined : visitedNode(diagram, next, within);
    if (to === undefined) continue;
    count(ways, `${key} ${to}`);
    // Whatever was not entered from another state was entered from a start.
    entered.set(to, (entered.get(to) ?? 0) - 1);
  }
  const edges = new Map<string, number>();
  const add = (graph: DiagramGraph): void => {
    for (const node of graph.nodes) for (const inner of node.inner) add(inner);
    for (const { key, kind, from, to } of graph.edges) {
      const taken =
        kind === 'start' ? (from.endsWith('#start') ? entered.get(to) : undefined) : ways.get(`${from} ${to}`);
      if (taken !== undefined && taken > 0) edges.set(key, taken);
    }
  };
  for (const graph of diagram.graphs) add(graph);
  return edges;
}
