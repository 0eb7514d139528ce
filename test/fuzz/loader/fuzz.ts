import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { load } from '../../../src/language/load-journey.js';
import { readApiCatalogue } from '../../../src/library/read-library.js';
import { dangling } from './dangling.js';
import { mulberry, mutate } from './mutate.js';

/** The findings of a fuzz run. */
export interface FuzzReport {
  documents: number;
  loaded: number;
  refused: number;
  /** Each with the seed that reproduces it. */
  failures: { seed: number; what: string }[];
}

/** Loads `count` mutated documents: none may crash the loader, load with a dangling reference, or be rejected without a location. */
export async function fuzzLoader(fixtures: URL, count: number, firstSeed = 1): Promise<FuzzReport> {
  const { catalogue } = await readApiCatalogue({ root: fileURLToPath(fixtures) });
  const folder = new URL('journeys/', fixtures);
  const seeds = await Promise.all(
    (await readdir(folder)).sort().map((file) => readFile(new URL(file, folder), 'utf8')),
  );
  const report: FuzzReport = { documents: 0, loaded: 0, refused: 0, failures: [] };
  for (let seed = firstSeed; seed < firstSeed + count; seed++) {
    const random = mulberry(seed);
    const text = mutate(seeds[seed % seeds.length]!, random);
    const what = judge(
      text,
      { catalogue, compat: random() < 0.8 },
      random() < 0.1 ? 'x.journey.json' : 'x.journey.yaml',
      report,
    );
    report.documents++;
    if (what !== undefined) report.failures.push({ seed, what });
  }
  return report;
}

function judge(
  text: string,
  options: Parameters<typeof load>[1],
  path: string,
  report: FuzzReport,
): string | undefined {
  try {
    const { definition, findings } = load({ text, path }, options);
    if (findings.some(({ line, column, code, message }) => !line || !column || !code || !message))
      return 'a finding without a location';
    if (!definition) {
      report.refused++;
      return findings.some(({ severity }) => severity === 'error') ? undefined : 'rejected without an error';
    }
    report.loaded++;
    JSON.stringify(definition);
    const loose = dangling(definition);
    return loose.length > 0 ? `dangling: ${loose.join('; ')}` : undefined;
  } catch (error) {
    return `crashed: ${(error as Error).stack ?? String(error)}`;
  }
}
