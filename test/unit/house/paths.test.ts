import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

/** Historical documents, and tests that use invalid paths. */
const skipped = /^(?:CHANGELOG\.md|package-lock\.json|docs\/decisions\/|test\/histories\/|test\/unit\/house\/)/;
const path =
  /(?<![\w@<-])(?:dist\/|(?<!\/))((?:src|workflows|activities|test|packaging)\/(?:[\w-]+\/)*[\w.-]+\.[cm]?[jt]s)\b/g;
const builtImport = /import (?:type )?\{([^}]*)\} from '[./]*\/dist\/([^']+)'/g;

/** The file of a path: the source of a compiled file, which exists before a build. */
function sourceOf(named: string): string | undefined {
  const source = named.replace(/\.d\.ts$/, '.ts').replace(/\.([cm]?)js$/, '.$1ts');
  return [named, source].find((it) => existsSync(it));
}

/** Paths in a text that do not exist, and imports of compiled files that are not exported. */
function broken(file: string, text: string): string[] {
  const missing = [...text.matchAll(path)]
    .filter(([, named]) => sourceOf(named!) === undefined)
    .map(([whole]) => `${file}: ${whole} does not exist`);
  const unexported = [...text.matchAll(builtImport)].flatMap(([, names, named]) => {
    const source = sourceOf(named!);
    if (source === undefined) return [];
    const exported = readFileSync(source, 'utf8');
    return names!
      .split(',')
      .map((it) => it.trim().replace(/ as .*/, ''))
      .filter((it) => it !== '' && !new RegExp(`^export .*\\b${it}\\b`, 'm').test(exported))
      .map((it) => `${file}: ${named} does not export ${it}`);
  });
  return [...missing, ...unexported];
}

describe('Paths of source files in other files', () => {
  it('exist, and export what is imported from them', () => {
    const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
      encoding: 'utf8',
    });
    const files = listed.split('\n').filter((it) => it !== '' && !skipped.test(it) && existsSync(it));
    expect(files.flatMap((file) => broken(file, readFileSync(file, 'utf8')))).toEqual([]);
    expect(files.length).toBeGreaterThan(1_000);
  });

  it.each([
    ["import { load } from '../../../dist/src/language/gone.js';", 'dist/src/language/gone.js does not exist'],
    ['"start": "node dist/src/cli/gone.js"', 'dist/src/cli/gone.js does not exist'],
    ['# See src/engine/gone.ts.', 'src/engine/gone.ts does not exist'],
    [
      "import { loaf } from '../../../dist/src/language/load-journey.js';",
      'src/language/load-journey.js does not export loaf',
    ],
  ])('%s is reported', (text, wrong) => {
    expect(broken('a.mjs', text)).toEqual([`a.mjs: ${wrong}`]);
  });

  it('may be paths of compiled files', () => {
    expect(broken('a.mjs', "import { load } from '../../../dist/src/language/load-journey.js';")).toEqual([]);
  });
});
