import { memo } from '../json/memo.js';
import type { Compiled, ExpressionEngine, Site } from './expression.js';

/** How many texts are remembered per language, and for how many sites each of them. */
const mostTexts = 5_000;
const mostSites = 20;

interface Known {
  readonly site: Site;
  readonly compiled: Compiled;
}

/**
 * `engine`, compiling an expression only once for each kind of site. Every run decodes its own copy of a definition, so
 * it is the text that is looked up; and it is looked up as it is, since most evaluations cost less than composing a key
 * would. A workflow bundle preloads this module, so that all runs of a worker share what is remembered.
 */
export function remembering(engine: ExpressionEngine): ExpressionEngine {
  const ofText = memo<Known[]>(mostTexts);
  const compile = (source: string, site: Site): Compiled => {
    const make = (): Known => ({ site, compiled: engine.compile(source, site) });
    const sites = ofText(source, () => [make()]);
    for (const known of sites) if (alike(known.site, site)) return known.compiled;
    const made = make();
    if (sites.length >= mostSites) sites.shift();
    sites.push(made);
    return made.compiled;
  };
  return { ...engine, compile };
}

function alike(a: Site, b: Site): boolean {
  if (a.kind !== b.kind || (a.mode ?? 'journey') !== (b.mode ?? 'journey')) return false;
  const { length } = a.bindings;
  if (length !== b.bindings.length) return false;
  for (let i = 0; i < length; i++) if (a.bindings[i] !== b.bindings[i]) return false;
  return true;
}
