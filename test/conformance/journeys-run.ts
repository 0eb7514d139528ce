import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { LoadOptions } from '../../src/language/load-journey.js';
import { readJourney } from '../../src/library/read-journeys.js';
import { readApiCatalogue } from '../../src/library/read-library.js';
import { loadScenarios } from '../../src/scenarios/load-scenarios.js';
import { runScenario } from '../../src/scenarios/run-scenario.js';
import type { ScenarioRunner } from '../../src/scenarios/scenario-observation.js';
import { virtualRunner } from '../../src/scenarios/virtual/virtual-runner.js';
import { expectedRefusals } from './journeys-load-expected.js';
import { type Section, shared, type Tally } from './section.js';

const fixtures = new URL('test/fixtures/', pathToFileURL(`${process.cwd()}/`));

/** Plays every scenario of the public journeys and accounts for each journey: it runs, or is rejected at load. */
export async function runCorpus(runner: ScenarioRunner = virtualRunner, corpus = new URL('corpus/', shared)) {
  const tally: Tally = { passed: 0, failures: [] };
  const { catalogue } = await readApiCatalogue({
    root: fileURLToPath(corpus),
    overlays: [fileURLToPath(new URL('overlay/', fixtures))],
  });
  const played = await playScenarios(runner, { catalogue }, tally);
  await accountFor(new URL('journeys/', corpus), { catalogue }, played, tally);
  return tally;
}

/** Runs the scenarios; returns their number per journey. */
async function playScenarios(runner: ScenarioRunner, options: LoadOptions, tally: Tally): Promise<Map<string, number>> {
  const played = new Map<string, number>();
  const { scenarios, findings } = await loadScenarios([fileURLToPath(new URL('scenarios/', fixtures))], options);
  for (const { file, line, column, code, message } of findings) {
    tally.failures.push({ id: basename(file), line: `${line}:${column} ${code} ${message}` });
  }
  for (const { definition, scenario } of scenarios) {
    const { name } = definition;
    played.set(name, (played.get(name) ?? 0) + 1);
    const { passed, mismatches } = await runScenario(definition, scenario, runner);
    if (passed) tally.passed++;
    else {
      const lines = mismatches.map(({ line, subject, message }) => `\n    ${line}: ${subject}: ${message}`);
      tally.failures.push({ id: `${name} / ${scenario.name}`, line: lines.join('') });
    }
  }
  return played;
}

/** Every journey of the corpus has scenarios, or is rejected for the expected reason. */
async function accountFor(folder: URL, options: LoadOptions, played: Map<string, number>, tally: Tally) {
  const known = new Set([...expectedRefusals.keys(), ...played.keys()]);
  const files = (await readdir(folder)).filter((file) => /\.journey\.ya?ml$/.test(file)).sort();
  for (const file of files) {
    const name = file.replace(/\.journey\.ya?ml$/, '');
    known.delete(name);
    const { journey } = await readJourney(fileURLToPath(new URL(file, folder)), options);
    const wrong = mismatch(name, journey !== undefined, played.get(name) ?? 0);
    if (wrong === undefined) tally.passed++;
    else tally.failures.push({ id: name, line: wrong });
  }
  for (const name of known) tally.failures.push({ id: name, line: 'is not in the corpus' });
  const scenarios = [...played.values()].reduce((sum, count) => sum + count, 0);
  tally.remarks = [
    `${files.length} journeys: ${played.size} run in ${scenarios} scenarios, ${expectedRefusals.size} are refused at load`,
  ];
}

/** The errors in the result of a journey. */
function mismatch(name: string, loads: boolean, scenarios: number): string | undefined {
  if (expectedRefusals.has(name)) return loads ? 'expected to be refused at load, but it loads' : undefined;
  if (!loads) return 'expected to load, but it is refused';
  return scenarios === 0 ? 'has no scenario in test/fixtures/scenarios' : undefined;
}

export const journeyRunSections: Section[] = [
  {
    name: 'journeys: run',
    run: async () =>
      existsSync(new URL('corpus/journeys/', shared))
        ? runCorpus()
        : { skipped: 'the shared corpus is not here (../shared/corpus/journeys)' },
  },
];
