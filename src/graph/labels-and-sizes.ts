import { type DiagramEdge, type DiagramGraph, type DiagramNode, shortText } from './diagram.js';

/** A rectangle in pixels from the top left corner of the drawing. */
export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** A point in pixels from the top left corner of the drawing. */
export interface Point {
  x: number;
  y: number;
}

/** Lengths of a drawing in pixels, for texts of 13 pixels. */
export const sizes = {
  line: 18,
  padding: 12,
  marker: 26,
  /** Between two nodes side by side, and between two edges. */
  nodeGap: 32,
  edgeGap: 16,
  /** Between two rows, half of it above and half below the labels of edges. */
  rowGap: 44,
  /** Around the graphs inside a state, and between the graphs of a diagram. */
  graphGap: 40,
  /** To the right of a node with an edge to itself. */
  loop: 24,
};

/** Whether a node only marks a start. */
export function isMarker({ kind }: Pick<DiagramNode, 'kind'>): boolean {
  return kind === 'start' || kind === 'scheduledStart';
}

/** The texts of a node, as they are drawn. */
export function nodeLines({ label, caption }: Pick<DiagramNode, 'label' | 'caption'>): string[] {
  return [shortText(label), ...(caption === '' ? [] : [shortText(caption)])];
}

/** The text of an edge, as it is drawn. */
export function edgeText({ label }: Pick<DiagramEdge, 'label'>): string {
  return shortText(label, 32);
}

/** The title of a graph, as it is drawn. */
export function graphTitle({ title }: Pick<DiagramGraph, 'title'>): string {
  return shortText(title, 32);
}

/** A generous estimate of a text's width; no font is measured, so that every machine draws the same. */
export function textWidth(text: string): number {
  let width = 0;
  for (const character of text) width += character.codePointAt(0)! < 0x1100 ? 7.6 : 15;
  return Math.ceil(width);
}

/** A length with one decimal. */
export function round(length: number): number {
  return Math.round(length * 10) / 10;
}
