import type { Diagram, DiagramEdge, DiagramNode } from '../../graph/diagram.js';
import type { HandlerItem, LivePipeline } from '../api/pipeline-types.js';
import { messages } from '../ui-texts.js';
import type { DiagramProgress, NodeProgress } from './diagram-view.tsx';

/** Draws a pipeline as it is now: producers, topics with what is pending, consumers, and what leads where. */
export function livePipelineDiagram({ name, version, topics, producers, consumers }: LivePipeline): Diagram {
  const node = (kind: DiagramNode['kind'], label: string, caption: string): DiagramNode => ({
    key: keyOf(kind, label),
    kind,
    label,
    caption,
    inner: [],
    calls: [],
  });
  const nodes = [
    ...Object.entries(producers).map(([id, it]) => node('producer', id, handlerCaption(it))),
    ...Object.entries(topics).map(([id, { pending, reserved }]) =>
      node('topic', id, messages.pipelines.depth(pending, reserved)),
    ),
    ...Object.entries(consumers).map(([id, it]) => node('consumer', id, handlerCaption(it))),
  ];
  const edges: DiagramEdge[] = [];
  const add = (from: string, to: string) => edges.push({ key: `${from} ${to}`, from, to, kind: 'next', label: '' });
  const known = (topic: string) => Object.hasOwn(topics, topic);
  for (const [id, { publishes = [] }] of Object.entries(producers))
    for (const topic of publishes.filter(known)) add(keyOf('producer', id), keyOf('topic', topic));
  for (const [id, { topics: read = [], publishes = [] }] of Object.entries(consumers)) {
    for (const topic of read.filter(known)) add(keyOf('topic', topic), keyOf('consumer', id));
    for (const topic of publishes.filter(known)) add(keyOf('consumer', id), keyOf('topic', topic));
  }
  return { kind: 'Pipeline', name, version, graphs: [{ key: '/spec', title: name, nodes, edges }] };
}

function keyOf(kind: string, id: string): string {
  return `${kind} ${id}`;
}

function handlerCaption({ state, journey, queued }: HandlerItem): string {
  return `${state}${queued === true ? `, ${messages.pipelines.queued}` : ''} · ${journey}`;
}

/** Lights up what runs now, what has events, and what failed last. */
export function pipelineProgress({ topics, producers, consumers, suspended }: LivePipeline): DiagramProgress {
  const stuck = new Set(suspended.map(({ handler }) => handler));
  const ofHandler = (id: string, { state, last }: HandlerItem): NodeProgress => {
    if (stuck.has(id) || last?.status === 'failed') return 'failed';
    if (state === 'running') return 'current';
    return state === 'ready' || last ? 'visited' : 'untaken';
  };
  const found: [string, NodeProgress][] = [
    ...Object.entries(producers).map(([id, it]): [string, NodeProgress] => [keyOf('producer', id), ofHandler(id, it)]),
    ...Object.entries(consumers).map(([id, it]): [string, NodeProgress] => [keyOf('consumer', id), ofHandler(id, it)]),
    ...Object.entries(topics).map(([id, { pending, reserved }]): [string, NodeProgress] => [
      keyOf('topic', id),
      reserved > 0 ? 'current' : pending > 0 ? 'visited' : 'untaken',
    ]),
  ];
  return { nodes: new Map(found.map(([key, progress]) => [key, { progress, visits: 1 }])), edges: new Set() };
}
