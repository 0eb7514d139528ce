import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

const folder = 'dist/console';
const aimKb = 250;

/** The compressed size of a built file in bytes, as a browser receives it. */
const size = (name: string) => statSync(join(folder, `${name}.br`)).size;

/** Assets that a file loads at once: those of a page, and the static imports of a script. */
function loadedBy(name: string): string[] {
  const text = readFileSync(join(folder, name), 'utf8');
  const found = name.endsWith('.html')
    ? [...text.matchAll(/(?:src|href)="\/console\/([^"]+)"/g)].map(([, path]) => path!)
    : [...text.matchAll(/(?:from|import)\s*["']\.\/([^"']+\.js)["']/g)].map(([, path]) => `assets/${path}`);
  return [...new Set(found.flatMap((it) => [it, ...(it.endsWith('.js') ? loadedBy(it) : [])]))];
}

const first = ['index.html', ...loadedBy('index.html')];
const chunks = readdirSync(join(folder, 'assets'))
  .filter((name) => name.endsWith('.js') || name.endsWith('.css'))
  .map((name) => `assets/${name}`)
  .filter((name) => !first.includes(name));
const kb = (bytes: number) => `${(bytes / 1024).toFixed(0)} KB`;
const total = first.reduce((sum, name) => sum + size(name), 0);

console.log('| part | compressed |\n|---|---|');
console.log(`| first page (aim: ${aimKb} KB) | ${kb(total)} |`);
for (const name of chunks)
  console.log(`| ${name.replace(/^assets\/(.*)-[\w-]{8}\./, '$1.')}, loaded on demand | ${kb(size(name))} |`);
if (total > aimKb * 1024) process.exitCode = 1;

for (const [part, run] of [
  ['Layout of large journeys (aim: 1 s for 300 states)', () => import('./graph.js')],
  ['A history turned into a trail', () => import('./trail.js')],
  ['On a gateway', () => import('./console-live.js')],
] as const) {
  console.log(`\n${part}\n`);
  await run();
}
