import { relative } from 'node:path';
import { type Paint, paint, safe } from '../../app/safe-terminal-text.js';
import type { FileFinding } from '../../library/find-files.js';

/** Prints findings of the library: errors, and warnings if requested. */
export function printFindings(
  { findings }: { readonly findings: readonly FileFinding[] },
  least: FileFinding['severity'] = 'error',
): void {
  for (const finding of findings) {
    if (finding.severity === 'error' || least === 'warning') console.error(findingLine(finding));
  }
}

/** A finding as one line: location, severity, code, message and hint. */
export function findingLine(
  { file, line, column, severity, code, message, hint }: FileFinding,
  colours: Paint = paint(process.stderr),
): string {
  const place = line === undefined ? '' : `:${line}:${column ?? 1}`;
  const level = severity === 'error' ? colours.red(severity) : colours.yellow(severity);
  return `${safe(relative('.', file) || file)}${place} ${level} ${code} ${safe(message)}${hint ? colours.dim(` (${hint})`) : ''}`;
}

/** `2 errors, 1 warning`; undefined if there are no findings. */
export function findingCount(findings: readonly FileFinding[]): string | undefined {
  const of = (severity: FileFinding['severity'], word: string) => {
    const number = findings.filter((it) => it.severity === severity).length;
    return number === 0 ? [] : [`${number} ${word}${number === 1 ? '' : 's'}`];
  };
  const parts = [...of('error', 'error'), ...of('warning', 'warning')];
  return parts.length === 0 ? undefined : parts.join(', ');
}
