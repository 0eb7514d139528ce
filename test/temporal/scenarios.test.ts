import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, inject, it } from 'vitest';

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

it('the scenarios of a file hold on a real server as in virtual time', { timeout: 180_000 }, async () => {
  const args = [path('../../dist/src/cli/main.js'), 'test', path('../unit/scenarios/fixtures/refund.scenario.yaml')];
  const env = { ...process.env, TEMPORAL_ADDRESS: inject('temporalAddress') };
  const { stdout } = await promisify(execFile)(process.execPath, [...args, '--temporal', '--format', 'json'], { env });
  const report = JSON.parse(stdout) as { scenarios: { name: string; passed: boolean; mismatches: unknown[] }[] };
  expect(report.scenarios.flatMap(({ name, mismatches }) => mismatches.map((it) => ({ name, it })))).toEqual([]);
  expect(report).toMatchObject({ passed: 6, failed: 0, skipped: 0 });
});
