import {
  BaseEdge,
  Controls,
  type Edge,
  EdgeLabelRenderer,
  type EdgeProps,
  Handle,
  type Node,
  type NodeProps,
  Position,
  ReactFlow,
  type ReactFlowInstance,
  type Viewport,
} from '@xyflow/react';
import '@xyflow/react/dist/base.css';
import { useEffect, useMemo, useRef } from 'react';
import type { Diagram } from '../../graph/diagram.js';
import { type EdgeLine, pathOf } from '../../graph/edge-lines.js';
import { type Box, edgeText, graphTitle, nodeLines } from '../../graph/labels-and-sizes.js';
import { type DiagramLayout, type GraphBox, layoutDiagram, type NodeBox } from '../../graph/layout-diagram.js';
import { messages } from '../ui-texts.js';
import type { DiagramProgress, NodeProgress } from './diagram-progress-types.js';
import { hiddenSides, margin, openingZoom, viewportOf, zoomToWidth } from './viewport.js';

export type { DiagramProgress, NodeProgress };

interface DiagramViewProps {
  readonly diagram: Diagram;
  /** Absent: no run is shown. */
  readonly progress?: DiagramProgress | undefined;
  readonly selected?: string | undefined;
  readonly onSelect?: ((key: string) => void) | undefined;
  /** The node to keep in view, by its key. */
  readonly follows?: string | undefined;
  /** Texts at edges besides their own, such as counts, by their keys. */
  readonly notes?: ReadonlyMap<string, string> | undefined;
}

type StateData = {
  readonly box: NodeBox;
  readonly progress: NodeProgress | undefined;
  readonly visits: number;
  readonly onSelect: ((key: string) => void) | undefined;
  readonly selected: boolean;
};
type FrameData = { readonly title: string };
type LineData = { readonly line: EdgeLine; readonly taken: boolean | undefined; readonly note: string | undefined };

/** Draws a diagram, lit up by what a run did; the reader moves and zooms it, and selects states. */
export function DiagramView({ diagram, progress, selected, onSelect, follows, notes }: DiagramViewProps) {
  const layout = useMemo(() => layoutDiagram(diagram), [diagram]);
  const drawn = useMemo(() => {
    const nodes: Node[] = [];
    const edges: Edge[] = [];
    const addGraph = (box: GraphBox, depth: number): void => {
      nodes.push(frame(box, depth));
      for (const it of box.nodes) {
        nodes.push(stateNode(it, depth, { progress, selected, onSelect }));
        for (const inner of it.inner) addGraph(inner, depth + 1);
      }
      for (const line of box.edges) edges.push(edgeOf(line, depth, progress, notes?.get(line.key)));
    };
    for (const graph of layout.graphs) addGraph(graph, 0);
    return { nodes, edges };
  }, [layout, progress, selected, onSelect, notes]);
  const section = useRef<HTMLElement>(null);
  const flow = useRef<Flow>(undefined);
  useEffect(() => {
    const box = follows === undefined ? undefined : boxesOf(layout).find(({ key }) => key === follows);
    if (box && flow.current && section.current) keepInView(flow.current, layout, section.current, box);
  }, [follows, layout]);
  const show = ({ setViewport }: Flow) => {
    const element = section.current;
    if (!element) return;
    const height = Math.ceil(layout.height * zoomToWidth(layout, sizeOf(element))) + margin;
    // The part of the page that the drawing needs, as far as it fits into the window.
    element.style.height = `clamp(12rem, ${height}px, 78vh)`;
    const view = sizeOf(element);
    void setViewport(viewportOf(layout, openingZoom(layout, view), view, focusOf(layout, progress, follows)));
  };
  const fade = (viewport: Viewport) => {
    const element = section.current;
    if (!element) return;
    for (const [side, isHidden] of Object.entries(hiddenSides(layout, viewport, sizeOf(element))))
      element.style.setProperty(`--fade-${side}`, isHidden ? '1' : '0');
  };
  return (
    <section ref={section} className="diagram" aria-label={messages.graph.label(diagram.name)}>
      <ReactFlow
        nodes={drawn.nodes}
        edges={drawn.edges}
        nodeTypes={nodeTypes}
        edgeTypes={edgeTypes}
        onInit={(instance) => {
          flow.current = instance;
          show(instance);
        }}
        onMove={(_, viewport) => fade(viewport)}
        minZoom={0.1}
        maxZoom={2}
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        elementsSelectable={false}
        preventScrolling={false}
        zoomOnScroll={false}
        panOnScroll={false}
      >
        <Controls showInteractive={false} position="top-right" />
      </ReactFlow>
      <svg className="diagram-arrow" aria-hidden="true">
        <defs>
          <marker
            id="diagram-arrow"
            viewBox="0 0 8 8"
            refX="7"
            refY="4"
            markerWidth="7"
            markerHeight="7"
            markerUnits="userSpaceOnUse"
            orient="auto"
          >
            <path d="M0 0L8 4L0 8z" fill="context-stroke" />
          </marker>
        </defs>
      </svg>
    </section>
  );
}

type Flow = Pick<ReactFlowInstance, 'setViewport' | 'getViewport'>;

/** Moves the drawing so that a node is in the middle, if it is not in view. */
function keepInView(flow: Flow, layout: DiagramLayout, element: HTMLElement, box: Box): void {
  const { x, y, zoom } = flow.getViewport();
  const isWithin = (start: number, length: number, size: number) => start >= 0 && start + length <= size;
  const isInView =
    isWithin(x + box.x * zoom, box.width * zoom, element.clientWidth) &&
    isWithin(y + box.y * zoom, box.height * zoom, element.clientHeight);
  if (!isInView) void flow.setViewport(viewportOf(layout, zoom, sizeOf(element), box));
}

