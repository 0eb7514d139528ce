import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { load } from '../../../src/language/load-journey.js';
import { readJourneys } from '../../../src/library/read-journeys.js';
import { loadScenarios } from '../../../src/scenarios/load-scenarios.js';
import { runScenario } from '../../../src/scenarios/run-scenario.js';
import { blocksOf, pageText } from '../../support/doc-blocks.js';

/** A page's journeys and scenarios as files, each scenario file named after the journey before it. */
function written(page: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'journeyman-docs-'));
  let name = '';
  for (const { lang, text } of blocksOf(page)) {
    const { metadata, scenarios } =
      lang === 'yaml' ? (parse(text) as { metadata?: { name: string }; scenarios?: object }) : {};
    name = metadata?.name ?? name;
    if (metadata) writeFileSync(join(folder, `${name}.journey.yaml`), text);
    if (scenarios) writeFileSync(join(folder, `${name}.scenario.yaml`), text);
  }
  return folder;
}

describe.each(['docs/tutorial.md', 'docs/recipes.md', 'docs/activities.md'])('the journeys of %s', async (page) => {
  const folder = written(page);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const journeys = await readJourneys([folder], {});
  const { scenarios, findings } = await loadScenarios([folder], {});

  it('are valid, and have scenarios', () => {
    expect([...journeys.findings, ...findings].map(({ code }) => code)).toEqual([]);
    expect(scenarios.length).toBeGreaterThan(0);
    expect(new Set(scenarios.map(({ definition }) => definition.name))).toEqual(new Set(journeys.byName.keys()));
  });

  it.each(scenarios.map((it) => [`${it.definition.name}: ${it.scenario.name}`, it] as const))(
    '%s',
    async (_, { definition, scenario }) => {
      expect((await runScenario(definition, scenario)).mismatches).toEqual([]);
    },
  );
});

it.each([
  ['default: approve', 'default: aprove'],
  ['context.amount <=', 'context.amonut <='],
])('the tutorial shows the finding about its mistake: %s', (right, wrong) => {
  const text = blocksOf('docs/tutorial.md').find((it) => it.text.includes('name: refund'))!.text;
  const [finding] = load({ text: text.replace(right, wrong) }).findings;
  const { line, column, severity, code, message, hint } = finding!;
  expect(pageText('docs/tutorial.md')).toContain(`:${line}:${column} ${severity} ${code} ${message} (${hint})`);
});
