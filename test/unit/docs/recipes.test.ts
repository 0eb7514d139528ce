import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readJourneys } from '../../../src/library/journeys.js';
import { loadScenarios } from '../../../src/scenarios/files.js';
import { runScenario } from '../../../src/scenarios/run-scenario.js';
import { blocksOf } from '../../support/doc-blocks.js';

/** The page's journeys and scenarios as files, each scenario file named after the journey before it. */
function written(): string {
  const folder = mkdtempSync(join(tmpdir(), 'journeyman-recipes-'));
  let name = '';
  for (const { text } of blocksOf('docs/recipes.md').filter(({ lang }) => lang === 'yaml')) {
    const { metadata } = parse(text) as { metadata?: { name: string } };
    name = metadata?.name ?? name;
    writeFileSync(join(folder, `${name}.${metadata ? 'journey' : 'scenario'}.yaml`), text);
  }
  return folder;
}

describe('recipes', async () => {
  const folder = written();
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const journeys = await readJourneys([folder], {});
  const { scenarios, findings } = await loadScenarios([folder], {});

  it('are valid, and have scenarios; the page says why the one remark may stand', () => {
    expect([...journeys.findings, ...findings].map(({ code }) => code)).toEqual(['CYCLE_WITHOUT_PAUSE']);
    expect(journeys.files).toHaveLength(10);
    expect(new Set(scenarios.map(({ definition }) => definition.name))).toEqual(new Set(journeys.byName.keys()));
  });

  it.each(scenarios.map((it) => [`${it.definition.name}: ${it.scenario.name}`, it] as const))(
    '%s',
    async (_, { definition, scenario }) => {
      expect((await runScenario(definition, scenario)).mismatches).toEqual([]);
    },
  );
});
