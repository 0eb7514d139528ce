import { Play } from './play.js';

const [count = 100_000, first = 1, steps = 60] = process.argv.slice(2).map(Number);
const totals: Record<string, number> = {};
let failures = 0;
const began = performance.now();
for (let seed = first; seed < first + count; seed++) {
  try {
    const play = new Play(seed);
    play.run(steps).finish();
    for (const [what, times] of Object.entries(play.counts)) totals[what] = (totals[what] ?? 0) + times;
  } catch (error) {
    failures += 1;
    if (failures <= 20) console.log(`  seed ${seed}: ${(error as Error).message}`);
  }
}
const seconds = Math.round((performance.now() - began) / 1000);
const said = Object.entries(totals).map(([what, times]) => `${times} ${what}`);
console.log(`${count} histories of ${steps} steps in ${seconds} s: ${said.join(', ')}; ${failures} failures`);
process.exitCode = failures > 0 ? 1 : 0;
