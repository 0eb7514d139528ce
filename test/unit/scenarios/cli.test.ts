import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it } from 'vitest';
import { runTest as run } from './run-test.js';

const fixtures = fileURLToPath(new URL('fixtures', import.meta.url));
afterEach(() => {
  process.exitCode = 0;
});

it('prints all scenarios of a file, with totals', async () => {
  const { out, error, exitCode } = await run(`${fixtures}/refund.scenario.yaml`);
  expect(out).toContain('  ✓ nobody decides\n');
  expect(out).toMatch(/6 passed, 0 failed\n$/);
  expect({ error, exitCode }).toEqual({ error: '', exitCode: 0 });
});

it('prints where and how a scenario fails', async () => {
  const { out, exitCode } = await run(fixtures, '--filter', 'wrong things');
  expect(out).toContain('  ✗ expects the wrong things\n');
  expect(out).toMatch(/elapsed: expected PT1S, got PT0S {2}\S*wrong\.scenario\.yaml:17:7\n/);
  expect(out).toMatch(/0 passed, 1 failed\n$/);
  expect(exitCode).toBe(1);
});

it('prints the notes of a failed scenario, such as a join with a failed branch', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'joined-'));
  const branch = (name: string, end: string) => `{ name: ${name}, start: e, states: { e: { ${end} } } }`;
  const text = `
apiVersion: v1
kind: Journey
metadata: { name: joined, version: 1.0.0 }
spec:
  start: ask
  states:
    ask:
      type: parallel
      parallel:
        branches: [${branch('a', 'type: succeed')}, ${branch('b', 'type: fail, errorCode: NO_PRICE, reason: None')}]
        join: { strategy: allOf, mapper: { lang: dataweave, expr: '1' }, resultVar: r }
      next: end
    end: { type: succeed }
`;
  writeFileSync(join(folder, 'joined.journey.yaml'), text);
  writeFileSync(join(folder, 'joined.scenario.yaml'), 'scenarios: { it fails: { expect: { phase: FAILED } } }');
  expect((await run(folder)).out).toContain(
    'note: The branch `b` of `ask` failed (NO_PRICE), and the join continued.\n',
  );
  const { scenarios } = JSON.parse((await run(folder, '--format', 'json')).out);
  expect(scenarios[0].run.notes).toEqual(['The branch `b` of `ask` failed (NO_PRICE), and the join continued.']);
});

it('--filter selects scenarios by name or file', async () => {
  expect((await run(fixtures, '--filter', 'Nobody')).out).toMatch(/1 passed, 0 failed\n$/);
  expect((await run(fixtures, '--filter', 'refund.scenario')).out).toMatch(/6 passed, 0 failed\n$/);
});

it('accepts a journey or a pipeline in place of the scenarios named after it', async () => {
  const played = async (file: string) => (await run(file)).out.replace(/\d+ ms/g, '');
  expect(await played('specs/hello.journey.yaml')).toBe(await played('specs/hello.scenario.yaml'));
  expect(await played('specs/pipelines/vans.pipeline.yaml')).toBe(await played('specs/pipelines/vans.scenario.yaml'));
  expect(await played('hello')).toBe(await played('specs/hello.scenario.yaml'));
  expect(await played('vans')).toBe(await played('specs/pipelines/vans.scenario.yaml'));
  const { error, exitCode } = await run('test/unit/scenarios/fixtures/alone.journey.yaml');
  expect(error).toContain(
    'alone.journey.yaml:1:1 SCENARIO_FILE There is no scenario file with the same name beside it',
  );
  expect(error).toContain('alone.scenario.yaml');
  expect(exitCode).toBe(1);
});

it('fails if no scenario is found', async () => {
  const { out, exitCode } = await run(fixtures, '--filter', 'nobody wrote this one');
  expect({ out, exitCode }).toEqual({ out: 'No scenarios found.\n', exitCode: 1 });
});

it('prints JSON for tools', async () => {
  const { out } = await run(fixtures, '--filter', 'nobody', '--format', 'json');
  expect(JSON.parse(out)).toMatchObject({
    passed: 1,
    failed: 0,
    findings: [],
    scenarios: [
      { journey: 'refund', name: 'nobody decides', passed: true, run: { phase: 'FAILED', elapsedMs: 86_400_000 } },
    ],
  });
});

it('fails on a file with errors', async () => {
  const { error, out, exitCode } = await run(`${fixtures}/none.scenario.yaml`);
  expect(error).toContain('SCENARIO_FILE');
  expect(out).toContain('0 passed, 0 failed, 1 error in files');
  expect(exitCode).toBe(1);
});
