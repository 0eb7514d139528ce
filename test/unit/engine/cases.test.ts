import { describe, expect, it } from 'vitest';
import type { Definition } from '../../../src/engine/definition/definition.js';
import { runScenario } from '../../../src/scenarios/run-scenario.js';
import type { Scenario } from '../../../src/scenarios/scenario.js';
import type { ScenarioRunner } from '../../../src/scenarios/scenario-observation.js';
import { play } from '../../../src/scenarios/virtual/virtual-runner.js';
import { journey, languages, readCases, scenariosOf, topics } from './harness.js';

/** Continues the run as a new execution at every safe point, so that each state is resumed from its position. */
const continuing: ScenarioRunner = {
  run: (definition, scenario) => play(definition, scenario, { wantsContinue: (run) => run.trail.entries.length > 0 }),
};

async function mismatches(definition: Definition, scenario: Scenario, runner?: ScenarioRunner): Promise<string[]> {
  const report = await runScenario(definition, scenario, runner);
  return report.mismatches.map(({ subject, message }) => `${subject}: ${message}`);
}

describe.each(topics)('%s', (topic) => {
  for (const given of readCases(topic)) {
    for (const lang of languages.filter((id) => given.lang === undefined || given.lang === id)) {
      for (const scenario of scenariosOf(given)) {
        it(`${given.name}: ${scenario.name} (${lang})`, async () => {
          const definition = journey(given.spec, lang, given);
          expect(await mismatches(definition, scenario)).toEqual([]);
          expect(await mismatches(definition, scenario, continuing), 'continued at every safe point').toEqual([]);
        });
      }
    }
  }
});
