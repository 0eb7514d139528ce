import { readdir, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { Finding } from '../problems/problem.js';

/** A finding and the file it is about. */
export type FileFinding = Finding & { file: string };

/** What the file of a pipeline is called. */
export const pipelineFile = /\.pipeline\.(ya?ml|json)$/i;

/** The files below folders whose names match, and those named by themselves that are `wanted`; each once. */
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

/** What tells whether anything below the paths has changed: names, sizes and times. What cannot be read is not there. */
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
    message: message.startsWith('ENOENT') ? 'There is no such file or folder.' : `The file cannot be read: ${message}.`,
  };
}
