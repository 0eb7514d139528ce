import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { describeCadence } from '../../../../src/schedules/cadence/describe-cadence.js';
import { preview } from '../../../../src/schedules/preview-cadence-runs.js';
import { cron, interval } from './support/cadences.js';

const page = readFileSync(new URL('../../../../docs/cadences.md', import.meta.url), 'utf8');
const blocks = [...page.matchAll(/```text\n(.*?), after (\S+)\n(.*?)\n(.*?)```/gs)];

describe('docs/cadences.md', () => {
  it.each(blocks.map((block) => block.slice(1) as [string, string, string, string]))(
    'shows the real result of %s after %s',
    (title, after, words, lines) => {
      const [, expression, zone] = /^(.*) in (\S+)$/.exec(title) ?? [];
      const [, duration, anchor] = /^(.*) from (\S+)$/.exec(title) ?? [];
      const cadence = expression ? cron(expression, zone) : interval(duration!, anchor!);
      expect(words).toBe(describeCadence(cadence));
      const runs = preview(cadence, Date.parse(after), lines.trim().split('\n').length);
      const shown = runs.map(({ instant, local, offset, note }) =>
        [`${instant.slice(0, 19)}Z`, `${local}${offset}`, ...(note ? [note] : [])].join('  '),
      );
      expect(lines.trim().split('\n')).toEqual(shown);
    },
  );

  it('has examples', () => {
    expect(blocks.length).toBeGreaterThan(5);
  });
});
