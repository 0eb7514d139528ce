import type { LineColumn } from '../base/document/source-positions.js';
import { escapePointer } from '../base/json/pointer.js';

/** A drawing of one document: plain JSON, from which layouts, renderers and the console draw. */
export interface Diagram {
  kind: 'Journey' | 'Api' | 'Pipeline';
  name: string;
  version: string;
  /** The main graph first, then each subjourney once, then the compensation. */
  graphs: DiagramGraph[];
}

/** Nodes and edges that are laid out together: a journey, a branch, the graph of a map or of a round, a subjourney, a compensation. */
export interface DiagramGraph {
  /** JSON pointer of the graph in the document; unique in the diagram. */
  key: string;
  title: string;
  /** Runs several times: for each item of a list, or in rounds. */
  repeats?: true;
  nodes: DiagramNode[];
  edges: DiagramEdge[];
}

/** A state, a marker of a start, or a part of a pipeline. */
export interface DiagramNode {
  /** JSON pointer of the state in the document, or that of the graph and a suffix for a marker; unique in the diagram. */
  key: string;
  kind: 'state' | 'start' | 'scheduledStart' | 'producer' | 'topic' | 'consumer';
  /** The id of the state, or the text of the marker. */
  label: string;
  /** A few words on what happens there; empty for markers. */
  caption: string;
  /** The state type. */
  type?: string;
  /** The result of a task, the passing of time, or a submission. */
  waitsFor?: 'result' | 'time' | 'person' | 'system';
  /** Set if a run, or a branch, can end here. */
  ends?: 'SUCCEEDED' | 'FAILED';
  /** Graphs that run inside the state. */
  inner: DiagramGraph[];
  /** Keys of the subjourneys that it calls, which are graphs of the diagram. */
  calls: string[];
  /** The position of the state in the text, if known. */
  position?: LineColumn;
}

/** A way from one node to another. */
export interface DiagramEdge {
  /** Unique in the diagram. */
  key: string;
  from: string;
  to: string;
  kind: 'next' | 'condition' | 'default' | 'timeout' | 'failure' | 'start';
  /** The condition, the failures, or the time; empty for `next`. */
  label: string;
  /** Set on the path from the start to a successful end that is drawn straight down. */
  isMain?: true;
}

/** Keys of the graphs of a journey: their JSON pointers. */
export const graphKeys = {
  main: '/spec',
  subjourney: (id: string) => `/spec/subjourneys/${escapePointer(id)}`,
  compensation: '/spec/compensation',
};

/** Shortens a text for a drawing: one line of at most `longest` characters. */
export function shortText(text: string, longest = 44): string {
  const line = [...text.replaceAll(/\s+/g, ' ').trim()];
  return line.length <= longest ? line.join('') : `${line.slice(0, longest - 1).join('')}…`;
}
