import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { loadScenarios } from '../../../src/scenarios/load-scenarios.js';
import { runScenario } from '../../../src/scenarios/run-scenario.js';

const fixture = (name: string) => fileURLToPath(new URL(`fixtures/${name}`, import.meta.url));

describe('a scenario file next to its journey', async () => {
  const { scenarios, findings } = await loadScenarios([fixture('refund.scenario.yaml')]);

  it('loads without findings', () => {
    expect(findings).toEqual([]);
    expect(scenarios).toHaveLength(6);
  });

  it.each(scenarios.map((it) => [it.scenario.name, it] as const))('%s', async (_, { definition, scenario }) => {
    expect((await runScenario(definition, scenario)).mismatches).toEqual([]);
  });

  it('has the same report each time', async () => {
    const [{ definition, scenario }] = scenarios as [(typeof scenarios)[0]];
    expect(await runScenario(definition, scenario)).toEqual(await runScenario(definition, scenario));
  });
});

it('reports mismatches with their locations', async () => {
  const { scenarios } = await loadScenarios([fixture('wrong.scenario.yaml')]);
  const { definition, scenario } = scenarios[0]!;
  const { passed, mismatches } = await runScenario(definition, scenario);
  expect(passed).toBe(false);
  expect(mismatches.map((it) => `${it.line}:${it.column} ${it.subject}: ${it.message}`)).toEqual([
    '3:3 scenario: No reply is scripted for POST https://bank.test/refunds.',
    '7:9 steps[0]: rejected with STEP_INVALID: /approved must be boolean',
    '9:9 steps[1].phase: expected "RUNNING", got "FAILED"',
    '14:7 output: expected {"status":"REFUNDED","reference":"r-2","extra":1}, got null',
    '15:7 calls: unexpected POST https://bank.test/refunds',
    '16:7 states: expected "small → pay", got "small → approve → decided → pay → paid → broken"',
    '17:7 elapsed: expected PT1S, got PT0S',
  ]);
});

it('is found in a folder', async () => {
  const { scenarios } = await loadScenarios([fixture('')]);
  expect(new Set(scenarios.map(({ file }) => file))).toEqual(
    new Set([fixture('refund.scenario.yaml'), fixture('wrong.scenario.yaml')]),
  );
});

it('is reported if it does not exist', async () => {
  const { findings } = await loadScenarios([fixture('none.scenario.yaml')]);
  expect(findings).toMatchObject([{ code: 'SCENARIO_FILE', message: 'The file does not exist.' }]);
});
