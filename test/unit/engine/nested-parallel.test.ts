import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { loadScenarios } from '../../../src/scenarios/load-scenarios.js';
import { runScenario } from '../../../src/scenarios/run-scenario.js';

describe('parallels in the branches of a parallel', async () => {
  const folder = fileURLToPath(new URL('fixtures/', import.meta.url));
  const { scenarios, findings } = await loadScenarios([folder]);

  it('load', () => {
    expect(findings).toEqual([]);
  });

  it.each(scenarios.map((it) => [it.scenario.name, it] as const))('%s', async (_, { definition, scenario }) => {
    expect((await runScenario(definition, scenario)).mismatches).toEqual([]);
  });
});
