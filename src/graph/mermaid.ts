import type { Diagram, DiagramEdge, DiagramGraph, DiagramNode } from './diagram.js';
import { edgeText, graphTitle, nodeLines } from './labels-and-sizes.js';

/** Writes a diagram as a Mermaid flowchart, which GitHub and many editors draw. */
export function mermaidOf({ graphs }: Diagram): string {
  const names = new Map<string, string>();
  const lines = ['flowchart TD'];
  const [only, ...others] = graphs;
  if (only && others.length === 0) writeGraph(only, names, lines, '  ');
  else for (const graph of graphs) writeSubgraph(graph, names, lines, '  ');
  for (const graph of graphs) writeCalls(graph, names, lines);
  return [...lines, ...classes, ''].join('\n');
}

/** Colours that can be seen on light and dark pages. */
const classes = ['  classDef good stroke:#2da44e', '  classDef bad stroke:#cf222e', '  classDef parks stroke:#bf8700'];

/** A short name for each key: Mermaid reads some words and characters of ids as its own. */
function nameOf(key: string, names: Map<string, string>): string {
  const known = names.get(key) ?? `n${names.size}`;
  names.set(key, known);
  return known;
}

function writeSubgraph(graph: DiagramGraph, names: Map<string, string>, lines: string[], indent: string): void {
  lines.push(`${indent}subgraph ${nameOf(graph.key, names)}[${quoted([graphTitle(graph)])}]`);
  writeGraph(graph, names, lines, `${indent}  `);
  lines.push(`${indent}end`);
}

function writeGraph({ nodes, edges }: DiagramGraph, names: Map<string, string>, lines: string[], indent: string): void {
  for (const node of nodes) {
    const name = nameOf(node.key, names);
    if (node.inner.length === 0) {
      const [open, close] = node.kind === 'state' && !node.ends ? ['[', ']'] : ['([', '])'];
      lines.push(`${indent}${name}${open}${quoted(nodeLines(node))}${close}${lookOf(node)}`);
      continue;
    }
    // Mermaid leaves room for one line.
    lines.push(`${indent}subgraph ${name}[${quoted([nodeLines(node).join(': ')])}]`);
    for (const inner of node.inner) writeSubgraph(inner, names, lines, `${indent}  `);
    lines.push(`${indent}end`);
  }
  for (const edge of edges) {
    const text = edge.label === '' ? '' : `|${quoted([edgeText(edge)])}|`;
    lines.push(`${indent}${nameOf(edge.from, names)} ${arrowOf(edge)}${text} ${nameOf(edge.to, names)}`);
  }
}

function lookOf({ ends, waitsFor }: DiagramNode): string {
  if (ends) return ends === 'SUCCEEDED' ? ':::good' : ':::bad';
  return waitsFor === undefined || waitsFor === 'result' ? '' : ':::parks';
}

function arrowOf({ kind, isMain }: DiagramEdge): string {
  if (isMain) return '==>';
  return kind === 'timeout' || kind === 'failure' ? '-.->' : '-->';
}

/** A call points to the start of its subjourney: a state may not have an edge to the graph around it. */
function writeCalls({ nodes }: DiagramGraph, names: Map<string, string>, lines: string[]): void {
  for (const { key, calls, inner } of nodes) {
    for (const called of calls) lines.push(`  ${nameOf(key, names)} -.-o ${nameOf(`${called}#start`, names)}`);
    for (const graph of inner) writeCalls(graph, names, lines);
  }
}

/** A label. All but letters, digits and harmless punctuation are written as entities: Mermaid reads labels as HTML and Markdown. */
function quoted(texts: readonly string[]): string {
  const escaped = texts.map((text) =>
    text.replaceAll(/[^\p{L}\p{N} .,:/?!()=+'…_-]/gu, (character) => `#${character.codePointAt(0)};`),
  );
  return `"${escaped.join('<br>')}"`;
}
