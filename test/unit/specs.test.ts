import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load.js';
import { readApiCatalogue } from '../../src/library/api-documents.js';
import { readJourneys } from '../../src/library/journeys.js';
import { loadScenarios } from '../../src/scenarios/files.js';
import { runScenario } from '../../src/scenarios/run-scenario.js';

const config = loadConfig({ cwd: new URL('../..', import.meta.url).pathname, env: {} });

describe('the example journeys', async () => {
  const { catalogue, findings: apiFindings } = await readApiCatalogue(config.catalogue);
  const journeys = await readJourneys([config.specs], { catalogue, compat: false });
  const { scenarios, findings } = await loadScenarios([config.specs], { catalogue });
  const definitions = [...journeys.byName.values()].flat().map(({ definition }) => definition);

  it('are valid in strict mode, without a remark', () => {
    expect([...apiFindings, ...journeys.findings]).toEqual([]);
    expect(definitions).toHaveLength(journeys.files.length);
  });

  it('each have scenarios, without a remark', () => {
    expect(findings).toEqual([]);
    expect(new Set(scenarios.map(({ definition }) => definition.name))).toEqual(new Set(journeys.byName.keys()));
  });

  it.each(scenarios.map((it) => [`${it.definition.name}: ${it.scenario.name}`, it] as const))(
    '%s',
    async (_, { definition, scenario }) => {
      expect((await runScenario(definition, scenario)).mismatches).toEqual([]);
    },
  );
});
