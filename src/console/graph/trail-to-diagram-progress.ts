import { takenEdges } from '../../graph/count-taken-edges.js';
import type { Diagram, DiagramGraph } from '../../graph/diagram.js';
import { visitedNode } from '../../graph/find-visited-node.js';
import type { TrailItem, VisitItem } from '../api/run-types.js';
import type { DiagramProgress, NodeProgress } from './diagram-view.tsx';

/** Projects the trail of a run on the diagram of its journey. */
export function runProgress(diagram: Diagram, entries: readonly TrailItem[]): DiagramProgress {
  const visits = entries.filter((it) => it.kind === 'visit');
  const nodes = new Map<string, { progress: NodeProgress; visits: number }>();
  for (const visit of visits) {
    const key = visitedNode(diagram, visit.state, visit.within);
    if (key === undefined) continue;
    const before = nodes.get(key);
    nodes.set(key, { progress: progressOf(visit, before?.progress), visits: (before?.visits ?? 0) + 1 });
  }
  const edges = new Set(takenEdges(diagram, visits).keys());
  const addStarts = (graph: DiagramGraph): void => {
    for (const node of graph.nodes) for (const inner of node.inner) addStarts(inner);
    for (const { key, kind, from } of graph.edges)
      if (kind === 'start' && edges.has(key)) nodes.set(from, { progress: 'visited', visits: 1 });
  };
  for (const graph of diagram.graphs) addStarts(graph);
  return { nodes, edges };
}

/** A state that is current in one branch or item stays current; otherwise its latest visit counts. */
function progressOf({ outcome, leftAt }: VisitItem, before: NodeProgress | undefined): NodeProgress {
  if (outcome === 'running' || (leftAt === undefined && outcome !== 'ended')) return 'current';
  if (before === 'current') return before;
  return outcome === 'failed' ? 'failed' : 'visited';
}
