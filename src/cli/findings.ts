import { relative } from 'node:path';
import { safe } from '../app/terminal.js';
import type { FolderLibrary } from '../library/library.js';

/** Prints what keeps journeys out of the library; warnings are for `journeyman validate`. */
export function printFindings({ findings }: Pick<FolderLibrary, 'findings'>): void {
  for (const { file, line, column, code, message, hint, severity } of findings) {
    if (severity !== 'error') continue;
    const place = line === undefined ? '' : `:${line}:${column ?? 1}`;
    console.error(safe(`${relative('.', file)}${place} ${code} ${message}${hint ? ` (${hint})` : ''}`));
  }
}
