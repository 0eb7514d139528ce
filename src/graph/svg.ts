import type { Diagram } from './diagram.js';
import { type EdgeLine, pathOf } from './edge-lines.js';
import { type Box, edgeText, graphTitle, isMarker, nodeLines, round, sizes } from './labels-and-sizes.js';
import { type GraphBox, layoutDiagram, type NodeBox } from './layout-diagram.js';

/** Draws a diagram as a standalone SVG document, in the colours of the reader's light or dark theme. */
export function svgOf(diagram: Diagram): string {
  const { width, height, graphs } = layoutDiagram(diagram);
  const title = `${diagram.name} ${diagram.version}`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${round(width)} ${round(height)}" width="${round(width)}" height="${round(height)}" role="img">`,
    `<title>${escapeXml(title)}</title>`,
    `<style>${style}</style>`,
    arrowHead,
    ...graphs.flatMap(drawGraph),
    '</svg>\n',
  ].join('\n');
}

const style = `
svg{color-scheme:light dark;--page:#fff;--box:#f6f8fa;--line:#8c959f;--text:#1f2328;--dim:#59636e;--good:#1a7f37;--bad:#cf222e;--wait:#9a6700;font:13px system-ui,sans-serif}
@media(prefers-color-scheme:dark){svg{--page:#0d1117;--box:#161b22;--line:#656c76;--text:#e6edf3;--dim:#9198a1;--good:#3fb950;--bad:#f85149;--wait:#d29922}}
.page{fill:var(--page)}.graph{fill:var(--page);stroke:var(--line);stroke-dasharray:4 4}.box{fill:var(--box);stroke:var(--line)}
text{fill:var(--text)}.dim{fill:var(--dim)}.node>text{text-anchor:middle}.label{font-weight:600}
.good>.box{stroke:var(--good)}.bad>.box{stroke:var(--bad)}.parks>.box{stroke:var(--wait)}
.edge path{fill:none;stroke:var(--line);stroke-width:1.5}.main path{stroke:var(--text);stroke-width:2}.timeout path,.failure path{stroke-dasharray:5 4}
.edge text{fill:var(--dim);text-anchor:middle}.back{fill:var(--page)}`.replaceAll('\n', '');

const arrowHead =
  '<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0L8 4L0 8z" fill="context-stroke"/></marker></defs>\n<rect class="page" width="100%" height="100%"/>';

function drawGraph(box: GraphBox): string[] {
  const { key, nodes, edges } = box;
  return [
    `<g id="${escapeXml(key)}"><rect class="graph" ${rectangle(box)} rx="8"/>`,
    text(box.x + sizes.padding, box.y + sizes.line, graphTitle(box), 'dim'),
    ...edges.map(drawEdge),
    ...nodes.flatMap(drawNode),
    '</g>',
  ];
}

function drawNode(node: NodeBox): string[] {
  const lines = nodeLines(node);
  const middle = node.x + node.width / 2;
  const body = [
    `<g class="node ${look(node)}"><title>${escapeXml(titleOf(node))}</title>`,
    `<rect class="box" ${rectangle(node)} rx="${isMarker(node) || node.ends ? 13 : 6}"/>`,
    ...lines.map((line, i) => text(middle, node.y + (i + 1) * sizes.line, line, i === 0 ? 'label' : 'dim')),
    ...node.inner.flatMap(drawGraph),
    '</g>',
  ];
  const [called] = node.calls;
  return called === undefined ? body : [`<a href="#${escapeXml(encodeURI(called))}">`, ...body, '</a>'];
}

function titleOf({ label, caption, type }: NodeBox): string {
  return [label, ...(type === undefined ? [] : [`(${type})`]), caption].join(' ').trim();
}

function look({ ends, waitsFor }: NodeBox): string {
  if (ends) return ends === 'SUCCEEDED' ? 'good' : 'bad';
  return waitsFor === undefined || waitsFor === 'result' ? '' : 'parks';
}

function drawEdge(edge: EdgeLine): string {
  const { label, labelBox, points } = edge;
  const drawn = [`<g class="${edgeClass(edge)}"><path d="${pathOf(points)}" marker-end="url(#arrow)"/>`];
  if (labelBox) {
    drawn.push(`<title>${escapeXml(label)}</title><rect class="back" ${rectangle(labelBox)}/>`);
    drawn.push(text(labelBox.x + labelBox.width / 2, labelBox.y + sizes.line - 5, edgeText(edge)));
  }
  return `${drawn.join('')}</g>`;
}

function edgeClass({ kind, isMain }: EdgeLine): string {
  return `edge ${kind}${isMain ? ' main' : ''}`;
}

function rectangle({ x, y, width, height }: Box): string {
  return `x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}"`;
}

function text(x: number, y: number, content: string, className?: string): string {
  const of = className === undefined ? '' : ` class="${className}"`;
  return `<text x="${round(x)}" y="${round(y)}"${of}>${escapeXml(content)}</text>`;
}

/** Escapes a text for XML, and replaces characters that XML cannot contain. */
function escapeXml(content: string): string {
  return content
    .replaceAll(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, '\u{FFFD}')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
