import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { loadScenarios } from '../../../src/scenarios/load-scenarios.js';
import { runScenario } from '../../../src/scenarios/run-scenario.js';

const folder = mkdtempSync(join(tmpdir(), 'shared-'));
afterAll(() => rmSync(folder, { recursive: true }));

const journey = `
apiVersion: v1
kind: Journey
metadata: { name: echo, version: 1.0.0 }
spec:
  input: { schema: { type: object, required: [name] } }
  bindings: { http: { start: { headersToContext: { X-Key: key }, queryToContext: { lang: lang } } } }
  start: first
  states:
    first: { type: task, task: { kind: "httpCall:v1", method: GET, url: "https://a.test/x", resultVar: r }, next: second }
    second: { type: task, task: { kind: "httpCall:v1", method: GET, url: "https://a.test/x", resultVar: r }, next: done }
    done: { type: succeed }
`;

const scenarios = `
given:
  input: { name: Ada }
  headers: { X-Key: k-1 }
  query: { lang: it }
  backend: [{ call: "GET https://a.test/x", reply: {} }]
scenarios:
  shared: { expect: { contextIncludes: { key: k-1, lang: it } } }
  without: { headers: { x-key: null }, query: { lang: null }, expect: { outputIncludes: { key: null } } }
  refused: { input: {}, expect: { phase: SUCCEEDED } }
`;

async function played(text: string, name: string): Promise<string[]> {
  writeFileSync(join(folder, 'echo.journey.yaml'), journey);
  const file = join(folder, 'echo.scenario.yaml');
  writeFileSync(file, text);
  const loaded = await loadScenarios([file]);
  expect(loaded.findings.filter(({ severity }) => severity === 'error')).toEqual([]);
  const { definition, scenario } = loaded.scenarios.find((it) => it.scenario.name === name)!;
  return (await runScenario(definition, scenario)).mismatches.map(({ subject, message }) => `${subject}: ${message}`);
}

it('a scenario removes a shared header or query parameter with null', async () => {
  expect(await played(scenarios, 'shared')).toEqual([]);
  expect(await played(scenarios, 'without')).toEqual(['outputIncludes.key: expected null, got nothing']);
});

it('the reason of a rejected start is reported once', async () => {
  expect(await played(scenarios, 'refused')).toEqual([
    'refused: expected a start, got INPUT_INVALID (/name is required)',
  ]);
});

it('a missing reply is reported once for repeated calls', async () => {
  expect(
    await played(scenarios.replace('  backend: [{ call: "GET https://a.test/x", reply: {} }]\n', ''), 'shared'),
  ).toEqual(['scenario: No reply is scripted for GET https://a.test/x.']);
});
