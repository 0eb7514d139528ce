import { type Diagram, type DiagramGraph, graphKeys } from './diagram.js';

/**
 * The key of the node that a run has visited; undefined if the diagram has no such state. `within` is the path of branches, items and
 * subjourneys around the state, like `check#1.left`, as the status and the trail of a run report it; empty at the top.
 */
export function visitedNode(diagram: Diagram, state: string, within = ''): string | undefined {
  const graphs = new Map(diagram.graphs.map((graph) => [graph.key, graph]));
  const compensation = graphs.get(graphKeys.compensation);
  const undoing = /^compensation(?:\/|$)/.test(within) && compensation;
  const main = graphs.get(graphKeys.main);
  const found = undoing
    ? graphAt(graphs, compensation, within.slice('compensation/'.length))
    : main && graphAt(graphs, main, within);
  return found?.nodes.find(({ kind, label }) => kind === 'state' && label === state)?.key;
}

/** Follows a path, part by part. Ids may contain the separators, so every state that fits is tried. */
function graphAt(
  graphs: ReadonlyMap<string, DiagramGraph>,
  graph: DiagramGraph,
  path: string,
): DiagramGraph | undefined {
  if (path === '') return graph;
  for (const node of graph.nodes) {
    const { label, inner, calls } = node;
    const visit = path.startsWith(`${label}#`) ? /^\d+\./.exec(path.slice(label.length + 1)) : null;
    if (!visit) continue;
    const rest = path.slice(label.length + 1 + visit[0].length);
    for (const child of [...inner, ...calls.flatMap((key) => graphs.get(key) ?? [])]) {
      const length = nameLength(child, rest);
      const after = rest.slice(length);
      if (length < 0 || (after !== '' && !after.startsWith('/'))) continue;
      const found = graphAt(graphs, child, after.slice(1));
      if (found) return found;
    }
  }
  return undefined;
}

/** The length of the part of the path that names a graph: a branch or a subjourney by its title, an item or a round by its number. */
function nameLength({ title, repeats }: DiagramGraph, path: string): number {
  if (repeats === true) return /^\d+/.exec(path)?.[0].length ?? -1;
  return path.startsWith(title) ? title.length : -1;
}
