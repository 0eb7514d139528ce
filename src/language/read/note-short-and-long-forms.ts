import type { LongForm, Place, ShortForm } from '../../base/document/placed-value.js';
import { oneOf } from '../../base/document/read-fields.js';
import { languages } from '../../expressions/index.js';

/** The longest expression that a hint repeats. */
const longest = 60;

/** Notes an expression in a short form: refused where only the language's own forms are accepted. */
export function noteShortForm(text: Place, form: ShortForm, expr: string): void {
  const { compat, forms } = text.report;
  forms?.short.push(form);
  if (compat) return;
  const shown =
    expr.length > longest || expr.includes('\n') ? '…' : /[,{}[\]"'#:&*!|>%@`]/.test(expr) ? quoted(expr) : expr;
  const full = `{ lang: ${form.lang}, expr: ${shown} }`;
  const long = form.wrap === undefined ? full : `${form.wrap}: ${full}`;
  text.error('EXPR_EXTENSION', 'The expression has a short form.', `Write ${long}.`, 'key');
}

/** Notes an expression that could be written in a short form. */
export function noteLongForm(place: Place, form: Omit<LongForm, 'pointer'>): void {
  place.report.forms?.long.push({ pointer: place.pointer, ...form });
}

/** Notes a field that was left out of `block`: refused where only the language's own forms are accepted. */
export function noteImplied(block: Place, key: string, value: string): void {
  const { compat, forms } = block.report;
  forms?.implied.push({ pointer: block.pointer, key, value });
  if (!compat) block.error('NAME_EXTENSION', `${key} is missing.`, `Write ${key}: ${value}.`, 'key');
}

/** Notes a field that could be left out. */
export function noteRedundant(block: Place, key: string): void {
  block.report.forms?.redundant.push({ pointer: block.pointer, key });
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** Reads `defaults.lang`: the language of expressions that name none. */
export function readDefaultLang(place: Place): string {
  if (place.value === undefined) return languages[0]!;
  if (!place.report.compat)
    place.error('EXPR_EXTENSION', 'The language has no default for lang.', 'Write lang in each expression.', 'key');
  return oneOf(place, languages, 'LANG_UNKNOWN', 'lang') ?? languages[0]!;
}
