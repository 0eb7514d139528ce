import { readdir, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { Finding } from '../base/problems/problem.js';

/** A finding with its file. */
export type FileFinding = Finding & { file: string };

/** The name of a pipeline's file. */
export const pipelineFile = /\.pipeline\.(ya?ml|json)$/i;

/** Lists the files below folders whose names match, and the `wanted` ones among paths of files; each once. */
export async function filesIn(
  paths: readonly string[],
  pattern: RegExp,
  wanted: (path: string) => boolean = (path) => pattern.test(path),
): Promise<{ files: string[]; findings: FileFinding[] }> {
  const findings: FileFinding[] = [];
  const found = await Promise.all(
    paths.map(async (path) => {
      try {
        if (!(await stat(path)).isDirectory()) return wanted(path) ? [path] : [];
        const entries = await readdir(path, { recursive: true, withFileTypes: true });
        return entries
          .filter((entry) => entry.isFile() && pattern.test(entry.name))
          .filter((entry) => !entry.parentPath.split(sep).includes('node_modules'))
          .map((entry) => join(entry.parentPath, entry.name))
          .sort();
      } catch (error) {
        if (wanted(path)) findings.push(unreadable(path, (error as Error).message));
        return [];
      }
    }),
  );
  return { files: [...new Set(found.flat())], findings };
}

/** A fingerprint of the files below the paths: names, sizes and times. Unreadable files count as missing. */
export async function signatureOf(
  paths: readonly string[],
  counts: (name: string) => boolean = () => true,
): Promise<string> {
  const { files } = await filesIn(paths, /\.(ya?ml|json)$/i);
  const facts = await Promise.all(
    files.filter(counts).map(async (file) => {
      const found = await stat(file).catch(() => undefined);
      return `${file} ${found?.size} ${found?.mtimeMs}`;
    }),
  );
  return facts.join('\n');
}

export function unreadable(file: string, message: string): FileFinding {
  return {
    file,
    code: 'JOURNEY_FILE_UNREADABLE',
    severity: 'error',
    pointer: '',
    message: message.startsWith('ENOENT')
      ? 'The file or folder does not exist.'
      : `The file cannot be read: ${message}.`,
  };
}
