import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, inject, it } from 'vitest';

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

/** Plays a file on the shared server. */
async function play(file: string) {
  const args = [path('../../dist/src/cli/main.js'), 'test', path(file), '--temporal', '--format', 'json'];
  const env = { ...process.env, TEMPORAL_ADDRESS: inject('temporalAddress') };
  // A scenario that does not hold is an exit code of 1, and stands in the report.
  const { stdout } = await promisify(execFile)(process.execPath, args, { env }).catch((error) => error);
  const report = JSON.parse(stdout) as { scenarios: { name: string; passed: boolean; mismatches: unknown[] }[] };
  return {
    report,
    mismatches: report.scenarios.flatMap(({ name, mismatches }) => mismatches.map((it) => ({ name, it }))),
  };
}

it('the scenarios of a file hold on a real server as in virtual time', { timeout: 180_000 }, async () => {
  const { report, mismatches } = await play('../unit/scenarios/fixtures/refund.scenario.yaml');
  expect(mismatches).toEqual([]);
  expect(report).toMatchObject({ passed: 6, failed: 0, skipped: 0 });
});

it('FLT-1 a scenario with a slow reply shows how it is called, without a time scale', {
  timeout: 180_000,
}, async () => {
  const { report, mismatches } = await play('fixtures/slow-get.scenario.yaml');
  expect(mismatches).toEqual([]);
  expect(report).toMatchObject({ passed: 3, failed: 0, skipped: 0 });
});

it('R15 a scenario that fails says which secret is missing, and the call says it too', {
  timeout: 180_000,
}, async () => {
  const { report } = await play('fixtures/signed.scenario.yaml');
  expect(report.scenarios).toMatchObject([
    { passed: true },
    { passed: false, missingSecrets: ['Nothing says where secret://nobody/knows comes from'] },
  ]);
});
