import type { Diagram } from './diagram.js';
import { dotOf } from './dot.js';
import { layoutDiagram } from './layout-diagram.js';
import { mermaidOf } from './mermaid.js';
import { svgOf } from './svg.js';

/** The formats of drawings; `json` is the layout, for other programs that draw it. */
export const graphFormats = {
  mermaid: mermaidOf,
  dot: dotOf,
  svg: svgOf,
  json: (diagram: Diagram): string => `${JSON.stringify(layoutDiagram(diagram), null, 2)}\n`,
};
