import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nearestName } from '../../../src/base/problems/nearest-name.js';
import { ProblemError } from '../../../src/base/problems/problem.js';
import type { Site } from '../../../src/expressions/expression-engine-interface.js';
import { compileExpression, expressionEngine, languages } from '../../../src/expressions/index.js';

const site: Site = { kind: 'mapper', bindings: ['context'] };

function refusal(action: () => unknown) {
  try {
    action();
  } catch (error) {
    if (error instanceof ProblemError) return error.problem;
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('The registry of expression languages', () => {
  it.each(languages)('finds %s by its id', (id) => {
    expect(expressionEngine(id).id).toBe(id);
  });

  it.each([
    ['datawaeve', "Did you mean 'dataweave'?"],
    ['DataWeave', "Did you mean 'dataweave'?"],
    ['jsonnata', "Did you mean 'jsonata'?"],
    ['cobol', 'Use dataweave or jsonata.'],
    ['', 'Use dataweave or jsonata.'],
    ['__proto__', 'Use dataweave or jsonata.'],
    ['toString', 'Use dataweave or jsonata.'],
  ])('rejects %j with a hint', (id, hint) => {
    expect(refusal(() => expressionEngine(id))).toMatchObject({ code: 'LANG_UNKNOWN', hint });
  });

  it.each(['jolt', 'jq'])('JL-U24 reports that %s is known but not supported', (id) => {
    const { code, detail } = refusal(() => compileExpression({ lang: id, expr: '.' }, site));
    expect(code).toBe('LANG_UNKNOWN');
    expect(detail).toContain('known but not supported');
  });

  it('caches compiled expressions per text and site', () => {
    const question = { lang: 'jsonata', expr: 'context.kept' };
    const first = compileExpression(question, site);
    expect(compileExpression({ ...question }, { ...site })).toBe(first);
    expect(compileExpression(question, { ...site, kind: 'predicate' })).not.toBe(first);
    expect(compileExpression(question, { ...site, bindings: ['context', 'error'] })).not.toBe(first);
  });

  it('distinguishes strict mode from journey mode, which is the default', () => {
    const question = { lang: 'dataweave', expr: 'context.kept' };
    const first = compileExpression(question, site);
    expect(compileExpression(question, { ...site, mode: 'journey' })).toBe(first);
    expect(compileExpression(question, { ...site, mode: 'strict' })).not.toBe(first);
    expect(compileExpression(question, site)).toBe(first);
  });

  it('evicts the oldest expression when the cache is full, and compiles it again', () => {
    const question = { lang: 'dataweave', expr: 'context.oldest' };
    const first = compileExpression(question, site);
    for (let i = 0; i < 5_000; i++) compileExpression({ lang: 'dataweave', expr: `context.many${i}` }, site);
    expect(compileExpression(question, site)).not.toBe(first);
  });

  it('does not cache rejected expressions', () => {
    const question = { lang: 'jsonata', expr: 'context.(' };
    expect(refusal(() => compileExpression(question, site)).code).toBe('JSONATA_PARSE_ERROR');
    expect(refusal(() => compileExpression(question, site)).code).toBe('JSONATA_PARSE_ERROR');
  });
});

describe('Suggestions for misspelled names', () => {
  it('find a name with one typo', () => {
    const words = ['payload', 'context', 'platform', 'branches', 'outcome'];
    fc.assert(
      fc.property(fc.constantFrom(...words), fc.nat(), fc.constantFrom('drop', 'swap', 'add'), (word, at, slip) => {
        const i = at % (word.length - 1);
        const slipped = {
          drop: word.slice(0, i) + word.slice(i + 1),
          swap: word.slice(0, i) + word[i + 1] + word[i] + word.slice(i + 2),
          add: `${word.slice(0, i)}z${word.slice(i)}`,
        }[slip];
        expect(nearestName(slipped, words)).toBe(word);
      }),
    );
  });

  it('are omitted when no name is similar', () => {
    expect(nearestName('xyzzy', ['payload', 'context'])).toBeUndefined();
    expect(nearestName('x'.repeat(10_000), ['payload'])).toBeUndefined();
  });
});
