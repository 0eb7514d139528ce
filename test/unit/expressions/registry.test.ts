import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Site } from '../../../src/expressions/expression.js';
import { compileExpression, expressionEngine, languages } from '../../../src/expressions/index.js';
import { nearest } from '../../../src/problems/nearest.js';
import { ProblemError } from '../../../src/problems/problem.js';

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

describe('the registry of expression languages', () => {
  it.each(languages)('knows %s by its id', (id) => {
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
  ])('refuses %j with a hint', (id, hint) => {
    expect(refusal(() => expressionEngine(id))).toMatchObject({ code: 'LANG_UNKNOWN', hint });
  });

  it.each(['jolt', 'jq'])('JL-U24 says that %s is known but not supported', (id) => {
    const { code, detail } = refusal(() => compileExpression({ lang: id, expr: '.' }, site));
    expect(code).toBe('LANG_UNKNOWN');
    expect(detail).toContain('known but not supported');
  });

  it('gives the same compiled expression for the same question and another for another site', () => {
    const question = { lang: 'jsonata', expr: 'context.kept' };
    const first = compileExpression(question, site);
    expect(compileExpression({ ...question }, { ...site })).toBe(first);
    expect(compileExpression(question, { ...site, kind: 'predicate' })).not.toBe(first);
    expect(compileExpression(question, { ...site, bindings: ['context', 'error'] })).not.toBe(first);
  });

  it('tells strict from journey mode, which is the default', () => {
    const question = { lang: 'dataweave', expr: 'context.kept' };
    const first = compileExpression(question, site);
    expect(compileExpression(question, { ...site, mode: 'journey' })).toBe(first);
    expect(compileExpression(question, { ...site, mode: 'strict' })).not.toBe(first);
    expect(compileExpression(question, site)).toBe(first);
  });

  it('forgets the oldest when it has seen very many, and compiles it again', () => {
    const question = { lang: 'dataweave', expr: 'context.oldest' };
    const first = compileExpression(question, site);
    for (let i = 0; i < 5_000; i++) compileExpression({ lang: 'dataweave', expr: `context.many${i}` }, site);
    expect(compileExpression(question, site)).not.toBe(first);
  });

  it('does not keep what was refused', () => {
    const question = { lang: 'jsonata', expr: 'context.(' };
    expect(refusal(() => compileExpression(question, site)).code).toBe('JSONATA_PARSE_ERROR');
    expect(refusal(() => compileExpression(question, site)).code).toBe('JSONATA_PARSE_ERROR');
  });
});

describe('the nearest word', () => {
  it('finds a word again after one slip', () => {
    const words = ['payload', 'context', 'platform', 'branches', 'outcome'];
    fc.assert(
      fc.property(fc.constantFrom(...words), fc.nat(), fc.constantFrom('drop', 'swap', 'add'), (word, at, slip) => {
        const i = at % (word.length - 1);
        const slipped = {
          drop: word.slice(0, i) + word.slice(i + 1),
          swap: word.slice(0, i) + word[i + 1] + word[i] + word.slice(i + 2),
          add: `${word.slice(0, i)}z${word.slice(i)}`,
        }[slip];
        expect(nearest(slipped, words)).toBe(word);
      }),
    );
  });

  it('keeps quiet when nothing is near', () => {
    expect(nearest('xyzzy', ['payload', 'context'])).toBeUndefined();
    expect(nearest('x'.repeat(10_000), ['payload'])).toBeUndefined();
  });
});
