import { readFileSync } from 'node:fs';

/** The version of this package; package.json is three folders above the compiled file and two above the source. */
export const version: string = read(['../../../package.json', '../../package.json']);

function read(paths: readonly string[]): string {
  for (const path of paths) {
    try {
      const found = JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8')) as {
        name: string;
        version: string;
      };
      if (found.name === 'journeyman') return found.version;
    } catch {
      // The other layout, then.
    }
  }
  return '0.0.0';
}
