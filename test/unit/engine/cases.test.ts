import { describe, expect, test } from 'vitest';
import { runScenario } from '../../../src/scenarios/run-scenario.js';
import { journey, languages, readCases, scenariosOf, topics } from './harness.js';

describe.each(topics)('%s', (topic) => {
  for (const it of readCases(topic)) {
    for (const lang of languages.filter((id) => it.lang === undefined || it.lang === id)) {
      for (const scenario of scenariosOf(it)) {
        test(`${it.name}: ${scenario.name} (${lang})`, async () => {
          const report = await runScenario(journey(it.spec, lang, it), scenario);
          expect(report.mismatches.map(({ subject, message }) => `${subject}: ${message}`)).toEqual([]);
        });
      }
    }
  }
});
