import type { DiagramEdge, DiagramGraph } from './diagram.js';
import { type Box, edgeText, type Point, round, sizes, textWidth } from './labels-and-sizes.js';
import type { PlacedItem, Rows } from './layout-rows.js';

/** An edge with its points, from its source to its target, and the box of its label. */
export interface EdgeLine extends DiagramEdge {
  points: Point[];
  labelBox?: Box;
}

/** The data of an SVG path through these points: straight where it is vertical, curved elsewhere. */
export function pathOf(points: readonly Point[]): string {
  return points
    .map(({ x, y }, i) => {
      const before = points[i - 1];
      if (!before) return `M${round(x)} ${round(y)}`;
      if (before.x === x || before.y === y) return `L${round(x)} ${round(y)}`;
      const middle = round((before.y + y) / 2);
      return `C${round(before.x)} ${middle} ${round(x)} ${middle} ${round(x)} ${round(y)}`;
    })
    .join('');
}

/** The boxes of nodes, by their keys. */
type Boxes = ReadonlyMap<string, Box>;

/** Draws the edges of a graph between its nodes. */
export function drawEdges(graph: DiagramGraph, rows: Rows, boxes: Boxes): EdgeLine[] {
  const ports = portsOf(graph, rows, boxes);
  const used = new Map<string, number>();
  return graph.edges.map((edge) => {
    const box = boxes.get(edge.from)!;
    if (edge.from === edge.to) {
      const from = used.get(edge.from) ?? 0;
      const line = loop(edge, box, from);
      used.set(edge.from, from + loopWidth(edge));
      return line;
    }
    return drawEdge(edge, rows, boxes, ports.get(edge.key)!);
  });
}

/** An edge from a node to itself: a bracket at its right side, `from` pixels further than the first. */
function loop(edge: DiagramEdge, { x, y, width, height }: Box, from: number): EdgeLine {
  const [right, out, middle] = [x + width, x + width + from + sizes.loop, y + height / 2];
  const points = [
    { x: right, y: middle - 6 },
    { x: out, y: middle - 6 },
    { x: out, y: middle + 6 },
    { x: right, y: middle + 6 },
  ];
  const text = edgeText(edge);
  if (text === '') return { ...edge, points };
  const labelBox = { x: out + 4, y: middle - sizes.line / 2, width: textWidth(text), height: sizes.line };
  return { ...edge, points, labelBox };
}

/** Vertical inside rows, where the nodes are, and diagonal between them. */
function drawEdge(
  edge: DiagramEdge,
  { nodes, passes }: Rows,
  boxes: Boxes,
  ports: { above: number; below: number },
): EdgeLine {
  const [upper, lower] = isUp(edge, nodes) ? [edge.to, edge.from] : [edge.from, edge.to];
  const [above, below] = [boxes.get(upper)!, boxes.get(lower)!];
  const crossed = passes.get(edge.key)!;
  const points = [
    { x: ports.above, y: above.y + above.height },
    { x: ports.above, y: nodes.get(upper)!.row.bottom },
    ...crossed.flatMap(({ item: { x }, row }) => [
      { x, y: row.top },
      { x, y: row.bottom },
    ]),
    { x: ports.below, y: nodes.get(lower)!.row.top },
    { x: ports.below, y: below.y },
  ].filter(({ x, y }, i, all) => i === 0 || all[i - 1]!.x !== x || all[i - 1]!.y !== y);
  const labelled = crossed.find(({ item }) => item.width > 0);
  return {
    ...edge,
    points: upper === edge.from ? points : points.reverse(),
    ...(labelled && { labelBox: labelBoxIn(labelled) }),
  };
}

function labelBoxIn({ item, row }: PlacedItem): Box {
  const y = (row.top + row.bottom - sizes.line) / 2;
  return { x: item.x - item.width / 2, y, width: item.width, height: sizes.line };
}

function isUp({ from, to }: DiagramEdge, nodes: Rows['nodes']): boolean {
  return nodes.get(from)!.row.top > nodes.get(to)!.row.top;
}

/** Where each edge leaves the node above it and reaches the node below it: in the order of the edges, the main path in the middle. */
function portsOf(
  { edges }: DiagramGraph,
  { nodes, passes }: Rows,
  boxes: Boxes,
): Map<string, { above: number; below: number }> {
  const ports = new Map<string, { above: number; below: number }>();
  const sides = new Map<string, { edge: DiagramEdge; side: 'above' | 'below'; toward: number }[]>();
  const add = (node: string, edge: DiagramEdge, side: 'above' | 'below', toward: number) => {
    const key = `${side} ${node}`;
    const list = sides.get(key) ?? [];
    if (list.length === 0) sides.set(key, list);
    list.push({ edge, side, toward });
  };
  for (const edge of edges) {
    if (edge.from === edge.to) continue;
    const [upper, lower] = isUp(edge, nodes) ? [edge.to, edge.from] : [edge.from, edge.to];
    const crossed = passes.get(edge.key)!;
    ports.set(edge.key, { above: 0, below: 0 });
    add(upper, edge, 'above', (crossed[0] ?? nodes.get(lower)!).item.x);
    add(lower, edge, 'below', (crossed.at(-1) ?? nodes.get(upper)!).item.x);
  }
  for (const [key, list] of sides) {
    const { x, width } = boxes.get(key.slice('above '.length))!;
    list.sort((a, b) => a.toward - b.toward);
    const main = list.findIndex(({ edge }) => edge.isMain);
    const middle = main === -1 ? (list.length - 1) / 2 : main;
    const step = Math.min(sizes.edgeGap, (width / 2 - 8) / Math.max(1, middle, list.length - 1 - middle));
    for (const [i, { edge, side }] of list.entries()) ports.get(edge.key)![side] = x + width / 2 + (i - middle) * step;
  }
  return ports;
}

/** The width that edges from a node to itself need beside it. */
export function loopWidths({ edges }: DiagramGraph): Map<string, number> {
  const widths = new Map<string, number>();
  for (const edge of edges)
    if (edge.from === edge.to) widths.set(edge.from, (widths.get(edge.from) ?? 0) + loopWidth(edge));
  return widths;
}

function loopWidth(edge: DiagramEdge): number {
  return sizes.loop + textWidth(edgeText(edge)) + sizes.edgeGap;
}
