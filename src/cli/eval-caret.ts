import { safe, safeLines } from '../app/terminal.js';
import type { Problem } from '../problems/problem.js';

/** A problem with an expression, for people: the line it is about, and a caret under the place. */
export function withCaret(it: Problem, source: string): string {
  const lines = [safeLines(`${it.code}: ${it.detail ?? it.title}`)];
  const { line, column } = it as { line?: unknown; column?: unknown };
  if (typeof line === 'number') {
    const text = source.split('\n')[line - 1] ?? '';
    const margin = String(line);
    lines.push('', `  ${margin} | ${shownSource(text)}`);
    if (typeof column === 'number') {
      lines.push(
        `  ${' '.repeat(margin.length)} | ${' '.repeat(Math.max(0, column - 1))}${'^'.repeat(widthOf(it, text))}`,
      );
    }
  }
  if (it.hint) lines.push('', `hint: ${safeLines(it.hint)}`);
  return lines.join('\n');
}

/** One character for each, so that the caret stays in place. */
function shownSource(text: string): string {
  return [...text.replaceAll('\t', ' ').trimEnd()].map((char) => (safe(char) === char ? char : '\ufffd')).join('');
}

function widthOf(it: Problem, text: string): number {
  const { length, column } = it as { length?: unknown; column?: number };
  if (typeof length !== 'number') return 1;
  return Math.max(1, Math.min(length, text.length - (column ?? 1) + 1));
}
