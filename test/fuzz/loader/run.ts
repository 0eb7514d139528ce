import { readdir, readFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { fuzzLoader } from './fuzz.js';
import { comparePlainYaml } from './plain-yaml.js';

const [count = 5_000, seed = 1] = process.argv.slice(2).map(Number);
const fixtures = new URL('test/fixtures/', pathToFileURL(`${process.cwd()}/`));
const { documents, loaded, refused, failures } = await fuzzLoader(fixtures, count, seed);
console.log(`${documents} mutated documents: ${loaded} loaded, ${refused} refused, ${failures.length} failures`);
for (const { seed: at, what } of failures.slice(0, 20)) console.log(`  seed ${at}: ${what}`);

const journeys = new URL('journeys/', fixtures);
const written = await Promise.all((await readdir(journeys)).map((file) => readFile(new URL(file, journeys), 'utf8')));
const { texts, plain, disagreements } = comparePlainYaml(written, count * 100, seed);
console.log(`${texts} small texts: ${plain} in plain YAML, ${disagreements.length} read otherwise by the library`);
for (const text of disagreements.slice(0, 20)) console.log(`  ${JSON.stringify(text)}`);
process.exitCode = failures.length + disagreements.length > 0 ? 1 : 0;
