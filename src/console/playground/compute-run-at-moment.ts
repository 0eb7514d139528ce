import type { JsonObject } from '../../base/json/value.js';
import type { Diagram, DiagramGraph } from '../../graph/diagram.js';
import { visitedNode } from '../../graph/find-visited-node.js';
import type { RecordedMoment } from '../../scenarios/simulate/record-visited-moments.js';
import type { DiagramProgress, NodeProgress } from '../graph/diagram-progress-types.js';

/** A step that waits for a submission at a moment. */
export interface WaitingStep {
  readonly state: string;
  readonly within: string;
  readonly step: NonNullable<RecordedMoment['step']>;
}

/** A run as it was at one of its moments. */
export interface RunAtMoment {
  readonly progress: DiagramProgress;
  readonly openSteps: readonly WaitingStep[];
  /** The latest context that a state was entered with or left, by the key of its node. */
  readonly contexts: ReadonlyMap<string, JsonObject>;
  /** The context of the latest moment that has one. */
  readonly context: JsonObject;
  /** The node of the moment itself. */
  readonly node: string | undefined;
}

/** Computes the run at a moment from all moments up to it. */
export function runAt(diagram: Diagram, moments: readonly RecordedMoment[], position: number): RunAtMoment {
  const nodes = new Map<string, { progress: NodeProgress; visits: number }>();
  const ways = new Set<string>();
  const contexts = new Map<string, JsonObject>();
  const active = new Map<string, RecordedMoment>();
  let context: JsonObject = {};
  const keyOf = rememberedKeys(diagram);
  const mark = (key: string | undefined, progress: NodeProgress, visit = 0): void => {
    if (key !== undefined) nodes.set(key, { progress, visits: (nodes.get(key)?.visits ?? 0) + visit });
  };
  for (const moment of moments.slice(0, position + 1)) {
    const { kind, state, within, next } = moment;
    const key = keyOf(state, within);
    if (moment.context) {
      context = moment.context;
      if (key !== undefined) contexts.set(key, moment.context);
    }
    const id = `${moment.run ?? ''} ${within} ${state}`;
    if (kind === 'entered') {
      active.set(id, moment);
      mark(key, 'current', 1);
    }
    if (kind === 'left' || kind === 'failed') {
      active.delete(id);
      mark(key, kind === 'failed' ? 'failed' : 'visited');
      // States of branches that were cut short are neither left nor failed.
      const inside = `${within === '' ? '' : `${within}/`}${state}#`;
      for (const [other, it] of active)
        if (it.within.startsWith(inside)) {
          active.delete(other);
          mark(keyOf(it.state, it.within), 'visited');
        }
      if (next !== undefined) ways.add(`${key} ${keyOf(next, within)}`);
    }
    if (kind === 'end') {
      for (const it of active.values()) mark(keyOf(it.state, it.within), 'visited');
      active.clear();
      if (moment.phase === 'FAILED') mark(key, 'failed');
    }
  }
  // A node stays current as long as one of its visits has not ended.
  for (const it of active.values()) mark(keyOf(it.state, it.within), 'current');
  const openSteps = [...active.values()].flatMap(({ state, within, step }) => (step ? [{ state, within, step }] : []));
  const last = moments[position];
  const node = last && keyOf(last.state, last.within);
  return { progress: { nodes, edges: edgesTaken(diagram, nodes, ways) }, openSteps, contexts, context, node };
}

function edgesTaken(
  diagram: Diagram,
  nodes: Map<string, { progress: NodeProgress; visits: number }>,
  ways: ReadonlySet<string>,
): Set<string> {
  const edges = new Set<string>();
  const add = (graph: DiagramGraph): void => {
    for (const node of graph.nodes) node.inner.forEach(add);
    for (const { key, kind, from, to } of graph.edges) {
      const isTaken = kind === 'start' ? from.endsWith('#start') && nodes.has(to) : ways.has(`${from} ${to}`);
      if (!isTaken) continue;
      edges.add(key);
      if (kind === 'start') nodes.set(from, { progress: 'visited', visits: 1 });
    }
  };
  diagram.graphs.forEach(add);
  return edges;
}

function rememberedKeys(diagram: Diagram): (state: string, within: string) => string | undefined {
  const known = new Map<string, string | undefined>();
  return (state, within) => {
    const path = `${within} ${state}`;
    if (!known.has(path)) known.set(path, visitedNode(diagram, state, within));
    return known.get(path);
  };
}
