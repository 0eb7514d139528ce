/** How far a run came in a node. */
export type NodeProgress = 'visited' | 'current' | 'failed' | 'untaken';

/** A run in a diagram: visits and progress by the keys of nodes, and the edges that it took. */
export interface DiagramProgress {
  readonly nodes: ReadonlyMap<string, { readonly progress: NodeProgress; readonly visits: number }>;
  readonly edges: ReadonlySet<string>;
}
