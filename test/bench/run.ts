import { parseArgs } from 'node:util';
import { type Bench, startBench } from './bench.js';
import { parts } from './parts/index.js';
import type { Part } from './parts/part.js';
import { writePage } from './report/page.js';
import { commit, keepResults, machine, type Sample } from './report/results.js';
import { aligned, tableOf } from './report/table.js';

const help = `Compares journeys with the same flows by other means on one Temporal server, and keeps the raw data in .bench/<part>.json.

npm run bench                        all parts but those that --list marks
npm run bench -- --only post,get     some of them
npm run bench -- --list              the parts and what they measure
npm run bench -- --repeats 9         repeats of each part; 5 by default
npm run bench -- --docs              write tables and charts of the kept data into docs, without measuring
UPDATE_DOCS=1 npm run bench          measure, then write them`;

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    repeats: { type: 'string', default: '5' },
    list: { type: 'boolean' },
    docs: { type: 'boolean' },
    help: { type: 'boolean' },
  },
});

/** The running part, whose processes end with this one. */
let running: Bench | undefined;
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, async () => {
    await running?.stop();
    process.exit(1);
  });

if (values.help) console.log(help);
else if (values.list)
  console.log(aligned(parts.map(({ name, about, apart }) => [name, about, apart ? 'only if named' : ''])));
else {
  if (!values.docs) await measure(chosen(values.only), Number(values.repeats));
  if (values.docs || process.env.UPDATE_DOCS) writePage();
}

function chosen(only: string | undefined): readonly Part[] {
  if (only === undefined) return parts.filter(({ apart }) => !apart);
  return only.split(',').map((name) => {
    const part = parts.find((it) => it.name === name);
    if (!part) throw new Error(`There is no part ${name}; --list prints them.`);
    return part;
  });
}

async function measure(which: readonly Part[], repeats: number): Promise<void> {
  if (!(repeats >= 1)) throw new Error('--repeats needs a number.');
  const samples: Sample[] = [];
  for (const part of which) {
    const began = performance.now();
    const bench = await startBench(repeats);
    running = bench;
    try {
      await part.run(bench);
    } catch (error) {
      console.error(`${part.name} failed:`, error);
      process.exitCode = 1;
      continue;
    } finally {
      await bench.stop();
    }
    const seconds = Math.round((performance.now() - began) / 1000);
    const circumstances = { date: new Date().toISOString(), commit: commit(), machine: machine(bench.server.version) };
    const file = keepResults({ part: part.name, repeats, seconds, ...circumstances, samples: bench.samples });
    console.log(`${part.name}: ${seconds} s, ${bench.samples.length} samples in ${file}`);
    samples.push(...bench.samples);
  }
  const measures = which.flatMap((it) => it.measures);
  console.log(
    `\n${aligned(tableOf(measures, samples))}\n\nMedians of ${repeats} repeats, with the least and the most of them.`,
  );
}
