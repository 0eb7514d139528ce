import { didYouMean } from '../../base/document/did-you-mean.js';
import { positionAt } from '../../base/document/locate-pointer.js';
import type { Place, ShortForm } from '../../base/document/placed-value.js';
import { asExpression, describeType, quoteName } from '../../base/document/read-fields.js';
import { offsetWithin, sourceOffset } from '../../base/document/source-positions.js';
import { pointerParts } from '../../base/json/pointer.js';
import { type Problem, ProblemError } from '../../base/problems/problem.js';
import type { Code } from '../../base/problems/registry.js';
import type { Expression, Target } from '../../engine/definition/definition.js';
import type { Site, SiteKind } from '../../expressions/expression-engine-interface.js';
import { siteMatrix, siteNames } from '../../expressions/sites-and-allowed-languages.js';
import { recordCallbacks } from './check-callback-urls.js';
import type { GraphReading, Reading, WrittenExpression } from './document-reading-state.js';
import { noteLongForm, noteShortForm } from './note-short-and-long-forms.js';
import { checkPlatformPath } from './read-templates.js';

/** Bindings of every expression; sites add their own. */
export const commonBindings = ['context', 'payload', 'error', 'platform'] as const;

/** All bindings that any expression of a journey may have. */
const everywhere = [
  ...commonBindings,
  'branches',
  'branchOutcomes',
  'results',
  'failures',
  'closed',
  'result',
  'item',
  'index',
  'output',
  'outcome',
];

/** Sites whose expression must return true or false. */
const predicates: ReadonlySet<SiteKind> = new Set<SiteKind>(['predicate', 'outcome', 'compensation']);

/** The site of an expression: its kind and its bindings. */
export interface ExpressionSite {
  kind: SiteKind;
  reading: Reading;
  bindings?: readonly string[];
  /** Set if the result must be an object: the code of the error otherwise. */
  object?: Code | undefined;
  /** Replaces `commonBindings`. */
  common?: readonly string[];
}

/** The site of an expression inside a graph. */
export function siteIn(within: GraphReading, kind: SiteKind, bindings: readonly string[] = []): ExpressionSite {
  return { kind, reading: within.reading, bindings: [...within.bindings, ...bindings] };
}

/** The site of a mapper that writes to `target`. Only a variable accepts values that are not objects. */
export function siteOf(within: GraphReading, target: Target | undefined): ExpressionSite {
  const site = siteIn(within, 'mapper');
  return !target || target.kind === 'var' ? site : { ...site, object: 'TRANSFORM_NOT_OBJECT' };
}

/** The fields by which a block holds a mapper: `mapper`, `mapperRef`, or (a short form) `expr` with an optional `lang`. */
export const mapperKeys: readonly string[] = ['mapper', 'mapperRef', 'lang', 'expr'];

/** Whether a block holds a mapper. */
export function hasMapper(block: Place): boolean {
  return mapperKeys.some((key) => block.has(key));
}

/** Reads `{lang, expr}`. As short forms, `lang` may be left out, and a text is the expression. Findings point into the expression's own text. */
export function expression(
  place: Place,
  site: ExpressionSite,
  missing: Code = 'EXPR_REQUIRED',
): Expression | undefined {
  if (!place.object && typeof place.value !== 'string') {
    const name = pointerParts(place.pointer).at(-1);
    if (place.value === undefined) place.error(missing, `There is no ${name} here.`, `Write ${name}: { expr: … }.`);
    else place.error(missing, `An expression is expected, not ${describeType(place.value)}.`, asExpression);
    return undefined;
  }
  if (place.has('mapper') && !place.has('lang') && !place.has('expr')) {
    const hint = 'Write expr here, without mapper around it.';
    place.at('mapper').error('UNKNOWN_FIELD', '"mapper" is not a field here.', hint, 'key');
    return undefined;
  }
  place.only(['lang', 'expr']);
  return compiled(writtenExpression(place, site.reading.lang), site);
}

/** The text of an expression. YAML reads unquoted braces as an object and an unquoted `true` as a boolean, hence the hint. */
function expressionText(place: Place): string | undefined {
  const { value } = place;
  if (typeof value === 'string' && value.trim() !== '') return value;
  if (value === undefined || value === null || typeof value === 'string')
    place.error('EXPR_REQUIRED', 'The expression is missing or empty.');
  else {
    const hint = 'Put the expression in quotes, or on lines of its own after expr: |.';
    place.error('EXPR_REQUIRED', `YAML reads this as ${describeType(value)}, and an expression is a text.`, hint);
  }
  return undefined;
}

/**
 * Reads an expression at `place`: a text, or `expr` with an optional `lang`. `wrap` is the field in which the language writes it out;
 * without one, only a missing `lang` makes it a short form.
 */
