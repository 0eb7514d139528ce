import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of the repository, both from sources and from code compiled into `dist/harness`. */
export const repositoryRoot: string = rootAbove(dirname(fileURLToPath(import.meta.url)));

/** The built command line. */
export const commandLine: string = join(repositoryRoot, 'dist/src/cli/main.js');

function rootAbove(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : rootAbove(dirname(folder));
}
