import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { load } from '../../../src/language/load-journey.js';

const page = (name: string): string => readFileSync(new URL(`../../../docs/${name}`, import.meta.url), 'utf8');

describe('the pages for authors', () => {
  it('R2-09 describe a timer beyond the deadline', () => {
    const [, section = ''] = page('timers.md').split('## Timers and the deadline');
    expect(section).toMatch(/after the deadline\*\* is neither refused nor shortened/);
  });

  it('show a valid journey with subjourneys', () => {
    const [, example = ''] = /```yaml\n([^`]*)```/.exec(page('subjourneys.md')) ?? [];
    const { definition, findings } = load({
      text: `apiVersion: v1\nkind: Journey\nmetadata: { name: example, version: 1.0.0 }\n${example}`,
    });
    expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(Object.keys(definition?.subjourneys ?? {})).toEqual(['check']);
  });
});
