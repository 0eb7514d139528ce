import { Graph, layout } from '@dagrejs/dagre';
import { refuse } from '../base/problems/problem.js';
import type { DiagramGraph, DiagramNode } from './diagram.js';
import { edgeText, sizes, textWidth } from './labels-and-sizes.js';

/** A node, or the place where an edge crosses a row, with the horizontal center that it has got. */
export interface RowItem {
  x: number;
  width: number;
  /** On the main path, which is straight. */
  isMain: boolean;
  node?: DiagramNode;
}

/** A horizontal band of the drawing. Nothing in it overlaps, and edges cross it vertically. */
export interface Row {
  top: number;
  bottom: number;
  items: RowItem[];
}

/** An item and its row. */
export interface PlacedItem {
  item: RowItem;
  row: Row;
}

/** The rows of one graph, and the items that each edge passes, from the top down. */
export interface Rows {
  rows: Row[];
  nodes: ReadonlyMap<string, PlacedItem>;
  passes: ReadonlyMap<string, readonly PlacedItem[]>;
}

/** The largest graph that is laid out: dagre is recursive, and its time grows faster than the graph. */
const most = { nodes: 1_000, edges: 3_000 };

/** Assigns the nodes of a graph to rows. Inside a row, dagre's order is kept and the main path is at 0. */
export function layoutRows(
  graph: DiagramGraph,
  sizeOf: (node: DiagramNode) => { width: number; height: number },
): Rows {
  if (graph.nodes.length > most.nodes || graph.edges.length > most.edges)
    refuse('GRAPH_TOO_LARGE', `${graph.title} has ${graph.nodes.length} nodes and ${graph.edges.length} edges.`);
  const drawn = dagreLayout(graph, sizeOf);
  const byY = new Map<number, Row>();
  const rowAt = (y: number): Row => {
    const key = Math.round(y * 100);
    const row = byY.get(key) ?? { top: y, bottom: y, items: [] };
    byY.set(key, row);
    return row;
  };
  const add = (item: RowItem, y: number, height: number) => {
    const row = rowAt(y);
    row.top = Math.min(row.top, y - height / 2);
    row.bottom = Math.max(row.bottom, y + height / 2);
    row.items.push(item);
    return { item, row };
  };
  const onMain = new Set(graph.edges.filter(({ isMain }) => isMain).flatMap(({ from, to }) => [from, to]));
  const nodes = new Map<string, PlacedItem>();
  for (const node of graph.nodes) {
    const { x = 0, y = 0, width, height } = drawn.node(node.key);
    nodes.set(node.key, add({ x, width, isMain: onMain.has(node.key), node }, y, height));
  }
  const passes = new Map<string, PlacedItem[]>();
  for (const { key, from, to, isMain = false } of graph.edges) {
    if (from === to) continue;
    const { points = [], x, y, width = 0, height = 0 } = drawn.edge(from, to, key);
    const isUp = drawn.node(from).y! > drawn.node(to).y!;
    const inner: readonly { x: number; y: number }[] = points.slice(1, -1);
    const crossed = (isUp ? inner.toReversed() : inner).map((point) => {
      const isLabel = point.x === x && point.y === y;
      return add({ x: point.x, width: isLabel ? width : 0, isMain }, point.y, isLabel ? height : 0);
    });
    passes.set(key, crossed);
  }
  const rows = [...byY.values()].sort((a, b) => a.top - b.top);
  straighten(rows);
  follow(rows, itemsAbove(graph, nodes, passes));
  return { rows, nodes, passes };
}

function dagreLayout(graph: DiagramGraph, sizeOf: (node: DiagramNode) => { width: number; height: number }) {
  const drawn = new Graph({ multigraph: true });
  drawn.setGraph({ nodesep: sizes.nodeGap, edgesep: sizes.edgeGap, ranksep: sizes.rowGap });
  for (const node of graph.nodes) drawn.setNode(node.key, sizeOf(node));
  // dagre reverses the edges that close a cycle in a depth-first search. The main path comes first, so that none of its edges is one.
  const ordered = [...graph.edges].sort((a, b) => Number(b.isMain ?? false) - Number(a.isMain ?? false));
  for (const edge of ordered) {
    if (edge.from === edge.to) continue;
    const text = edgeText(edge);
    const label = text === '' ? {} : { width: textWidth(text) + 8, height: sizes.line };
    drawn.setEdge(edge.from, edge.to, { ...label, labelpos: 'c', weight: edge.isMain ? 20 : 1 }, edge.key);
  }
  layout(drawn);
  return drawn;
}

/** Moves the main path to 0, and what is beside it as far away as needed. */
function straighten(rows: readonly Row[]): void {
  const mains = rows.flatMap(({ items }) => items.filter(({ isMain }) => isMain)).map(({ x }) => x);
  const shift = mains.sort((a, b) => a - b)[mains.length >> 1] ?? 0;
  for (const { items } of rows) {
    items.sort((a, b) => a.x - b.x);
    for (const item of items) item.x -= shift;
    const main = items.findIndex(({ isMain }) => isMain);
    if (main === -1) continue;
    items[main]!.x = 0;
    for (let i = main + 1; i < items.length; i++)
      items[i]!.x = Math.max(items[i]!.x, items[i - 1]!.x + distance(items[i - 1]!, items[i]!));
    for (let i = main - 1; i >= 0; i--)
      items[i]!.x = Math.min(items[i]!.x, items[i + 1]!.x - distance(items[i]!, items[i + 1]!));
  }
}

/** The items that each item is reached from, one row above or more. */
function itemsAbove({ edges }: DiagramGraph, nodes: Rows['nodes'], passes: Rows['passes']): Map<RowItem, RowItem[]> {
  const above = new Map<RowItem, RowItem[]>();
  for (const { key, from, to } of edges) {
    if (from === to) continue;
    const [upper, lower] = [nodes.get(from)!, nodes.get(to)!].sort((a, b) => a.row.top - b.row.top);
    let last = upper!.item;
    for (const { item } of [...passes.get(key)!, lower!]) {
      above.set(item, [...(above.get(item) ?? []), last]);
      last = item;
    }
  }
  return above;
}

/** Moves everything beside the main path under the items above it, from the main path outwards, as far as the others in its row allow. */
function follow(rows: readonly Row[], above: ReadonlyMap<RowItem, readonly RowItem[]>): void {
  for (let round = 0; round < 2; round++)
    for (const { items } of rows) {
      const main = items.findIndex(({ isMain }) => isMain);
      const outwards = [...items.slice(main + 1), ...items.slice(0, Math.max(main, 0)).toReversed()];
      for (const item of outwards) {
        const near = above.get(item) ?? [];
        if (near.length === 0) continue;
        const i = items.indexOf(item);
        const [left, right] = [items[i - 1], items[i + 1]];
        const least = left ? left.x + distance(left, item) : Number.NEGATIVE_INFINITY;
        const most = right ? right.x - distance(item, right) : Number.POSITIVE_INFINITY;
        item.x = Math.max(least, Math.min(near.reduce((sum, { x }) => sum + x, 0) / near.length, most));
      }
    }
}

function distance(a: RowItem, b: RowItem): number {
  return (a.width + b.width) / 2 + (a.node && b.node ? sizes.nodeGap : sizes.edgeGap);
}
