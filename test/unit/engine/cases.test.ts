import { describe, expect, it } from 'vitest';
import { runScenario } from '../../../src/scenarios/run-scenario.js';
import { journey, languages, readCases, scenariosOf, topics } from './harness.js';

describe.each(topics)('%s', (topic) => {
  for (const given of readCases(topic)) {
    for (const lang of languages.filter((id) => given.lang === undefined || given.lang === id)) {
      for (const scenario of scenariosOf(given)) {
        it(`${given.name}: ${scenario.name} (${lang})`, async () => {
          const report = await runScenario(journey(given.spec, lang, given), scenario);
          expect(report.mismatches.map(({ subject, message }) => `${subject}: ${message}`)).toEqual([]);
        });
      }
    }
  }
});
