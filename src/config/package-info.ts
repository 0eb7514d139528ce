import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The name of this package on npm, where the shorter name of the command is taken. */
export const packageName = 'journeyman-temporal';

/** The folder of this package: three above the compiled file, two above the source. */
export const packageRoot: string = ['../../..', '../..']
  .map((path) => fileURLToPath(new URL(path, import.meta.url)))
  .find((folder) => nameAndVersion(folder)?.name === packageName)!;

/** The version of this package. */
export const version: string = nameAndVersion(packageRoot)!.version;

function nameAndVersion(folder: string): { name: string; version: string } | undefined {
  const file = join(folder, 'package.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as { name: string; version: string }) : undefined;
}
