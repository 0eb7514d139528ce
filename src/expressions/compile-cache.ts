import { boundedCache } from '../base/json/bounded-cache.js';
import type { CompiledExpression, ExpressionEngine, Site } from './expression-engine-interface.js';

/** Cached texts per language, and cached sites per text. */
const mostTexts = 5_000;
const mostSites = 20;

interface Known {
  readonly site: Site;
  readonly compiled: CompiledExpression;
}

/**
 * Wraps `engine` so that it compiles an expression once per kind of site. Each run decodes its own copy of a definition, so the cache is
 * keyed by text, without normalising it, because most evaluations cost less than building a key. Workflow bundles preload this module, so
 * all runs of a worker share the cache.
 */
export function cacheCompiled(engine: ExpressionEngine): ExpressionEngine {
  const ofText = boundedCache<Known[]>(mostTexts);
  const compile = (source: string, site: Site): CompiledExpression => {
    const make = (): Known => ({ site, compiled: engine.compile(source, site) });
    const sites = ofText(source, () => [make()]);
    for (const known of sites) if (alike(known.site, site)) return known.compiled;
    const entry = make();
    if (sites.length >= mostSites) sites.shift();
    sites.push(entry);
    return entry.compiled;
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
