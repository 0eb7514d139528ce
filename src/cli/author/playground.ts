import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Command } from 'commander';
import { type Output, safe } from '../../app/safe-terminal-text.js';
import { refuse } from '../../base/problems/problem.js';

/** `journeyman playground`: writes the playground as a static site. */
export function playgroundCommand(out: Output = process.stdout): Command {
  return new Command('playground')
    .summary('write the playground as a static site')
    .description(
      'Write the playground as a static site: people edit and play journeys in their browser, without a server.',
    )
    .requiredOption('--out <folder>', 'write the site to this folder')
    .addHelpText(
      'after',
      `
A gateway serves the same page at /console/playground. The folder works at any path of any web server; a browser does not open it from disk.

Examples:
  $ journeyman playground --out site`,
    )
    .action(async ({ out: folder }: { out: string }) => {
      const files = siteFiles();
      await mkdir(join(folder, 'assets'), { recursive: true });
      for (const [name, content] of files) await writeFile(join(folder, name), content);
      out.write(`Wrote ${files.size} files to ${safe(folder)}.\n`);
    });
}

/** The page and every asset that it leads to, by path. */
function siteFiles(): ReadonlyMap<string, Buffer> {
  // From the build this file belongs to, or the one of the clone if it runs from source.
  const built = [new URL('../../../console/', import.meta.url), new URL('../../../dist/console/', import.meta.url)];
  const from = built.find((folder) => existsSync(new URL('playground.html', folder)));
  if (!from) return refuse('USAGE_INVALID', 'This build has no console.', { hint: 'Run `npm run build`.' });
  const page = Buffer.from(
    readFileSync(new URL('playground.html', from), 'utf8').replaceAll('"/console/assets/', '"./assets/'),
  );
  const files = new Map([['index.html', page]]);
  const assets = readdirSync(new URL('assets/', from)).filter((name) => !/\.(br|gz)$/.test(name));
  const pending = [page];
  for (let content = pending.pop(); content; content = pending.pop()) {
    const text = content.toString();
    for (const name of assets) {
      const path = `assets/${name}`;
      if (files.has(path) || !text.includes(name)) continue;
      const asset = readFileSync(new URL(path, from));
      files.set(path, asset);
      pending.push(asset);
    }
  }
  return files;
}
