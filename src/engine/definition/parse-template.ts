import { boundedCache } from '../../base/json/bounded-cache.js';

/** The root of a placeholder's path. `item` and `index` are those of a map. */
export type Root = 'context' | 'platform' | 'item' | 'index';

/** A part of a template: literal text, or the path of the value to insert at `at`. */
export type TemplatePart = { text: string } | { root: Root; path: string[]; at: number };

const placeholder = /^(?:(context|platform|item)((?:\.[^\s.[\]{}$]+)+)|(item|index))$/;

/** Whether a text contains anything that looks like a placeholder. */
export function hasPlaceholder(text: string): boolean {
  return text.includes('${');
}

/** Parsed templates. Definitions contain templates as written, and a worker parses each of them once. */
const remembered = boundedCache<ReturnType<typeof parse>>(5_000);

/** Splits `a${context.b.c}d` into its parts, or returns the index of the first malformed placeholder. */
export function parseTemplate(template: string): ReturnType<typeof parse> {
  return remembered(template, () => parse(template));
}

function parse(template: string): { parts: readonly TemplatePart[] } | { badAt: number } {
  const parts: TemplatePart[] = [];
  let from = 0;
  for (;;) {
    const at = template.indexOf('${', from);
    if (at === -1) break;
    const close = template.indexOf('}', at);
    const match = close === -1 ? null : placeholder.exec(template.slice(at + 2, close).trim());
    if (!match) return { badAt: at };
    if (at > from) parts.push({ text: template.slice(from, at) });
    const [, root, path, alone] = match;
    parts.push({ root: (root ?? alone) as Root, path: path === undefined ? [] : path.slice(1).split('.'), at });
    from = close + 1;
  }
  if (from < template.length) parts.push({ text: template.slice(from) });
  return { parts };
}
