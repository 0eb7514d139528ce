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

/** The compiled form of an expression for a site; throws a ProblemError with the position within the expression. */
export function compileExpression({ lang, expr }: { lang: string; expr: string }, site: Site): Compiled {
  const engine = expressionEngine(lang);
  if (!engine.sites.has(site.kind)) {
    refuse('LANG_SITE', `The language '${lang}' may not be used for ${siteNames[site.kind]}`, {
      hint: `Use ${languages.filter((id) => engines.get(id)?.sites.has(site.kind)).join(' or ')}.`,
    });
  }
  return engine.compile(expr, site);
}