export function writtenExpression(
  place: Place,
  defaultLang: string,
  wrap?: ShortForm['wrap'],
): WrittenExpression | undefined {
  const isText = typeof place.value === 'string';
  const text = isText ? place : place.at('expr');
  const expr = expressionText(text);
  const own = place.at('lang');
  const lang = own.value === undefined ? defaultLang : own.value;
  if (typeof lang !== 'string' || lang === '') {
    own.error('EXPR_REQUIRED', 'The expression does not name its language.');
    return undefined;
  }
  if (expr === undefined) return undefined;
  const { pointer } = place;
  if (wrap !== undefined || own.value === undefined) noteShortForm(text, { pointer, wrap, lang }, expr);
  if (lang === defaultLang && own.value !== undefined) noteLongForm(place, { acceptsText: wrap !== 'mapper' });
  return { expression: { lang, expr }, text, lang: own.value === undefined ? text : own };
}

/** A block that holds `mapper` or `mapperRef`, or (a short form) the expression itself. */
export function mapperIn(block: Place, site: ExpressionSite, missing: Code = 'EXPR_REQUIRED'): Expression | undefined {
  const [form, other] = ['mapper', 'mapperRef', 'expr'].filter((key) => block.has(key));
  if (other !== undefined) {
    block.at(other).error('MAPPER_BOTH', `${form} and ${other} are both given.`, undefined, 'key');
    return undefined;
  }
  if (block.has('lang') && form !== 'expr') {
    const hint = form === 'mapper' ? 'It belongs one level deeper, under mapper.' : undefined;
    if (form === undefined) expressionText(block.at('expr'));
    else block.at('lang').error('UNKNOWN_FIELD', '"lang" is not a field here.', hint ?? 'Remove it.', 'key');
    return undefined;
  }
  if (form === 'mapperRef') return namedMapper(block.at('mapperRef'), site);
  if (form === 'expr') return compiled(writtenExpression(block, site.reading.lang, 'mapper'), site);
  const place = block.at(block.at('expr').isMisspelt ? 'expr' : 'mapper');
  if (place.value !== undefined) noteLongForm(block, { wrap: 'mapper', acceptsText: false });
  if (place.value !== undefined) return expression(place, site, missing);
  place.error(missing, 'There is no expression here.', 'Write expr: with the expression.');
  return undefined;
}

/** Reads a field that holds nothing but a mapper. A text is the expression: only for fields in which it cannot be mistaken for a literal. */
export function mapper(place: Place, site: ExpressionSite): Expression | undefined {
  if (typeof place.value === 'string') return compiled(writtenExpression(place, site.reading.lang, 'mapper'), site);
  place.only(mapperKeys);
  return mapperIn(place, site);
}

function namedMapper(place: Place, site: ExpressionSite): Expression | undefined {
  const found = typeof place.value === 'string' ? site.reading.mappers.get(place.value) : undefined;
  if (!found) {
    const hint = didYouMean(place.value, site.reading.mappers.keys());
    place.error('MAPPER_UNKNOWN', `There is no mapper ${quoteName(place.value)}.`, hint);
    return undefined;
  }
  found.used = true;
  check(found, site, place);
  return found.expression;
}

/** Reads an expression in its place, or by name. */
export function expressionOrRef(place: Place, site: ExpressionSite, missing?: Code): Expression | undefined {
  if (!place.has('mapperRef')) return expression(place, site, missing);
  place.only(['mapperRef']);
  return namedMapper(place.at('mapperRef'), site);
}

/** The fields by which a block holds a condition. */
export const conditionKeys: readonly string[] = ['predicate', 'mapperRef', 'lang', 'expr'];

/** Whether a block, or the whole of a `when`, holds a condition. */
export function hasCondition(when: Place): boolean {
  return typeof when.value === 'string' || conditionKeys.some((key) => when.has(key));
}

/** Reads the condition of a block: `predicate`, or (short forms) the predicate itself or a text. */
export function predicateIn(when: Place, site: ExpressionSite): Expression | undefined {
  const [form, other] = ['predicate', 'mapperRef', 'expr'].filter((key) => when.has(key));
  if (other !== undefined) {
    when.at(other).error('MAPPER_BOTH', `${form} and ${other} are both given.`, undefined, 'key');
    return undefined;
  }
  if (form === 'mapperRef') {
    const ref = when.at('mapperRef');
    noteNamedPredicate(ref, when, site);
    return namedMapper(ref, site);
  }
  if (form !== 'predicate') return compiled(writtenExpression(when, site.reading.lang, 'predicate'), site);
  if (when.has('lang'))
    when.at('lang').error('UNKNOWN_FIELD', '"lang" is not a field here.', 'It belongs one level deeper.', 'key');
  noteLongForm(when, { wrap: 'predicate', acceptsText: true });
  return predicate(when.at('predicate'), site);
}

