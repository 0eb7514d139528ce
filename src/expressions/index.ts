import { nearest } from '../problems/nearest.js';
import { refuse } from '../problems/problem.js';
import { dataweave } from './dataweave/index.js';
import type { Compiled, ExpressionEngine, Site } from './expression.js';
import { jsonataEngine } from './jsonata/index.js';
import { siteMatrix, siteNames } from './sites.js';

const engines: ReadonlyMap<string, ExpressionEngine> = new Map(
  [dataweave, jsonataEngine].map((engine) => [engine.id, engine]),
);

/** The languages an expression may name. */
export const languages: readonly string[] = [...engines.keys()];

/** The engine for a `lang`; throws LANG_UNKNOWN, with the nearest name where there is one. */
export function expressionEngine(id: string): ExpressionEngine {
  const engine = engines.get(id);
  if (engine) return engine;
  if (Object.hasOwn(siteMatrix, id)) {
    return refuse('LANG_UNKNOWN', `The language '${id}' is known but not supported by this engine`, {
      hint: `Use ${languages.join(' or ')}.`,
    });
  }
  const guess = nearest(id, languages);
  return refuse('LANG_UNKNOWN', `There is no expression language '${id.slice(0, 40)}'`, {
    hint: guess ? `Did you mean '${guess}'?` : `Use ${languages.join(' or ')}.`,
  });
}

const mostKept = 5_000;
const kept = new Map<string, Compiled>();

/**
 * The compiled form of an expression for a site; throws a ProblemError with the place within the expression. Results are
 * kept (module-private and bounded, so that a workflow bundle can preload this module and share them between runs).
 */
export function compileExpression({ lang, expr }: { lang: string; expr: string }, site: Site): Compiled {
  const key = JSON.stringify([lang, site.kind, site.mode ?? 'journey', site.bindings, expr]);
  const known = kept.get(key);
  if (known) {
    kept.delete(key);
    kept.set(key, known);
    return known;
  }
  const engine = expressionEngine(lang);
  if (!engine.sites.has(site.kind)) {
    refuse('LANG_SITE', `The language '${lang}' may not be used for ${siteNames[site.kind]}`, {
      hint: `Use ${languages.filter((id) => engines.get(id)?.sites.has(site.kind)).join(' or ')}.`,
    });
  }
  const compiled = engine.compile(expr, site);
  kept.set(key, compiled);
  if (kept.size > mostKept) kept.delete(kept.keys().next().value as string);
  return compiled;
}
