import { pathToFileURL } from 'node:url';
import { fuzzLoader } from './fuzz.js';

const [count = 5_000, seed = 1] = process.argv.slice(2).map(Number);
const fixtures = new URL('test/fixtures/', pathToFileURL(`${process.cwd()}/`));
const { documents, loaded, refused, failures } = await fuzzLoader(fixtures, count, seed);
console.log(`${documents} mutated documents: ${loaded} loaded, ${refused} refused, ${failures.length} failures`);
for (const { seed: at, what } of failures.slice(0, 20)) console.log(`  seed ${at}: ${what}`);
process.exitCode = failures.length > 0 ? 1 : 0;
