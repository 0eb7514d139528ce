import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { formatDocument } from '../../src/base/document/format-yaml.js';
import { equal, type Json } from '../../src/base/json/value.js';
import { load } from '../../src/language/load-journey.js';
import { journeySchema } from '../../src/language/schema/journey-schema.js';
import { readJourney } from '../../src/library/read-journeys.js';
import { readApiCatalogue } from '../../src/library/read-library.js';
import { cleanCorpus, expectedRefusals, knownCorpus } from './journeys-load-expected.js';
import { type Section, shared, type Tally } from './section.js';

/** The overlay with operations that the public catalogue lacks. */
const overlay = new URL('test/fixtures/overlay/', pathToFileURL(`${process.cwd()}/`));

/** Loads every public journey and compares the result: rejected with exactly these codes, or loaded without an error. */
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

/** Loads the journeys that are clean in strict mode: they must have no findings, not even warnings. */
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

/** Findings of the data-flow analysis. */
const waysCodes = new Set([
  'CONTEXT_UNWRITTEN',
  'OUTPUT_UNWRITTEN',
  'LITERAL_EXPRESSION',
  'TEXT_ADDED',
  'TYPES_DIFFER',
  'PREDICATE_NOT_BOOLEAN',
  'CHOICE_BRANCH_DEAD',
  'LOOP_UNBOUNDED',
  'CALL_REPEATED',
  'SECRET_IN_TEXT',
]);

/**
 * Analyses the data flow of every public journey: those that fail by their own logic must have findings, all others must not. Also
 * writes each in its canonical layout, which must have the same meaning.
 */
export async function followCorpus(folder = new URL('corpus/', shared)): Promise<Tally> {
  const tally: Tally = { passed: 0, failures: [] };
  const { catalogue } = await readApiCatalogue({ root: fileURLToPath(folder), overlays: [fileURLToPath(overlay)] });
  const journeys = new URL('journeys/', folder);
  for (const file of (await readdir(journeys)).filter((it) => /\.journey\.ya?ml$/.test(it)).sort()) {
    const name = file.replace(/\.journey\.ya?ml$/, '');
    const text = await readFile(new URL(file, journeys), 'utf8');
    const { definition, findings } = load({ text }, { catalogue });
    const found = findings.filter(({ code }) => waysCodes.has(code));
    const formatted = formatDocument(text, journeySchema);
    const again = load({ text: formatted }, { catalogue });
    const same = equal((again.definition ?? null) as unknown as Json, (definition ?? null) as unknown as Json);
    if (found.length > 0 !== knownCorpus.includes(name))
      tally.failures.push({ id: name, line: found[0] ? `${found[0].line} ${found[0].message}` : 'nothing was found' });
    else if (!same || formatDocument(formatted, journeySchema) !== formatted)
      tally.failures.push({ id: name, line: 'its canonical layout has another meaning, or is not stable' });
    else tally.passed++;
  }
  return tally;
}

const present = () => existsSync(new URL('corpus/journeys/', shared));
const absent = { skipped: 'the shared corpus is not here' };

/** The expected results of loading the public journeys. */
export const journeyLoadSections: Section[] = [
  { name: 'journeys: load', run: async () => (present() ? loadCorpus() : absent) },
  { name: 'journeys: follow', run: async () => (present() ? followCorpus() : absent) },
  { name: 'journeys: strict', run: async () => (present() ? loadCleanCorpus() : absent) },
];