/** Reads a predicate: an expression, or, as an extension, `mapperRef` with the id of a mapper that returns true or false. */
export function predicate(place: Place, site: ExpressionSite): Expression | undefined {
  if (place.has('mapperRef')) noteNamedPredicate(place.at('mapperRef'), place, site);
  return expressionOrRef(place, site, 'PREDICATE_REQUIRED');
}

/** Reports a predicate by name, which is an extension. */
function noteNamedPredicate(ref: Place, around: Place, { reading }: ExpressionSite): void {
  const { compat, forms } = around.report;
  if (!compat) ref.error('PREDICATE_EXTENSION', 'The language writes predicates out.', undefined, 'key');
  const wrap = pointerParts(around.pointer).at(-1) === 'predicate' ? undefined : 'predicate';
  const found = reading.mappers.get(String(ref.value));
  if (found) forms?.short.push({ pointer: around.pointer, wrap, ...found.expression });
}

/** Compiles the named mappers that nothing refers to, so that their errors are reported before their first use. */
export function checkUnusedMappers(reading: Reading, common: readonly string[] = everywhere): void {
  for (const mapper of reading.mappers.values()) if (!mapper.used) check(mapper, { kind: 'mapper', reading, common });
}

function compiled(written: WrittenExpression | undefined, site: ExpressionSite): Expression | undefined {
  if (written) check(written, site);
  return written?.expression;
}

/** Compiles an expression for a site. `user` is the place that refers to a named mapper. */
function check(
  { expression: { lang, expr }, text: place, lang: langPlace }: WrittenExpression,
  { kind, reading, bindings = [], common = commonBindings, object }: ExpressionSite,
  user = langPlace,
): void {
  const { compat } = place.report;
  for (const [, path] of expr.matchAll(/(?<![\w.$"'`])platform((?:\.[A-Za-z_]\w*)+)/g))
    checkPlatformPath(place, path!.slice(1).split('.'), reading);
  recordCallbacks(place, expr, reading, bindings);
  const site: Site = { kind, bindings: [...common, ...bindings], mode: compat ? 'journey' : 'strict' };
  if (Object.hasOwn(siteMatrix, lang) && !siteMatrix[lang]!.has(kind)) {
    const code = kind === 'join' ? 'PAR_JOIN_LANG' : 'LANG_SITE';
    user.error(code, `${lang} cannot be used for ${siteNames[kind]}.`);
    return;
  }
  try {
    const compiled = reading.compile({ lang, expr }, site);
    const { lints, neverBoolean, neverObject } = compiled;
    reading.uses.push({ place, user, predicate: predicates.has(kind), reads: compiled });
    if (neverBoolean && predicates.has(kind))
      place.error('PREDICATE_NOT_BOOLEAN', 'A predicate must return true or false, and this expression never does.');
    if (object && neverObject)
      place.error(object, 'The result must be an object, and this expression never returns one.');
    for (const lint of lints)
      place.warn(lint.code as Code, lint.message, lint.hint, within(place, lint.line, lint.column));
  } catch (error) {
    report(place, langPlace, error);
  }
}

function report(place: Place, lang: Place, error: unknown): void {
  if (!(error instanceof ProblemError)) {
    place.error('DW_ENGINE_INTERNAL_ERROR', `The expression cannot be compiled: ${String(error).slice(0, 200)}.`);
    return;
  }
  const { code, detail, title, hint, line, column } = error.problem as Problem & { line?: number; column?: number };
  // The engine reports a position within the expression; the finding has its position in the document.
  const message = (detail ?? title).replace(/ \(line \d+, column \d+\)$/, '');
  if (code === 'LANG_UNKNOWN' || code === 'LANG_SITE') {
    lang.error(code, message, hint);
    return;
  }
  place.error(code as Code, message, hint, within(place, line, column));
}

/** The offset in the document of a line and column within the text of an expression. */
function within(text: Place, line?: number, column?: number): { offset: number } | undefined {
  if (line === undefined) return undefined;
  return offsetIn(text, offsetWithin(text.value as string, { line, column: column ?? 1 }));
}

/** The offset in the document of a character within a text. */
export function offsetIn(place: Place, offset: number): { offset: number } | undefined {
  const { source } = place.report;
  const found = positionAt(source, place.pointer);
  if (!found?.own || typeof place.value !== 'string') return undefined;
  return { offset: sourceOffset(source.lines.text, found.position, place.value, offset) };
}
