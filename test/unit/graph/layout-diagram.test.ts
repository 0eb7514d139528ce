import { expect, it } from 'vitest';
import type { Definition } from '../../../src/engine/definition/definition.js';
import type { DiagramGraph } from '../../../src/graph/diagram.js';
import { journeyDiagram } from '../../../src/graph/journey-diagram.js';
import type { Box, Point } from '../../../src/graph/labels-and-sizes.js';
import { type GraphBox, layoutDiagram } from '../../../src/graph/layout-diagram.js';
import { journey } from '../../support/journey.js';
import { randomJourney, writtenJourneys } from './drawn-journeys.js';

const written = await writtenJourneys();

it('includes the examples and the fixtures', () => expect(written.length).toBeGreaterThan(15));

it.each(written)('lays out $name', ({ definition }) => checkLayout(definition));

it.each(Array.from({ length: 60 }, (_, seed) => seed))('lays out the random journey %i', (seed) =>
  checkLayout(randomJourney(seed, 3 + (seed % 25))),
);

it('is deterministic', () => {
  const layout = () => JSON.stringify(layoutDiagram(journeyDiagram(randomJourney(7, 30))));
  expect(layout()).toBe(layout());
});

it('rejects a graph that is too large for dagre', () => {
  const states = Object.fromEntries(
    Array.from({ length: 5_000 }, (_, i) => [
      `s${i}`,
      {
        type: 'transform',
        mapper: { lang: 'jsonata', expr: '1' },
        target: { kind: 'root' },
        next: `s${i + 1}`,
      } as const,
    ]),
  );
  const chain = journey('chain', { start: 's0', states: { ...states, s5000: { type: 'succeed' } } });
  const diagram = journeyDiagram(chain);
  expect(diagram.graphs[0]!.edges.every(({ isMain }) => isMain)).toBe(true);
  expect(() => layoutDiagram(diagram)).toThrowError(
    expect.objectContaining({ problem: expect.objectContaining({ code: 'GRAPH_TOO_LARGE' }) }),
  );
});

function checkLayout(definition: Definition): void {
  const diagram = journeyDiagram(definition);
  const { graphs, width, height } = layoutDiagram(diagram);
  expect(overlaps(graphs)).toEqual([]);
  for (const [i, graph] of graphs.entries()) {
    expect(isInside(graph, { x: 0, y: 0, width, height })).toBe(true);
    checkGraph(graph, diagram.graphs[i]!);
  }
}

function checkGraph(box: GraphBox, graph: DiagramGraph): void {
  const { nodes, edges } = box;
  expect(nodes.map(({ key }) => key)).toEqual(graph.nodes.map(({ key }) => key));
  expect(edges.map(({ key }) => key)).toEqual(graph.edges.map(({ key }) => key));
  const labels = edges.flatMap(({ labelBox }) => labelBox ?? []);
  expect(labels.length).toBe(edges.filter(({ label }) => label !== '').length);
  expect(overlaps([...nodes, ...labels])).toEqual([]);
  for (const part of [...nodes, ...labels]) expect(isInside(part, box)).toBe(true);
  for (const { from, to, points } of edges) {
    expect(nodes.filter((node) => segments(points).some((it) => crosses(it, node)))).toEqual([]);
    const [source, target] = [from, to].map((id) => nodes.find(({ key }) => key === id)!);
    expect(touches(points[0]!, source!) && touches(points.at(-1)!, target!)).toBe(true);
  }
  const main = edges.filter(({ isMain }) => isMain);
  const centers = new Set(main.flatMap(({ points }) => points.map(({ x }) => Math.round(x))));
  expect(centers.size).toBeLessThanOrEqual(1);
  for (const { points } of main) expect(points.at(-1)!.y).toBeGreaterThan(points[0]!.y);
  for (const [i, { inner, ...node }] of nodes.entries()) {
    expect(overlaps(inner)).toEqual([]);
    for (const [n, it] of inner.entries()) {
      expect(isInside(it, node)).toBe(true);
      checkGraph(it, graph.nodes[i]!.inner[n]!);
    }
  }
}

/** Tolerance for rounding errors of coordinates. */
const error = 0.001;

function overlaps(boxes: readonly Box[]): [Box, Box][] {
  return boxes.flatMap((a, i) =>
    boxes.slice(i + 1).flatMap((b): [Box, Box][] => (crosses([corner(a, 0), corner(a, 1)], b) ? [[a, b]] : [])),
  );
}

const corner = ({ x, y, width, height }: Box, far: 0 | 1): Point => ({ x: x + far * width, y: y + far * height });

function segments(points: readonly Point[]): [Point, Point][] {
  return points.slice(1).map((point, i) => [points[i]!, point]);
}

/** Whether the rectangle between two points overlaps a box. A curve between them stays inside that rectangle. */
function crosses([a, b]: readonly [Point, Point], box: Box): boolean {
  const within = (p: number, q: number, from: number, length: number) =>
    Math.max(p, q) > from + error && Math.min(p, q) < from + length - error;
  return within(a.x, b.x, box.x, box.width) && within(a.y, b.y, box.y, box.height);
}

function touches({ x, y }: Point, box: Box): boolean {
  const [far, near] = [corner(box, 1), corner(box, 0)];
  const inX = x >= near.x - error && x <= far.x + error;
  const inY = y >= near.y - error && y <= far.y + error;
  return inX && inY && [x - near.x, x - far.x, y - near.y, y - far.y].some((it) => Math.abs(it) <= error);
}

function isInside(inner: Box, outer: Box): boolean {
  return (
    inner.x >= outer.x - error &&
    inner.y >= outer.y - error &&
    inner.x + inner.width <= outer.x + outer.width + error &&
    inner.y + inner.height <= outer.y + outer.height + error
  );
}
