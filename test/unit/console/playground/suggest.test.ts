import { describe, expect, it } from 'vitest';
import { describeAt, suggest } from '../../../../src/console/playground/worker/suggest.js';
import { journeySchema } from '../../../../src/language/schema/journey-schema.js';

/** The suggestions at the `|` in a text. */
function at(text: string): string[] {
  const offset = text.indexOf('|');
  return suggest(journeySchema, text.replace('|', ''), offset)?.suggestions.map(({ label }) => label) ?? [];
}

const head = 'apiVersion: v1\nkind: Journey\nmetadata: { name: a, version: 1.0.0 }\n';

describe('suggest', () => {
  it('suggests fields that do not exist yet', () => {
    expect(at('|')).toEqual(expect.arrayContaining(['apiVersion', 'kind', 'metadata', 'spec']));
    expect(at(`${head}|`)).toEqual(['spec']);
    expect(at(`${head}spec:\n  start: a\n  |`)).toEqual(expect.arrayContaining(['states', 'input', 'subjourneys']));
    expect(at(`${head}spec:\n  start: a\n  |`)).not.toContain('start');
  });

  it('suggests values, and the fields of the selected state type and task kind', () => {
    expect(at('kind: |')).toEqual(['Journey', 'Api']);
    const states = `${head}spec:\n  start: a\n  states:\n    a:\n`;
    expect(at(`${states}      type: |`)).toEqual(expect.arrayContaining(['task', 'choice', 'timer']));
    expect(at(`${states}      type: timer\n      |`)).toEqual(expect.arrayContaining(['timer', 'next']));
    expect(at(`${states}      type: timer\n      |`)).not.toContain('choices');
    expect(at(`${states}      |\n      type: choice`)).toEqual(expect.arrayContaining(['choices', 'default']));
    expect(at(`${states}      type: task\n      task:\n        kind: httpCall:v1\n        |`)).toContain(
      'operationRef',
    );
  });

  it('reads items of lists, with and without indentation', () => {
    const choice = `${head}spec:\n  states:\n    a:\n      type: choice\n      choices:\n`;
    expect(at(`${choice}        - |`)).toEqual(expect.arrayContaining(['when', 'next']));
    expect(at(`${choice}        - when:\n            predicate: x\n          |`)).toEqual(['next']);
    expect(at(`${choice}      - next: b\n        |`)).toEqual(['when']);
  });

  it('suggests nothing inside a text, and accepts any text', () => {
    expect(at('# a comment |')).toEqual([]);
    expect(at('metadata:\n  description: something |')).toEqual([]);
    for (const text of ['- - - |', ':::\n  |', '\t|', '{ a: |', '? |', '"a": "|'])
      expect(Array.isArray(at(text)), text).toBe(true);
  });
});

describe('describeAt', () => {
  it('describes the field under the pointer', () => {
    const text = `${head}spec:\n  start: a\n`;
    expect(describeAt(journeySchema, text, text.indexOf('start') + 2)).toEqual({
      from: text.indexOf('start'),
      to: text.indexOf('start') + 5,
      text: 'The state at which a run starts.',
    });
    expect(describeAt(journeySchema, text, text.indexOf('Journey'))).toBeNull();
  });
});
