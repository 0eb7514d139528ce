import { once } from 'node:events';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import type { BlockResult, Failure } from './block.js';
import { keepSeeds } from './kept-seeds.js';
import { addCounts, type Counts } from './tally.js';

const usage = `Plays random journeys in random worlds on the engine, in virtual time, and checks what must hold in each.

  npm run fuzz:worlds -- [options]

  --worlds <n>     how many worlds (1000000)
  --seed <n>       the seed of the first one; the others follow (1)
  --workers <n>    threads (one per core)
  --no-keep        do not add failing seeds to test/fuzz/worlds/kept-seeds.json
  --temporal       play worlds on a real server, and compare their trails with those in virtual time: so many
                   of those that a server can play in order; use --worlds 200, after npm run build
  --help           print this text
`;

const { values } = parseArgs({
  options: {
    worlds: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: '1' },
    workers: { type: 'string', default: String(cpus().length) },
    'no-keep': { type: 'boolean', default: false },
    temporal: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

/** The number of worlds per task of a worker. */
const blockSize = 500;
/** Seconds between progress lines. */
const progressSec = 10;
const [worlds, first, workers] = [values.worlds, values.seed, values.workers].map(Number) as [number, number, number];

if (values.help) process.stdout.write(usage);
else if (![worlds, first, workers].every((it) => Number.isSafeInteger(it) && it > 0)) {
  process.stderr.write(usage);
  process.exitCode = 2;
} else {
  const failures = values.temporal ? await compare() : await fuzz();
  if (failures.length > 0 && !values['no-keep'] && !values.temporal)
    keepSeeds(
      join(process.cwd(), 'test/fuzz/worlds/kept-seeds.json'),
      failures.map(({ seed, what }) => ({ seed, about: what[0]!.slice(0, 200) })),
    );
  process.exitCode = failures.length > 0 ? 1 : 0;
}

/** Plays worlds on a real server. Returns those with different results. */
async function compare(): Promise<Failure[]> {
  const { playOnServer } = await import('./server.js');
  const failures = await playOnServer(first, worlds);
  for (const { seed, what } of failures) console.log(`FAILED  seed ${seed}: ${what.join('\n        ')}`);
  console.log(`${worlds} worlds on a server: ${failures.length} failed`);
  return failures;
}

/** Plays all worlds on several threads. Returns the ones that failed. */
async function fuzz(): Promise<Failure[]> {
  const failures: Failure[] = [];
  const totals: Counts = {};
  const began = performance.now();
  const seconds = () => Math.max(0.001, (performance.now() - began) / 1_000);
  let next = first;
  let shownAt = 0;
  const take = (result: BlockResult): void => {
    addCounts(totals, result.counts);
    failures.push(...result.failures);
    for (const { seed, what } of result.failures) {
      console.log(`FAILED  npm run fuzz:worlds -- --worlds 1 --seed ${seed}`);
      for (const line of what.slice(0, 5)) console.log(`        ${line}`);
    }
    if (seconds() - shownAt < progressSec) return;
    shownAt = seconds();
    const done = totals.worlds ?? 0;
    console.log(`${done} of ${worlds} worlds, ${Math.round(done / seconds())} a second, ${failures.length} failed`);
  };
  const work = async (): Promise<void> => {
    const worker = new Worker(new URL('./worker.js', import.meta.url), {
      // Most objects live only for one world.
      resourceLimits: { maxYoungGenerationSizeMb: 128 },
    });
    while (next < first + worlds) {
      const block = { first: next, count: Math.min(blockSize, first + worlds - next) };
      next += block.count;
      worker.postMessage(block);
      const [result] = (await once(worker, 'message')) as [BlockResult];
      take(result);
    }
    await worker.terminate();
  };
  await Promise.all(Array.from({ length: Math.min(workers, Math.ceil(worlds / blockSize)) }, work));
  const last = first + worlds - 1;
  console.log(
    `${worlds} worlds, seeds ${first} to ${last}, in ${Math.round(seconds())} s (${Math.round(worlds / seconds())} a second): ${failures.length} failed`,
  );
  console.log(
    Object.entries(totals)
      .map(([name, count]) => `${count} ${name}`)
      .join(', '),
  );
  return failures;
}
