import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { readApiCatalogue } from '../../src/library/api-documents.js';
import { readJourney } from '../../src/library/journeys.js';
import { cleanCorpus, expectedRefusals, knownCorpus } from './journeys-load-expected.js';
import { type Section, shared, type Tally } from './section.js';

/** The overlay that stands in for operations the public catalogue lacks. */
const overlay = new URL('test/fixtures/overlay/', pathToFileURL(`${process.cwd()}/`));

/** Loads every public journey and compares the verdict: refused with exactly these codes, or loaded without an error. */
export async function loadCorpus(folder = new URL('corpus/', shared)): Promise<Tally> {
  const tally: Tally = { passed: 0, failures: [] };
  const { catalogue, findings } = await readApiCatalogue({
    root: fileURLToPath(folder),
    overlays: [fileURLToPath(overlay)],
  });
  for (const { file, message } of findings) tally.failures.push({ id: basename(file), line: message });
  const journeys = new URL('journeys/', folder);
  const files = (await readdir(journeys)).filter((file) => /\.journey\.ya?ml$/.test(file)).sort();
  for (const file of files) {
    const name = file.replace(/\.journey\.ya?ml$/, '');
    const { journey, findings: found } = await readJourney(fileURLToPath(new URL(file, journeys)), { catalogue });
    const errors = found.filter(({ severity }) => severity === 'error');
    const codes = [...new Set(errors.map(({ code }) => code))].sort();
    const expected = [...(expectedRefusals.get(name) ?? [])].sort();
    const agrees = codes.join() === expected.join() && (journey === undefined) === expected.length > 0;
    if (agrees && errors.every(({ line }) => line !== undefined)) tally.passed++;
    else {
      const first = errors[0];
      const why = first ? `${first.line}:${first.column} ${first.code} ${first.message}` : 'loaded';
      tally.failures.push({
        id: name,
        line: `expected ${expected.join(', ') || 'to load'}, got ${codes.join(', ') || 'loaded'}: ${why}`,
      });
    }
  }
  for (const name of [...knownCorpus, ...expectedRefusals.keys()])
    if (!files.some((file) => file.startsWith(`${name}.journey.`)))
      tally.failures.push({ id: name, line: 'is not in the corpus' });
  tally.remarks = [
    `${files.length} journeys: ${files.length - expectedRefusals.size} load, ${expectedRefusals.size} are refused`,
  ];
  return tally;
}

/** Loads the journeys that are clean in strict mode: no finding at all, not even a warning. */
export async function loadCleanCorpus(folder = new URL('corpus/', shared)): Promise<Tally> {
  const tally: Tally = { passed: 0, failures: [] };
  const { catalogue } = await readApiCatalogue({ root: fileURLToPath(folder) });
  for (const name of cleanCorpus) {
    const file = fileURLToPath(new URL(`journeys/${name}.journey.yaml`, folder));
    const [first] = (await readJourney(file, { catalogue, compat: false })).findings;
    if (first) tally.failures.push({ id: name, line: `${first.line}:${first.column} ${first.code} ${first.message}` });
    else tally.passed++;
  }
  return tally;
}

const present = () => existsSync(new URL('corpus/journeys/', shared));
const absent = { skipped: 'the shared corpus is not here' };

/** What loading the public journeys must give. */
export const journeyLoadSections: Section[] = [
  { name: 'journeys: load', run: async () => (present() ? loadCorpus() : absent) },
  { name: 'journeys: strict', run: async () => (present() ? loadCleanCorpus() : absent) },
];
