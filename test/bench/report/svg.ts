import type { ContestantName } from '../contestants/contestant.js';

/** Width of all charts. */
export const width = 420;

const names: readonly ContestantName[] = ['journeyman', 'by-hand', 'interpreter', 'zigflow'];
const colours: Readonly<Record<'light' | 'dark', readonly string[]>> = {
  light: ['#0969da', '#6e7781', '#8250df', '#bc4c00'],
  dark: ['#4493f8', '#9198a1', '#ab7df8', '#f0883e'],
};
const theme = (scheme: 'light' | 'dark', rest: string): string =>
  `${names.map((name, i) => `--${name}:${colours[scheme][i]};`).join('')}${rest}`;

const style = `svg{color-scheme:light dark;${theme('light', '--page:#fff;--line:#d1d9e0;--text:#1f2328;--dim:#59636e')};font:12px system-ui,sans-serif}@media(prefers-color-scheme:dark){svg{${theme('dark', '--page:#0d1117;--line:#3d444d;--text:#e6edf3;--dim:#9198a1')}}}.page{fill:var(--page)}text{fill:var(--text)}.dim{fill:var(--dim)}.title{font-weight:600}.grid{stroke:var(--line)}.spread{stroke:var(--text);stroke-width:1.5;opacity:.6}.end{text-anchor:end}.middle{text-anchor:middle}`;

/** The colour of a contestant, the same in all charts. */
export const colour = (contestant: ContestantName): string => `var(--${contestant})`;

/** A drawing with a title, readable in light and dark. */
export function drawing(title: string, note: string, height: number, parts: readonly string[]): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>${escaped(title)}</title>
<style>${style}</style>
<rect class="page" width="100%" height="100%"/>
${text(12, 22, title, 'title')}
${text(12, 38, note, 'dim')}
${parts.join('\n')}
</svg>
`;
}

/** A text to the left of a point, or aligned by its class. */
export function text(x: number, y: number, content: string, kind = '', fill = ''): string {
  const look = `${kind && ` class="${kind}"`}${fill && ` style="fill:${fill}"`}`;
  return `<text x="${round(x)}" y="${round(y)}"${look}>${escaped(content)}</text>`;
}

/** A straight line. */
export function line(x1: number, y1: number, x2: number, y2: number, kind: string): string {
  return `<path class="${kind}" d="M${round(x1)} ${round(y1)}L${round(x2)} ${round(y2)}"/>`;
}

/** A coordinate rounded to a tenth of a pixel. */
export const round = (value: number): number => Math.round(value * 10) / 10;

const escaped = (content: string): string =>
  content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
