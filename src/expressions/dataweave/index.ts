import type { Bindings, Env, ExpressionEngine, Limits } from '../expression.js';
import { remembering } from '../remembering.js';
import { siteMatrix } from '../sites.js';
import type { Ast } from './parse/ast.js';
import { parse } from './parse/parser.js';
import { type CompiledDataWeave, compileDataWeave, type DataWeaveOptions, type Detailed } from './program.js';

export type { Ast, Node, Span } from './parse/ast.js';
export { formatAst } from './parse/format-ast.js';
export { type CompiledDataWeave, compileDataWeave, type DataWeaveOptions, type Detailed } from './program.js';
export { readExactJson } from './runtime/json-text.js';

/** The syntax tree of `source`, with a span on every node; throws a ProblemError with line and column. */
export function parseDataWeave(source: string, options: DataWeaveOptions = {}): Ast {
  return parse(source, options.mode ?? 'journey');
}

/** Evaluates, and reports the JSON text and the fuel along with the value. */
export function evaluateDetailed(compiled: CompiledDataWeave, bindings: Bindings, env: Env, limits?: Limits): Detailed {
  return compiled.detailed(bindings, env, limits);
}

/** DataWeave behind the interface all expression languages share; remembers what it compiled. */
export const dataweave: ExpressionEngine = remembering({
  id: 'dataweave',
  sites: siteMatrix.dataweave!,
  compile: (source, { bindings, mode = 'journey' }) =>
    compileDataWeave(source, { bindings, mode, bindsReserved: true }),
});
