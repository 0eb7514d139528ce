import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { table } from '../../src/cli/tables-progress-and-failures.js';
import { playMeasures } from './tools-play.js';
import { watchMeasure } from './tools-watch.js';

/** A measure of a tool: an operation that an author waits for, and its target. */
interface Measure {
  name: string;
  aimSec: number;
  /** Measures it in seconds, in a separate folder. */
  take(folder: string): Promise<number>;
}

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const main = join(root, 'dist/src/cli/main.js');

/** The number of measurements; the fastest counts, because other work on the machine can only add time. */
const rounds = 3;

const measures: Measure[] = [
  { name: 'validate 1,000 journeys', aimSec: 6, take: (folder) => validate(folder, 1_000) },
  ...[...playMeasures, watchMeasure].map(({ name, aimMs, run }) => ({
    name,
    aimSec: aimMs / 1000,
    take: async () => (await run()) / 1000,
  })),
];

/** The example journeys, copied under new names and routes until there are enough. */
async function validate(folder: string, count: number): Promise<number> {
  const specs = join(root, 'specs');
  const files = (await readdir(specs)).filter((name) => name.endsWith('.journey.yaml'));
  const texts = await Promise.all(files.map((name) => readFile(join(specs, name), 'utf8')));
  await mkdir(folder, { recursive: true });
  for (let i = 0; i < count; i++) {
    const text = texts[i % texts.length]!.replace(/^ {2}name: .*$/m, `  name: bench-${i}`).replace(
      /\broute: \{ path: \//,
      `$&bench-${i}/`,
    );
    await writeFile(join(folder, `bench-${i}.journey.yaml`), text);
  }
  return journeyman('validate', folder, '--catalogue', specs);
}

/** The duration of the command, from the start of its process to its exit. */
async function journeyman(...args: string[]): Promise<number> {
  const began = performance.now();
  const child = spawn(process.execPath, [main, ...args], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = (await once(child, 'exit')) as [number];
  if (code !== 0) throw new Error(`journeyman ${args[0]} ended with ${code}`);
  return (performance.now() - began) / 1000;
}

const scratch = await mkdtemp(join(tmpdir(), 'journeyman-tools-'));
const rows = [['what', 'seconds', 'aim', '']];
for (const [i, { name, aimSec, take }] of measures.entries()) {
  const took: number[] = [];
  for (let round = 0; round < rounds; round++) took.push(await take(join(scratch, `${i}`)));
  const best = Math.min(...took);
  rows.push([name, best.toFixed(2), String(aimSec), best <= aimSec ? 'met' : 'missed']);
}
await rm(scratch, { recursive: true });
console.log(table(rows));
