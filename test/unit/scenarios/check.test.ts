import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { loadScenarios } from '../../../src/scenarios/load-scenarios.js';

const folder = mkdtempSync(join(tmpdir(), 'scenarios-'));
const journey = fileURLToPath(new URL('fixtures/refund.journey.yaml', import.meta.url));
afterAll(() => rmSync(folder, { recursive: true }));

async function findings(text: string, name = 'x.scenario.yaml') {
  const file = join(folder, name);
  writeFileSync(file, text);
  return (await loadScenarios([file])).findings.map(({ code, line, column, hint }) => ({ code, line, column, hint }));
}

describe('names that the journey does not define', () => {
  const scenario = (fields: string) =>
    `journey: ${journey}\nscenarios:\n  a:\n    ${fields}\n    expect: {phase: FAILED}\n`;

  it.each([
    ['a step', 'steps: [{step: aprove}]', 'SCENARIO_STEP_UNKNOWN', 20, 'approve'],
    ['a signal', 'signals: [{step: aprove}]', 'SCENARIO_STEP_UNKNOWN', 22, 'approve'],
    ['a state', 'cancel: {afterState: aprove}', 'SCENARIO_STATE_UNKNOWN', 26, 'approve'],
    ['a configuration key', 'config: {limt: 1}', 'SCENARIO_CONFIG_UNKNOWN', 14, 'limit'],
  ])('are reported for %s', async (_, fields, code, column, meant) => {
    expect(await findings(scenario(fields))).toEqual([{ code, line: 4, column, hint: `Did you mean "${meant}"?` }]);
  });

  it('are reported for operations, outcomes and expected states', async () => {
    const text = `journey: ${journey}
scenarios:
  a:
    backend: [{operation: bank.pay, reply: {}}]
    expect: {outcomeId: fine, states: [smal], currentState: dne, activeSteps: [pay]}
`;
    expect((await findings(text)).map(({ code }) => code)).toEqual([
      'SCENARIO_OPERATION_UNKNOWN',
      'SCENARIO_OUTCOME_UNKNOWN',
      'SCENARIO_STATE_UNKNOWN',
      'SCENARIO_STATE_UNKNOWN',
      'SCENARIO_STEP_UNKNOWN',
    ]);
  });

  it('are allowed for a step whose rejection is expected', async () => {
    expect(await findings(scenario('steps: [{step: none, at: PT1S, expect: {code: STEP_UNKNOWN}}]'))).toEqual([]);
  });
});

it('a scenario without a journey next to it is reported', async () => {
  expect(await findings('scenarios: {a: {expect: {phase: FAILED}}}', 'lonely.scenario.yaml')).toMatchObject([
    { code: 'SCENARIO_JOURNEY', line: 1 },
  ]);
});

it('a journey with errors is reported at its own location', async () => {
  writeFileSync(join(folder, 'bad.journey.yaml'), 'apiVersion: v1\nkind: Journey\n');
  writeFileSync(join(folder, 'bad.scenario.yaml'), 'scenarios: {a: {expect: {phase: FAILED}}}');
  const found = await loadScenarios([join(folder, 'bad.scenario.yaml')]);
  expect(found.scenarios).toEqual([]);
  expect(found.findings.length).toBeGreaterThan(0);
  expect(new Set(found.findings.map(({ file }) => file))).toEqual(new Set([join(folder, 'bad.journey.yaml')]));
});
