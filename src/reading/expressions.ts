import type { Expression, Target } from '../definition/definition.js';
import { describe, named } from '../document/fields.js';
import { positionAt } from '../document/locate.js';
import type { Place } from '../document/place.js';
import { offsetWithin, sourceOffset } from '../document/positions.js';
import { didYouMean } from '../document/suggest.js';
import type { Site, SiteKind } from '../expressions/expression.js';
import { siteMatrix, siteNames } from '../expressions/sites.js';
import { pointerParts } from '../json/pointer.js';
import { type Problem, ProblemError } from '../problems/problem.js';
import type { Code } from '../problems/registry.js';
import { noteCallbacks } from './callbacks.js';
import type { GraphReading, Reading } from './reading.js';
import { checkPlatformPath } from './template.js';

/** What every expression sees; sites add their own. */
export const commonBindings = ['context', 'payload', 'error', 'platform'] as const;

/** What some expression of a journey sees. */
const everywhere = [
  ...commonBindings,
  'branches',
  'branchOutcomes',
  'results',
  'failures',
  'item',
  'index',
  'output',
  'outcome',
];

/** Where true or false is needed. */
const predicates: ReadonlySet<SiteKind> = new Set<SiteKind>(['predicate', 'outcome', 'compensation']);

/** Where an expression stands. */
export interface ExpressionSite {
  kind: SiteKind;
  reading: Reading;
  bindings?: readonly string[];
  /** The run refuses anything but an object here, with this code. */
  object?: Code | undefined;
  /** What takes the place of the bindings that every expression of a journey has. */
  common?: readonly string[];
}

/** The site of an expression inside a graph. */
export function siteIn(within: GraphReading, kind: SiteKind, bindings: readonly string[] = []): ExpressionSite {
  return { kind, reading: within.reading, bindings: [...within.bindings, ...bindings] };
}

/** The site of a mapper whose result goes to `target`: only a variable takes anything. */
export function siteOf(within: GraphReading, target: Target | undefined): ExpressionSite {
  const site = siteIn(within, 'mapper');
  return !target || target.kind === 'var' ? site : { ...site, object: 'TRANSFORM_NOT_OBJECT' };
}

/** `{lang, expr}`: both must be there, and the expression must compile. Findings point into the expression's own text. */
export function expression(
  place: Place,
  site: ExpressionSite,
  missing: Code = 'EXPR_REQUIRED',
): Expression | undefined {
  if (!place.object) {
    const name = pointerParts(place.pointer).at(-1);
    if (place.value === undefined)
      place.error(missing, `There is no ${name} here.`, `Write ${name}: { lang: dataweave, expr: … }.`);
    else {
      const hint = 'Write it as { lang: dataweave, expr: … }.';
      place.error(missing, `An expression with lang and expr is expected, not ${describe(place.value)}.`, hint);
    }
    return undefined;
  }
  if (place.has('mapper') && !place.has('lang') && !place.has('expr')) {
    const hint = 'Write lang and expr here, without mapper around them.';
    place.at('mapper').error('UNKNOWN_FIELD', '"mapper" is not a field here.', hint, 'key');
    return undefined;
  }
  place.only(['lang', 'expr']);
  const lang = place.at('lang').value;
  if (typeof lang !== 'string' || lang === '')
    place.at('lang').error('EXPR_REQUIRED', 'The expression does not name its language.');
  const expr = expressionText(place.at('expr'));
  if (typeof lang !== 'string' || lang === '' || expr === undefined) return undefined;
  check(place, { lang, expr }, site);
  return { lang, expr };
}

/** The text of an expression. Braces without quotes around them are an object of YAML's, and `true` is no text. */
export function expressionText(place: Place): string | undefined {
  const { value } = place;
  if (typeof value === 'string' && value.trim() !== '') return value;
  if (value === undefined || value === null || typeof value === 'string')
    place.error('EXPR_REQUIRED', 'The expression is missing or empty.');
  else {
    const hint = 'Put the expression in quotes, or on lines of its own after expr: |.';
    place.error('EXPR_REQUIRED', `YAML reads this as ${describe(value)}, and an expression is a text.`, hint);
  }
  return undefined;
}

/** A block that holds `mapper` or `mapperRef`. */
export function mapperIn(block: Place, site: ExpressionSite, missing: Code = 'EXPR_REQUIRED'): Expression | undefined {
  if (block.has('mapper') && block.has('mapperRef')) {
    block.at('mapperRef').error('MAPPER_BOTH', 'mapper and mapperRef are both given.', undefined, 'key');
    return undefined;
  }
  if (!block.has('mapperRef')) return expression(block.at('mapper'), site, missing);
  const place = block.at('mapperRef');
  const found = typeof place.value === 'string' ? site.reading.mappers.get(place.value) : undefined;
  if (!found) {
    const hint = didYouMean(place.value, site.reading.mappers.keys());
    place.error('MAPPER_UNKNOWN', `There is no mapper ${named(place.value)}.`, hint);
    return undefined;
  }
  found.used = true;
  check(found.place, found.expression, site, place);
  return found.expression;
}

