import { nearestName } from '../base/problems/nearest-name.js';
import { refuse } from '../base/problems/problem.js';
import { dataweave } from './dataweave/index.js';
import type { CompiledExpression, ExpressionEngine, Site } from './expression-engine-interface.js';
import { jsonataEngine } from './jsonata/index.js';
import { siteMatrix, siteNames } from './sites-and-allowed-languages.js';

const engines: ReadonlyMap<string, ExpressionEngine> = new Map(
  [dataweave, jsonataEngine].map((engine) => [engine.id, engine]),
);

/** Supported expression languages. */
export const languages: readonly string[] = [...engines.keys()];

/** Finds the engine for a `lang`; throws LANG_UNKNOWN, with the nearest name if any. */
export function expressionEngine(id: string): ExpressionEngine {
  const engine = engines.get(id);
  if (engine) return engine;
  if (Object.hasOwn(siteMatrix, id)) {
    return refuse('LANG_UNKNOWN', `The language '${id}' is known but not supported by this engine`, {
      hint: `Use ${languages.join(' or ')}.`,
    });
  }
  const guess = nearestName(id, languages);
  return refuse('LANG_UNKNOWN', `Unknown expression language '${id.slice(0, 40)}'`, {
    hint: guess ? `Did you mean '${guess}'?` : `Use ${languages.join(' or ')}.`,
  });
}

/** Compiles an expression for a site; throws a ProblemError with the position within the expression. */
export function compileExpression({ lang, expr }: { lang: string; expr: string }, site: Site): CompiledExpression {
  const engine = expressionEngine(lang);
  if (!engine.sites.has(site.kind)) {
    refuse('LANG_SITE', `The language '${lang}' cannot be used for ${siteNames[site.kind]}`, {
      hint: `Use ${languages.filter((id) => engines.get(id)?.sites.has(site.kind)).join(' or ')}.`,
    });
  }
  return engine.compile(expr, site);
}
