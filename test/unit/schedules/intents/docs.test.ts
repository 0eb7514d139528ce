import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../../../src/base/json/value.js';
import { intentOf } from '../../../../src/schedules/intents/conversation.js';
import { readContext } from '../../../../src/schedules/intents/read-intent-context.js';
import { asked, scheduled } from './support.js';

const page = readFileSync(new URL('../../../../docs/plain-english.md', import.meta.url), 'utf8');
const written = /^\{\n {2}"now"[\s\S]*?^\}$/m.exec(page)![0].replace(/\/\/.*$/gm, '');
const context = JSON.parse(written) as { [key: string]: Json };
const rows = (pattern: RegExp) => [...page.matchAll(pattern)].map((it) => it.slice(1) as string[]);

describe('The examples in docs/plain-english.md', () => {
  it.each(rows(/^\| `([^`]+)` \| `((?:cron|every|once) [^`]+)` \|$/gm))('%s', (words, schedule) => {
    expect(scheduled(words!, context)).toBe(schedule);
  });

  it.each(rows(/^\| `([^`]+)` \| `(schedule\.\w+)` \|$/gm))('%s', (words, functionId) => {
    expect(intentOf(words!, readContext(context))).toMatchObject({ functionId });
  });

  const questions = rows(/^\| `([A-Z_]+)` \| .* \| `([^`]+)` \|$/gm);

  it.each(questions)('result in the question %s: %s', (code, words) => {
    expect(asked(words!, context)).toBe(code);
  });

  it('covers every question code', () => {
    const types = readFileSync(new URL('../../../../src/schedules/intents/intent-types.ts', import.meta.url), 'utf8');
    const codes = [...types.matchAll(/^ {2}\| '([A-Z_]+)'/gm)].map((it) => it[1]);
    expect(questions.map(([code]) => code).sort()).toEqual(codes.sort());
  });
});
