import type { LineColumn } from '../base/document/source-positions.js';
import { escapePointer } from '../base/json/pointer.js';
import { spanParts } from '../base/time/duration.js';
import type { Definition, Graph, State } from '../engine/definition/definition.js';
import { scheduleStarts } from '../language/states/graph-traversal.js';
import {
  captionOf,
  edgesOf,
  innerGraphs,
  isSleep,
  roundsAtMost,
  stepOf,
  subjourneysOf,
  taskOf,
  terminalExits,
} from '../language/states/state-queries.js';
import type { Edge } from '../language/states/state-type.js';
import { type Diagram, type DiagramEdge, type DiagramGraph, type DiagramNode, graphKeys } from './diagram.js';

/** Returns the line and column of the value at a JSON pointer. */
export type Locate = (pointer: string) => LineColumn;

/** Draws a journey. With `locate`, nodes have their positions in the text. */
export function journeyDiagram(definition: Definition, locate?: Locate): Diagram {
  const { kind, name, version, subjourneys, compensation } = definition;
  const read = new GraphReader(locate);
  const graphs = [read.graph(definition, graphKeys.main, name, [...scheduleStarts(definition)])];
  for (const [id, graph] of Object.entries(subjourneys)) graphs.push(read.graph(graph, graphKeys.subjourney(id), id));
  if (compensation) graphs.push(read.graph(compensation, graphKeys.compensation, 'compensation'));
  return { kind, name, version, graphs };
}

/** The key of a state's node: its JSON pointer. */
export function nodeKey(graph: string, id: string): string {
  return `${graph}/states/${escapePointer(id)}`;
}

class GraphReader {
  constructor(private readonly locate: Locate | undefined) {}

  graph({ start, states }: Graph, key: string, title: string, scheduled: readonly string[] = []): DiagramGraph {
    const marker = (name: string, kind: DiagramNode['kind'], to: string) => {
      const from = `${key}#${name}`;
      nodes.push({
        key: from,
        kind,
        label: kind === 'start' ? 'start' : 'schedule',
        caption: '',
        inner: [],
        calls: [],
      });
      edges.push({ key: from, from, to: nodeKey(key, to), kind: 'start', label: '' });
    };
    const nodes: DiagramNode[] = [];
    const edges: DiagramEdge[] = [];
    marker('start', 'start', start);
    for (const id of scheduled) if (Object.hasOwn(states, id)) marker(`schedule/${id}`, 'scheduledStart', id);
    for (const [id, state] of Object.entries(states)) {
      nodes.push(this.node(state, id, nodeKey(key, id)));
      edges.push(...edgesFrom(state, nodeKey(key, id), key));
    }
    for (const edge of mainPath(`${key}#start`, nodes, edges)) edge.isMain = true;
    return { key, title, nodes, edges };
  }

  private node(state: State, id: string, key: string): DiagramNode {
    const waitsFor = waitOf(state);
    const [end] = terminalExits(state);
    return {
      key,
      kind: 'state',
      label: id,
      caption: captionOf(state),
      type: state.type,
      ...(waitsFor && { waitsFor }),
      ...(end && { ends: end.end }),
      inner: innerGraphs(state).map(({ graph, at, name }) =>
        name === undefined
          ? { ...this.graph(graph, [key, ...at].join('/'), repetition(state)), repeats: true }
          : this.graph(graph, [key, ...at].join('/'), name),
      ),
      calls: subjourneysOf(state).map(graphKeys.subjourney),
      ...(this.locate && { position: this.locate(key) }),
    };
  }
}

function repetition(state: State): string {
  return roundsAtMost(state) === undefined ? 'each item' : 'each round';
}

function waitOf(state: State): DiagramNode['waitsFor'] {
  const step = stepOf(state);
  if (step) return step.from === 'client' ? 'person' : 'system';
  if (isSleep(state)) return 'time';
  return taskOf(state) && 'result';
}

function edgesFrom(state: State, from: string, graph: string): DiagramEdge[] {
  const exits = edgesOf(state);
  const decides = exits.some(({ when }) => when);
  return exits.map((exit, i) => ({
    key: `${from}#${i}`,
    from,
    to: nodeKey(graph, exit.to),
    ...edgeText(exit, state, decides),
  }));
}

function edgeText(exit: Edge, state: State, decides: boolean): Pick<DiagramEdge, 'kind' | 'label'> {
  if (exit.when) return { kind: 'condition', label: exit.when.expr.trim() };
  if (exit.isTimeout) return { kind: 'timeout', label: `after ${span(stepOf(state)?.step.timeout?.sec ?? 0)}` };
  if (exit.failures) return { kind: 'failure', label: `on ${exit.failures.join(', ') || 'failure'}` };
  return decides ? { kind: 'default', label: 'otherwise' } : { kind: 'next', label: '' };
}

/** A number of seconds in words, like "1 hour 30 minutes". */
function span(seconds: number): string {
  const parts = spanParts(seconds * 1000).map(([unit, count]) => `${count} ${count === 1 ? unit.slice(0, -1) : unit}`);
  return parts.join(' ') || '0 seconds';
}

/** Preferred edges first: a default is the usual way, and conditions are tried in their order. */
const preference: Record<DiagramEdge['kind'], number> = {
  start: 0,
  next: 0,
  default: 0,
  condition: 1,
  failure: 2,
  timeout: 3,
};

/** The edges from a start to a successful end, or to any end if there is none. Prefers the usual ways and never repeats a node. */
function mainPath(start: string, nodes: readonly DiagramNode[], edges: readonly DiagramEdge[]): DiagramEdge[] {
  const ends = new Map(nodes.map(({ key, ends }) => [key, ends]));
  const leaving = new Map<string, DiagramEdge[]>();
  for (const edge of edges) {
    const known = leaving.get(edge.from);
    if (known) known.push(edge);
    else leaving.set(edge.from, [edge]);
  }
  for (const list of leaving.values()) list.sort((a, b) => preference[a.kind] - preference[b.kind]);
  const to = (isEnd: (key: string) => boolean) => pathTo(start, leaving, isEnd);
  return to((key) => ends.get(key) === 'SUCCEEDED') ?? to((key) => ends.get(key) !== undefined) ?? [];
}

/** Depth first, without recursion: a journey may have thousands of states in a row. */
function pathTo(
  start: string,
  leaving: ReadonlyMap<string, readonly DiagramEdge[]>,
  isEnd: (key: string) => boolean,
): DiagramEdge[] | undefined {
  const seen = new Set([start]);
  const path: DiagramEdge[] = [];
  const tried = [0];
  while (tried.length > 0) {
    const at = path.at(-1)?.to ?? start;
    if (isEnd(at)) return path;
    const edge = leaving.get(at)?.[tried[tried.length - 1]!++];
    if (!edge) {
      tried.pop();
      path.pop();
    } else if (!seen.has(edge.to)) {
      seen.add(edge.to);
      path.push(edge);
      tried.push(0);
    }
  }
  return undefined;
}