/** A predicate: `{lang, expr}`, or, an extension of ours, `mapperRef` with the id of one that gives true or false. */
export function predicate(place: Place, site: ExpressionSite): Expression | undefined {
  if (!place.has('mapperRef')) return expression(place, site, 'PREDICATE_REQUIRED');
  place.only(['mapperRef']);
  if (!place.report.compat)
    place.at('mapperRef').error('PREDICATE_EXTENSION', 'The language writes predicates out.', undefined, 'key');
  return mapperIn(place, site);
}

/** Compiles the named mappers that nothing refers to: a fault in one should not wait for its first use. */
export function checkUnusedMappers(reading: Reading, common: readonly string[] = everywhere): void {
  for (const { place, expression, used } of reading.mappers.values())
    if (!used) check(place, expression, { kind: 'mapper', reading, common });
}

/** Whether a block holds `mapper` or `mapperRef`. */
export function hasMapper(block: Place): boolean {
  return block.has('mapper') || block.has('mapperRef');
}

/** Compiles the expression at `place` for a site; `user` is the place that refers to a named one. */
function check(
  place: Place,
  { lang, expr }: Expression,
  { kind, reading, bindings = [], common = commonBindings, object }: ExpressionSite,
  user = place.at('lang'),
): void {
  const { compat } = place.report;
  for (const [, path] of expr.matchAll(/(?<![\w.$"'`])platform((?:\.[A-Za-z_]\w*)+)/g))
    checkPlatformPath(place, path!.slice(1).split('.'), reading);
  noteCallbacks(place, expr, reading);
  const site: Site = { kind, bindings: [...common, ...bindings], mode: compat ? 'journey' : 'strict' };
  if (Object.hasOwn(siteMatrix, lang) && !siteMatrix[lang]!.has(kind)) {
    const code = kind === 'join' ? 'PAR_JOIN_LANG' : 'LANG_SITE';
    user.error(code, `${lang} cannot be used for ${siteNames[kind]}.`);
    return;
  }
  try {
    const compiled = reading.compile({ lang, expr }, site);
    const { lints, neverBoolean, neverObject } = compiled;
    reading.uses.push({ place, user, reads: compiled });
    if (neverBoolean && predicates.has(kind)) {
      const at = place.has('expr') ? place.at('expr') : place;
      at.error('PREDICATE_NOT_BOOLEAN', 'A predicate gives true or false, and this never does.');
    }
    if (object && neverObject) {
      const at = place.has('expr') ? place.at('expr') : place;
      at.error(object, 'An object is needed here, and this never gives one.');
    }
    for (const lint of lints) {
      const spot = within(place, expr, lint.line, lint.column);
      const target = spot === undefined ? place : place.at('expr');
      target.warn(lint.code as Code, lint.message, lint.hint, spot);
    }
  } catch (error) {
    report(place, expr, error);
  }
}

function report(place: Place, expr: string, error: unknown): void {
  if (!(error instanceof ProblemError)) {
    place.error('DW_ENGINE_INTERNAL_ERROR', `The expression cannot be compiled: ${String(error).slice(0, 200)}.`);
    return;
  }
  const { code, detail, title, hint, line, column } = error.problem as Problem & { line?: number; column?: number };
  // The engine's own place is relative to the expression; the finding has the document's.
  const message = (detail ?? title).replace(/ \(line \d+, column \d+\)$/, '');
  if (code === 'LANG_UNKNOWN' || code === 'LANG_SITE') {
    place.at('lang').error(code, message, hint);
    return;
  }
  const spot = within(place, expr, line, column);
  (spot === undefined ? place : place.at('expr')).error(code as Code, message, hint, spot);
}

/** The document's offset of a line and column inside an inline expression. */
function within(place: Place, expr: string, line?: number, column?: number): { offset: number } | undefined {
  if (line === undefined || !place.has('expr')) return undefined;
  return spotIn(place.at('expr'), offsetWithin(expr, { line, column: column ?? 1 }));
}

/** The document's offset of a character inside a text. */
export function spotIn(place: Place, offset: number): { offset: number } | undefined {
  const { source } = place.report;
  const found = positionAt(source, place.pointer);
  if (!found?.own || typeof place.value !== 'string') return undefined;
  return { offset: sourceOffset(source.lines.text, found.position, place.value, offset) };
}
