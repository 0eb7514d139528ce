import { fuzzCron } from './fuzz.js';

const [count = 10_000, seed = 1] = process.argv.slice(2).map(Number);
const { expressions, byRule, unexplained } = fuzzCron(count, seed);
console.log(
  `${expressions} expressions against each library, seed ${seed}; how many differ by each rule of docs/cadences.md:`,
);
for (const [rule, number] of Object.entries(byRule).sort()) console.log(`  ${rule}: ${number}`);
console.log(`${unexplained.length} differences without a rule`);
for (const what of unexplained.slice(0, 40)) console.log(`  ${what}`);
process.exitCode = unexplained.length > 0 ? 1 : 0;
