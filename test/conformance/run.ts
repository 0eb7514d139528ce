import { journeyExpressionSections } from './dataweave-journeys.js';
import { dataweaveSections } from './dataweave-vectors.js';
import { exportSections } from './exports.js';
import { intentSections } from './intents.js';
import { journeyEndSections } from './journeys-ends.js';
import { journeyHttpSections } from './journeys-http.js';
import { journeyLiveSections } from './journeys-live.js';
import { journeyLoadSections } from './journeys-load.js';
import { journeyRepairedSections } from './journeys-repaired.js';
import { journeyRunSections } from './journeys-run.js';
import type { Section } from './section.js';

const sections: Section[] = [
  ...dataweaveSections,
  ...journeyExpressionSections,
  ...intentSections,
  ...exportSections,
  ...journeyLoadSections,
  ...journeyRunSections,
  ...journeyRepairedSections,
  ...journeyLiveSections,
  ...journeyHttpSections,
  ...journeyEndSections,
];

const wanted = process.argv.slice(2).filter((arg) => !arg.startsWith('--'));
const verbose = process.argv.includes('--verbose');
const shown = verbose ? Number.POSITIVE_INFINITY : 20;
let passed = 0;
let failed = 0;
let sectionsBelowTarget = 0;

for (const section of sections) {
  if (wanted.length > 0 && !wanted.some((word) => section.name.includes(word))) continue;
  const tally = await section.run();
  if ('skipped' in tally) {
    console.log(`${section.name}: skipped, ${tally.skipped}`);
    continue;
  }
  const unsupported = [...(tally.unsupported?.values() ?? [])].reduce((sum, n) => sum + n, 0);
  passed += tally.passed;
  failed += tally.failures.length;
  const share = tally.passed / (tally.passed + tally.failures.length + unsupported);
  if (tally.failures.length > 0 && share < (tally.enough ?? 1)) sectionsBelowTarget += 1;
  console.log(
    `${section.name}: ${tally.passed} passed, ${tally.failures.length} failed${unsupported ? `, ${unsupported} unsupported` : ''}`,
  );
  for (const remark of tally.remarks ?? []) console.log(`  ${remark}`);
  for (const [reason, count] of [...(tally.unsupported ?? [])].sort((a, b) => b[1] - a[1])) {
    console.log(`  unsupported ${count}x: ${reason}`);
  }
  for (const { id, line } of tally.failures.slice(0, shown)) console.log(`  FAILED ${id} ${line}`);
  if (tally.failures.length > shown) console.log(`  … and ${tally.failures.length - shown} more (--verbose)`);
}
console.log(`total: ${passed} passed, ${failed} failed`);
process.exitCode = sectionsBelowTarget > 0 ? 1 : 0;
