import { existsSync } from 'node:fs';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parse } from 'yaml';
import type { JsonObject } from '../../src/base/json/value.js';
import { readJourney } from '../../src/library/read-journeys.js';
import { readApiCatalogue } from '../../src/library/read-library.js';
import { loadScenarios } from '../../src/scenarios/load-scenarios.js';
import { runScenario } from '../../src/scenarios/run-scenario.js';
import { repairs } from './repairs.js';
import { type Section, shared, type Tally } from './section.js';

const fixtures = new URL('test/fixtures/', pathToFileURL(`${process.cwd()}/`));

/** Repairs the rejected or broken public journeys, and plays their scenarios if the engine supports all they need. */
async function runRepaired(folder: string): Promise<Tally> {
  const tally: Tally = { passed: 0, failures: [] };
  const corpus = new URL('corpus/', shared);
  const { catalogue } = await readApiCatalogue({
    root: fileURLToPath(corpus),
    overlays: [fileURLToPath(new URL('overlay/', fixtures))],
  });
  for (const [name, repair] of Object.entries(repairs)) {
    const document = parse(await readFile(new URL(`journeys/${name}.journey.yaml`, corpus), 'utf8')) as JsonObject;
    repair(document);
    const file = join(folder, `${name}.journey.json`);
    await writeFile(file, JSON.stringify(document, null, 2));
    const { findings } = await readJourney(file, { catalogue });
    const error = findings.find(({ severity }) => severity === 'error');
    if (error) tally.failures.push({ id: name, line: `${error.code} ${error.pointer} ${error.message}` });
    else tally.passed++;
    const scenario = new URL(`repaired/${name}.scenario.yaml`, fixtures);
    if (!error && existsSync(scenario)) await copyFile(scenario, join(folder, `${name}.scenario.yaml`));
  }
  const { scenarios, findings } = await loadScenarios([folder], { catalogue });
  for (const { file, line, code, message } of findings) {
    tally.failures.push({ id: file, line: `${line}: ${code} ${message}` });
  }
  for (const { definition, scenario } of scenarios) {
    const { passed, mismatches } = await runScenario(definition, scenario);
    if (passed) tally.passed++;
    else {
      const lines = mismatches.map(({ line, subject, message }) => `\n    ${line}: ${subject}: ${message}`);
      tally.failures.push({ id: `${definition.name} / ${scenario.name}`, line: lines.join('') });
    }
  }
  tally.remarks = [`${Object.keys(repairs).length} journeys repaired, ${scenarios.length} scenarios`];
  return tally;
}

export const journeyRepairedSections: Section[] = [
  {
    name: 'journeys: repaired',
    run: async () => {
      if (!existsSync(new URL('corpus/journeys/', shared)))
        return { skipped: 'the shared corpus is not here (../shared/corpus/journeys)' };
      const folder = await mkdtemp(join(tmpdir(), 'repaired-'));
      try {
        return await runRepaired(folder);
      } finally {
        await rm(folder, { recursive: true });
      }
    },
  },
];