function sizeOf({ clientWidth, clientHeight }: HTMLElement) {
  return { width: clientWidth, height: clientHeight };
}

/** The innermost node where a run is, where it failed, or the one to keep in view; without a run, the start. */
function focusOf(
  layout: DiagramLayout,
  progress: DiagramProgress | undefined,
  follows: string | undefined,
): Box | undefined {
  const all = boxesOf(layout);
  const first = (wanted: NodeProgress) => all.find(({ key }) => progress?.nodes.get(key)?.progress === wanted);
  return (
    first('current') ??
    first('failed') ??
    all.find(({ key }) => key === follows) ??
    layout.graphs[0]?.nodes.find(({ kind }) => kind === 'start' || kind === 'scheduledStart')
  );
}

/** Every node, inner ones before those that contain them. */
function boxesOf({ graphs }: DiagramLayout): NodeBox[] {
  const boxes = (graph: GraphBox): NodeBox[] => graph.nodes.flatMap((box) => [...box.inner.flatMap(boxes), box]);
  return graphs.flatMap(boxes);
}

function placed({ x, y, width, height }: Box) {
  return { position: { x, y }, width, height, measured: { width, height } };
}

function frame(box: GraphBox, depth: number): Node<FrameData> {
  return {
    id: `frame ${box.key}`,
    type: 'frame',
    data: { title: graphTitle(box) },
    zIndex: depth * 4,
    ...placed(box),
  };
}

function stateNode(
  box: NodeBox,
  depth: number,
  { progress, selected, onSelect }: Pick<DiagramViewProps, 'progress' | 'selected' | 'onSelect'>,
): Node<StateData> {
  const { key } = box;
  const found = progress?.nodes.get(key);
  return {
    id: key,
    type: 'state',
    data: {
      box,
      progress: progress && (found?.progress ?? 'untaken'),
      visits: found?.visits ?? 0,
      onSelect,
      selected: key === selected,
    },
    zIndex: depth * 4 + 2,
    ...placed(box),
  };
}

function edgeOf(
  line: EdgeLine,
  depth: number,
  progress: DiagramProgress | undefined,
  note: string | undefined,
): Edge<LineData> {
  const { key, from, to } = line;
  return {
    id: key,
    type: 'line',
    source: from,
    target: to,
    data: { line, taken: progress?.edges.has(key), note },
    zIndex: depth * 4 + 1,
  };
}

function Frame({ data }: NodeProps<Node<FrameData>>) {
  return (
    <div className="diagram-frame">
      <span>{data.title}</span>
    </div>
  );
}

function State({ data: { box, progress, visits, onSelect, selected } }: NodeProps<Node<StateData>>) {
  const [label, ...captions] = nodeLines(box);
  const { kind, inner, ends } = box;
  const classes = [
    'diagram-node',
    kind,
    progress === 'failed' ? 'stopped' : (progress ?? ''),
    ends ? endClasses[ends] : '',
    inner.length > 0 ? 'outer' : '',
  ];
  const content = (
    <>
      <strong>{label}</strong> <Handle type="target" position={Position.Top} isConnectable={false} />
      <Handle type="source" position={Position.Bottom} isConnectable={false} />
      {captions.map((it) => (
        <span key={it}>{it}</span>
      ))}
      {progress && <span className="hidden-text">, {messages.run.legend[progress]} </span>}
      {visits > 1 && <span className="visits">{visits}×</span>}
    </>
  );
  if (kind !== 'state' || !onSelect) {
    return (
      <div className={classes.join(' ')} title={titleOf(box)}>
        {content}
      </div>
    );
  }
  return (
    <button
      type="button"
      className={`${classes.join(' ')} nopan`}
      aria-pressed={selected}
      title={titleOf(box)}
      onClick={() => onSelect(box.key)}
    >
      {content}
    </button>
  );
}

function titleOf({ label, caption, type }: NodeBox): string {
  return [label, type === undefined ? '' : `(${type})`, caption].filter((it) => it !== '').join(' ');
}

function Line({ data }: EdgeProps<Edge<LineData>>) {
  if (!data) return null;
  const { line, taken, note } = data;
  const { kind, points, labelBox } = line;
  const text = [edgeText(line), note ?? ''].filter((it) => it !== '').join(' · ');
  const middle = points[Math.floor(points.length / 2)]!;
  const at = labelBox ? { x: labelBox.x + labelBox.width / 2, y: labelBox.y + labelBox.height / 2 } : middle;
  const classes = `diagram-edge ${kind} ${taken === undefined ? '' : taken ? 'taken' : 'untaken'}`;
  return (
    <>
      <BaseEdge path={pathOf(points)} className={classes} markerEnd="url(#diagram-arrow)" />
      {text !== '' && (
        <EdgeLabelRenderer>
          <span
            className={`diagram-label ${taken === false ? 'untaken' : ''}`}
            title={line.label}
            style={{ transform: `translate(-50%, -50%) translate(${at.x}px, ${at.y}px)` }}
          >
            {text}
          </span>
        </EdgeLabelRenderer>
      )}
    </>
  );
}

const endClasses = { SUCCEEDED: 'succeeded', FAILED: 'failed-end' };
const nodeTypes = { frame: Frame, state: State };
const edgeTypes = { line: Line };
