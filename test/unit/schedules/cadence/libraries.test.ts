import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { rules } from '../../../fuzz/cron/compare.js';
import { fuzzCron } from '../../../fuzz/cron/fuzz.js';

describe('cron compared with cron-parser and croner (SCH-T11, SCH-T12, SCH-D9, SCH-D10)', () => {
  it('differs on 300 random expressions only by documented rules; npm run fuzz:cron checks 10,000', () => {
    const { unexplained, byRule } = fuzzCron(300, 7);
    expect(unexplained).toEqual([]);
    expect(Object.keys(byRule).filter((it) => !rules.includes(it.split(': ')[1] as (typeof rules)[number]))).toEqual(
      [],
    );
  }, 120_000);

  it('has every rule in docs/cadences.md', () => {
    const page = readFileSync(new URL('../../../../docs/cadences.md', import.meta.url), 'utf8');
    const [, section = ''] = page.split('## Differences from other cron libraries');
    const named = [...section.matchAll(/^\| \*\*([a-z ]+)\*\* \|/gm)].map((it) => it[1]!);
    expect(named.sort()).toEqual([...rules].sort());
  });
});
