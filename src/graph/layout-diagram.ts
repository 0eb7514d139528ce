import type { Diagram, DiagramGraph, DiagramNode } from './diagram.js';
import { drawEdges, type EdgeLine, loopWidths } from './edge-lines.js';
import { type Box, graphTitle, isMarker, nodeLines, type Point, sizes, textWidth } from './labels-and-sizes.js';
import { layoutRows } from './layout-rows.js';

/** A diagram with the position of everything. */
export interface DiagramLayout extends Omit<Diagram, 'graphs'> {
  width: number;
  height: number;
  graphs: GraphBox[];
}

/** A graph, its title at the top, and everything in it. */
export interface GraphBox extends Box, Omit<DiagramGraph, 'nodes' | 'edges'> {
  nodes: NodeBox[];
  edges: EdgeLine[];
}

/** A node; the graphs inside it are below its texts. */
export interface NodeBox extends Box, Omit<DiagramNode, 'inner'> {
  inner: GraphBox[];
}

/**
 * Positions everything in a diagram: each graph alone, and the graphs inside a state as parts of its node. Nodes do not overlap, edges do
 * not cross nodes, and the main path of a graph is straight. The same diagram always has the same layout.
 */
export function layoutDiagram({ graphs, ...document }: Diagram): DiagramLayout {
  const placed = inColumns(graphs.map(layoutGraph));
  const far = (side: 'x' | 'y', length: 'width' | 'height') =>
    Math.max(0, ...placed.map((it) => it[side] + it[length]));
  return {
    ...document,
    width: far('x', 'width') + sizes.padding,
    height: far('y', 'height') + sizes.padding,
    graphs: placed,
  };
}

/** The main graph on the left, the others beside it in columns that are not higher than the highest graph. */
function inColumns(graphs: readonly GraphBox[]): GraphBox[] {
  const highest = Math.max(0, ...graphs.map(({ height }) => height));
  let [left, top, width] = [sizes.padding, sizes.padding, 0];
  return graphs.map((graph) => {
    if (top > sizes.padding && top + graph.height > sizes.padding + highest) {
      left += width + sizes.graphGap;
      [top, width] = [sizes.padding, 0];
    }
    const placed = moved(graph, left, top);
    top += graph.height + sizes.graphGap;
    width = Math.max(width, graph.width);
    return placed;
  });
}

/** Positions one graph, with its top left corner at 0. */
function layoutGraph(graph: DiagramGraph): GraphBox {
  const inner = new Map(graph.nodes.map((node) => [node.key, node.inner.map(layoutGraph)]));
  const loops = loopWidths(graph);
  const sizeOf = (node: DiagramNode) => nodeSize(node, inner.get(node.key)!);
  const rows = layoutRows(graph, (node) => {
    const { width, height } = sizeOf(node);
    // On both sides, so that the node stays in the middle.
    return { width: width + 2 * (loops.get(node.key) ?? 0), height };
  });
  const nodes = graph.nodes.map((node): NodeBox => {
    const { item, row } = rows.nodes.get(node.key)!;
    const { width, height } = sizeOf(node);
    const box = { x: item.x - width / 2, y: (row.top + row.bottom - height) / 2, width, height };
    return { ...node, ...box, inner: placeInner(box, inner.get(node.key)!, headHeight(node)) };
  });
  const edges = drawEdges(graph, rows, new Map(nodes.map((box) => [box.key, box])));
  const left = Math.min(...rows.rows.map(({ items: [first] }) => first!.x - first!.width / 2));
  const right = Math.max(...rows.rows.map(({ items }) => items.at(-1)!.x + items.at(-1)!.width / 2));
  const head = sizes.line + sizes.padding;
  const { key, title } = graph;
  const box: GraphBox = {
    key,
    title,
    x: left - sizes.padding,
    y: rows.rows[0]!.top - head,
    width: Math.max(right - left, textWidth(graphTitle(graph))) + 2 * sizes.padding,
    height: rows.rows.at(-1)!.bottom - rows.rows[0]!.top + head + sizes.padding,
    nodes,
    edges,
  };
  return moved(box, -box.x, -box.y);
}

function headHeight(node: DiagramNode): number {
  return isMarker(node) ? sizes.marker : nodeLines(node).length * sizes.line + sizes.padding;
}

function nodeSize(node: DiagramNode, inner: readonly GraphBox[]): { width: number; height: number } {
  const texts = Math.max(...nodeLines(node).map(textWidth)) + 2 * sizes.padding;
  if (inner.length === 0) return { width: Math.max(texts, isMarker(node) ? 0 : 96), height: headHeight(node) };
  const width = inner.reduce((sum, graph) => sum + graph.width, (inner.length + 1) * sizes.padding);
  const height = Math.max(...inner.map((graph) => graph.height));
  return { width: Math.max(texts, width), height: headHeight(node) + height + sizes.padding };
}

/** Places the graphs inside a node side by side, in its middle. */
function placeInner(box: Box, inner: readonly GraphBox[], head: number): GraphBox[] {
  const width = inner.reduce((sum, graph) => sum + graph.width, (inner.length - 1) * sizes.padding);
  let x = box.x + (box.width - width) / 2;
  return inner.map((graph) => {
    const placed = moved(graph, x, box.y + head);
    x += graph.width + sizes.padding;
    return placed;
  });
}

/** A graph and everything in it, moved. */
function moved(graph: GraphBox, dx: number, dy: number): GraphBox {
  const shift = <P extends Point>(it: P): P => ({ ...it, x: it.x + dx, y: it.y + dy });
  return {
    ...shift(graph),
    nodes: graph.nodes.map((node) => ({ ...shift(node), inner: node.inner.map((it) => moved(it, dx, dy)) })),
    edges: graph.edges.map(({ points, labelBox, ...edge }) => ({
      ...edge,
      points: points.map(shift),
      ...(labelBox && { labelBox: shift(labelBox) }),
    })),
  };
}
