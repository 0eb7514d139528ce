import type { Diagram, DiagramEdge, DiagramGraph, DiagramNode } from './diagram.js';
import { edgeText, graphTitle, nodeLines } from './labels-and-sizes.js';

/** Writes a diagram in the DOT language of Graphviz. */
export function dotOf({ name, graphs }: Diagram): string {
  const clusters = graphs.flatMap((graph) => cluster(graph, '  '));
  return [
    `digraph ${quoted([name])} {`,
    '  compound=true; fontname="sans-serif";',
    '  node [shape=box, style=rounded, fontname="sans-serif"];',
    '  edge [fontname="sans-serif", fontsize=11];',
    ...clusters,
    ...graphs.flatMap(calls),
    '}\n',
  ].join('\n');
}

function cluster(graph: DiagramGraph, indent: string): string[] {
  const { key, nodes, edges } = graph;
  return [
    `${indent}subgraph ${quoted([`cluster ${key}`])} {`,
    `${indent}  label=${quoted([graphTitle(graph)])};`,
    ...nodes.flatMap((node) => drawn(node, `${indent}  `)),
    ...edges.map((edge) => `${indent}  ${quoted([edge.from])} -> ${quoted([edge.to])}${edgeStyle(edge)};`),
    `${indent}}`,
  ];
}

/** A state with graphs inside it is a cluster that contains a node for itself, to which edges can lead. */
function drawn(node: DiagramNode, indent: string): string[] {
  const itself = `${indent}${quoted([node.key])} [label=${quoted(nodeLines(node))}${nodeStyle(node)}];`;
  if (node.inner.length === 0) return [itself];
  const begins = node.inner.map(
    ({ key }) => `${indent}  ${quoted([node.key])} -> ${quoted([`${key}#start`])} [style=dotted];`,
  );
  return [
    `${indent}subgraph ${quoted([`cluster ${node.key}`])} {`,
    `${indent}  label="";`,
    `  ${itself}`,
    ...node.inner.flatMap((graph) => cluster(graph, `${indent}  `)),
    ...begins,
    `${indent}}`,
  ];
}

function calls({ nodes }: DiagramGraph): string[] {
  return nodes.flatMap(({ key, calls: called, inner }) => [
    ...called.map((graph) => `  ${quoted([key])} -> ${quoted([`${graph}#start`])} [style=dotted, arrowhead=empty];`),
    ...inner.flatMap(calls),
  ]);
}

function nodeStyle({ kind, ends, waitsFor }: DiagramNode): string {
  if (ends) return `, color="${ends === 'SUCCEEDED' ? '#1a7f37' : '#cf222e'}"`;
  if (waitsFor !== undefined && waitsFor !== 'result') return ', color="#9a6700"';
  return kind === 'state' ? '' : ', shape=oval';
}

function edgeStyle(edge: DiagramEdge): string {
  const fields = [
    ...(edge.label === '' ? [] : [`label=${quoted([edgeText(edge)])}`]),
    ...(edge.isMain ? ['weight=10', 'penwidth=2'] : []),
    ...(edge.kind === 'timeout' || edge.kind === 'failure' ? ['style=dashed'] : []),
  ];
  return fields.length === 0 ? '' : ` [${fields.join(', ')}]`;
}

/** A quoted string, one line per text. Graphviz reads HTML only outside quotes, but entities and escapes inside them too. */
function quoted(texts: readonly string[]): string {
  const escaped = texts.map((text) =>
    text
      .replaceAll('&', '&amp;')
      .replaceAll('\\', '\\\\')
      .replaceAll('"', '\\"')
      .replaceAll(/\p{Cc}/gu, ' '),
  );
  return `"${escaped.join('\\n')}"`;
}
