import { existsSync, readFileSync } from 'node:fs';
import type { Json, JsonObject } from '../../src/base/json/value.js';
import { answerLine } from '../../src/cli/schedule/plain-english-command.js';
import { type Section, shared, type Tally } from './section.js';

const file = new URL('corpus/schedule-intents.json', shared);

interface Corpus {
  context: JsonObject;
  intents: { id: number; utterance: string; contextOverride?: JsonObject; expect: JsonObject }[];
}

/** Schedules in plain English: every line must be byte-identical and reproducible. */
export const intentSections: Section[] = [
  {
    name: 'schedule-intents',
    run: async () => {
      if (!existsSync(file)) return { skipped: 'the corpus is missing (../shared/corpus/schedule-intents.json)' };
      const { context, intents } = JSON.parse(readFileSync(file, 'utf8')) as Corpus;
      const tally: Tally = { passed: 0, failures: [] };
      for (const { id, utterance, contextOverride, expect } of intents) {
        const request: Json = { id, utterance, context: { ...context, ...contextOverride } };
        const [once, again] = [answerLine(JSON.stringify(request)), answerLine(JSON.stringify(request))];
        const wanted = JSON.stringify({ id, ...expect });
        if (once === wanted && again === once) tally.passed++;
        else
          tally.failures.push({ id: String(id), line: `${utterance}\n    expected ${wanted}\n    got      ${once}` });
      }
      return tally;
    },
  },
];
