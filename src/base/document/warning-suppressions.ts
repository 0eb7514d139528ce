import { Lexer } from 'yaml';
import { specCodes } from '../problems/codes/spec.js';
import type { Finding } from '../problems/problem.js';
import { type Code, registry } from '../problems/registry.js';
import { didYouMean } from './did-you-mean.js';

/** A comment that acknowledges warnings: their codes, then an optional reason. */
const mark = /^#+\s*journeyman-allow:((?:[\s,]+[A-Z][A-Z\d_]+\b)*)/;

/** A code that one document does not show, so its acknowledgement is never reported as unmatched. */
const ofManyDocuments: Code = 'WORKFLOW_JOURNEY';

/** The codes that a comment acknowledges, and the lines that it covers, counted from 1. */
interface Allowance {
  readonly codes: readonly string[];
  readonly from: number;
  readonly to: number;
  readonly line: number;
  readonly column: number;
}

/**
 * Removes the warnings that comments in the text acknowledge, and adds one for each acknowledgement that matches none. Errors stay. A
 * text with errors was not checked completely, so unmatched acknowledgements in it are not reported.
 */
export function applySuppressions(text: string, findings: readonly Finding[]): Finding[] {
  if (!text.includes('journeyman-allow:')) return [...findings];
  const used = new Set<string>();
  const allowances = allowancesIn(text);
  const left = findings.filter((finding) => {
    const matching = allowances.filter((it) => covers(it, finding));
    if (finding.severity === 'error' || matching.length === 0) return true;
    for (const { line: at } of matching) used.add(`${at} ${finding.code}`);
    return false;
  });
  if (left.some(({ severity }) => severity === 'error')) return left;
  const unused = allowances.flatMap(({ codes, line, column }) =>
    codes.length === 0
      ? [unusedAt(undefined, line, column)]
      : codes
          .filter((code) => !used.has(`${line} ${code}`) && code !== ofManyDocuments)
          .map((code) => unusedAt(code, line, column)),
  );
  return [...left, ...unused];
}

/** Whether a comment in the text acknowledges a warning that arose in combination with other documents. */
export function isSuppressed(text: string, warning: Finding): boolean {
  return text.includes('journeyman-allow:') && allowancesIn(text).some((it) => covers(it, warning));
}

function covers({ codes, from, to }: Allowance, { code, line = 0 }: Finding): boolean {
  return codes.includes(code) && from <= line && line <= to;
}

function unusedAt(code: string | undefined, line: number, column: number): Finding {
  const isKnown = code !== undefined && Object.hasOwn(registry, code);
  const { hint } = registry.ALLOW_UNUSED;
  return {
    code: 'ALLOW_UNUSED',
    severity: 'warning',
    message: code === undefined ? 'The comment does not name a code.' : `There is no warning ${code} here.`,
    pointer: '',
    line,
    column,
    hint: (isKnown ? undefined : didYouMean(code, Object.keys(specCodes))) ?? hint,
  };
}

function allowancesIn(text: string): Allowance[] {
  const lines = text.split('\n');
  return commentsIn(text).flatMap(({ line, column, comment }) => {
    const said = mark.exec(comment)?.[1];
    if (said === undefined) return [];
    const codes = said.split(/[\s,]+/).slice(1);
    const isAlone = lines[line - 1]!.slice(0, column - 1).trim() === '';
    const from = isAlone ? entryAfter(lines, line) : line;
    return [{ codes, from, to: entryEnd(lines, from), line, column }];
  });
}

/** The first line of the entry below a comment. */
function entryAfter(lines: readonly string[], line: number): number {
  return lineFrom(lines, line + 1, (it) => !/^\s*(#|$)/.test(it)) ?? line;
}

/** The last line of the entry that begins at a line; deeper indented lines belong to it. */
function entryEnd(lines: readonly string[], from: number): number {
  const indent = indentOf(lines[from - 1] ?? '');
  const after = lineFrom(lines, from + 1, (it) => it.trim() !== '' && indentOf(it) <= indent);
  return after === undefined ? lines.length : after - 1;
}

function lineFrom(lines: readonly string[], from: number, test: (line: string) => boolean): number | undefined {
  for (let line = from; line <= lines.length; line += 1) if (test(lines[line - 1]!)) return line;
  return undefined;
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

/** The comments of a YAML text, without text values that look like one. */
function commentsIn(text: string): { line: number; column: number; comment: string }[] {
  const found: { line: number; column: number; comment: string }[] = [];
  let [line, column, before] = [1, 1, ''];
  for (const token of new Lexer().lex(text)) {
    if (token.startsWith('#') && before !== scalarMark) found.push({ line, column, comment: token });
    before = token;
    if (marks.has(token)) continue;
    const breaks = token.split('\n').length - 1;
    line += breaks;
    column = breaks === 0 ? column + token.length : token.length - token.lastIndexOf('\n');
  }
  return found;
}

/** Marks that the lexer inserts: a scalar follows, a document begins, a flow collection ends early. */
const scalarMark = '\u001f';
const marks = new Set([scalarMark, '\u0002', '\u0018']);
