import { relative } from 'node:path';
import { type Paint, paint, safe } from '../app/terminal.js';
import type { FileFinding } from '../library/files.js';
import type { FolderLibrary } from '../library/library.js';

/** Prints what keeps journeys out of the library; warnings are for `journeyman validate`. */
export function printFindings({ findings }: Pick<FolderLibrary, 'findings'>): void {
  for (const finding of findings) if (finding.severity === 'error') console.error(findingLine(finding));
}

/** A finding as one line: its place, how bad it is, its code, what is wrong and what to do. */
export function findingLine(
  { file, line, column, severity, code, message, hint }: FileFinding,
  colours: Paint = paint(process.stderr),
): string {
  const place = line === undefined ? '' : `:${line}:${column ?? 1}`;
  const level = severity === 'error' ? colours.red(severity) : colours.yellow(severity);
  return `${safe(relative('.', file) || file)}${place} ${level} ${code} ${safe(message)}${hint ? colours.dim(` (${hint})`) : ''}`;
}
