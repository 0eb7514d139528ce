import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load-config.js';
import { readJourneys } from '../../src/library/read-journeys.js';
import { readApiCatalogue } from '../../src/library/read-library.js';
import { readPipelines } from '../../src/library/read-pipelines.js';
import { loadScenarios } from '../../src/scenarios/load-scenarios.js';
import { runPipelineScenario } from '../../src/scenarios/pipelines/run-pipeline-scenario.js';
import { runScenario } from '../../src/scenarios/run-scenario.js';

const config = loadConfig({ cwd: new URL('../..', import.meta.url).pathname, env: {} });

describe('the examples', async () => {
  const { catalogue, findings: apiFindings } = await readApiCatalogue(config.catalogue);
  const journeys = await readJourneys([config.specs], { catalogue });
  const strict = await readJourneys([config.specs], { catalogue, compat: false });
  const pipelines = await readPipelines([config.specs], journeys, { catalogue });
  const { scenarios, pipelines: pipelineScenarios, findings } = await loadScenarios([config.specs], { catalogue });
  const definitions = [...journeys.byName.values()].flat().map(({ definition }) => definition);

  it('are valid, also in strict mode except for extensions, without warnings', () => {
    const strictly = strict.findings.filter(({ code }) => !code.endsWith('_EXTENSION'));
    expect([...apiFindings, ...journeys.findings, ...strictly]).toEqual([]);
    expect(definitions).toHaveLength(journeys.files.length);
  });

  it('include pipelines without warnings', () => {
    expect(pipelines.findings).toEqual([]);
    expect(pipelines.pipelines).toHaveLength(pipelines.files.length);
  });

  it('have scenarios without warnings', () => {
    expect(findings).toEqual([]);
    expect(new Set(scenarios.map(({ definition }) => definition.name))).toEqual(new Set(journeys.byName.keys()));
    expect([...new Set(pipelineScenarios.map(({ pipeline }) => pipeline.name))].sort()).toEqual(
      pipelines.pipelines.map(({ definition }) => definition.name),
    );
  });

  it.each(scenarios.map((it) => [`${it.definition.name}: ${it.scenario.name}`, it] as const))(
    '%s',
    async (_, { definition, scenario }) => {
      expect((await runScenario(definition, scenario)).mismatches).toEqual([]);
    },
  );

  it.each(pipelineScenarios.map((it) => [`${it.pipeline.name}: ${it.scenario.name}`, it] as const))(
    '%s',
    async (_, { pipeline, scenario }) => {
      expect((await runPipelineScenario(pipeline, scenario)).mismatches).toEqual([]);
    },
  );
});
