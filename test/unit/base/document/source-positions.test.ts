import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ProblemError, problem } from '../../../../src/base/problems/problem.js';
import type { Expression } from '../../../../src/engine/definition/definition.js';
import type { CompiledExpression } from '../../../../src/expressions/expression-engine-interface.js';
import { load } from '../../../../src/language/load-journey.js';
import { doc, state } from '../../language/cases/case.js';

/** Rejects every expression at its `@@`. */
function refuseAtMark({ expr }: Expression): CompiledExpression {
  const before = expr.slice(0, expr.indexOf('@@')).split('\n');
  const place = { line: before.length, column: before.at(-1)!.length + 1 };
  throw new ProblemError(problem('DW_PARSE_ERROR', `no @@ here (line ${place.line}, column ${place.column})`, place));
}

function placeOf(text: string): { line: number; column: number } {
  const before = text.slice(0, text.indexOf('@@')).split('\n');
  return { line: before.length, column: before.at(-1)!.length + 1 };
}

const around = (expr: string) =>
  doc({ states: state(`type: transform\ntransform:\n  mapper:\n    lang: dataweave\n${expr}\nnext: end`) });

describe('positions of errors inside an expression', () => {
  it.each([
    ['a literal block', '    expr: |\n      {\n        leaf: 1,\n        cup: @@\n      }'],
    ['a literal block with a wide indent', '    expr: |\n            {\n              a: @@ }'],
    ['a literal block with an indentation indicator', '    expr: |2\n        a\n          ++ @@'],
    ['a folded block', '    expr: >\n      a ++\n      b ++ @@'],
    ['a folded block with more-indented lines', '    expr: >\n      a ++\n        c\n      b ++ @@'],
    ['a plain scalar', '    expr: context.a ++ @@'],
    ['a plain scalar over lines', '    expr: context.a\n      ++ b\n      ++ @@'],
    ['single quotes', "    expr: 'it''s ++ ''x'' ++ @@'"],
    ['double quotes with escapes', '    expr: "\\"a\\"\\n ++ \\u0041 ++ @@"'],
    ['double quotes over lines', '    expr: "a ++\n      b ++ @@"'],
    ['a flow mapping', '    expr: { }'],
  ])('%s', (_, expr) => {
    const text = expr.includes('@@')
      ? around(expr)
      : doc({ states: state('type: transform\ntransform: { mapper: { lang: dataweave, expr: "a @@" } }\nnext: end') });
    const { findings } = load({ text }, { compile: refuseAtMark });
    const found = findings.find(({ code }) => code === 'DW_PARSE_ERROR');
    expect(found).toMatchObject({
      ...placeOf(text),
      message: 'no @@ here',
      pointer: '/spec/states/a/transform/mapper/expr',
    });
  });

  it('are right for any block text (property)', () => {
    const line = fc.string({ unit: fc.constantFrom('a', '+', ' ', '(', "'", '"', '#', ':'), maxLength: 8 });
    fc.assert(
      fc.property(fc.array(line, { maxLength: 5 }), line, fc.integer({ min: 1, max: 6 }), (before, same, by) => {
        const lines = ['start', ...before, `x${same}@@`].map((each) => ' '.repeat(4 + by) + each);
        const text = around(`    expr: |\n${lines.join('\n')}`);
        const { findings } = load({ text }, { compile: refuseAtMark });
        expect(findings.find(({ code }) => code === 'DW_PARSE_ERROR')).toMatchObject(placeOf(text));
      }),
      { numRuns: 200 },
    );
  });

  it('are right for lints, which are warnings', () => {
    const text = around('    expr: |\n      a ++\n        @@');
    const lint = { code: 'DW-D1', severity: 'warning' as const, message: 'odd', pointer: '', line: 2, column: 3 };
    const { definition, findings } = load({ text }, { compile: () => ({ lints: [lint], evaluate: () => null }) });
    expect(findings).toMatchObject([{ code: 'DW-D1', severity: 'warning', ...placeOf(text) }]);
    expect(definition).toBeDefined();
  });

  it('are given for an engine that throws', () => {
    const { findings } = load(
      { text: around('    expr: x') },
      {
        compile: () => {
          throw new RangeError('too deep');
        },
      },
    );
    expect(findings.map(({ code }) => code)).toEqual(['DW_ENGINE_INTERNAL_ERROR']);
  });

  it.each([
    [
      'used twice',
      'a: { type: transform, transform: { mapperRef: m }, next: b }\nb: { type: transform, transform: { mapperRef: m }, next: e }\ne: { type: succeed }',
    ],
    ['unused', 'a: { type: succeed }'],
  ])('are reported once for a named mapper that is %s', (_, states) => {
    const text = doc({ spec: 'mappers: { m: { lang: dataweave, expr: "1 + @@" } }', states });
    const { findings } = load({ text }, { compile: refuseAtMark });
    expect(findings).toMatchObject([{ code: 'DW_PARSE_ERROR', pointer: '/spec/mappers/m/expr', ...placeOf(text) }]);
  });

  it('are those of the reference if the language of a named mapper does not fit', () => {
    const text = doc({
      spec: 'mappers: { m: { lang: jolt, expr: "[]" } }',
      states: state('type: timer\ntimer: { duration: { mapperRef: m } }\nnext: end'),
    });
    const { findings } = load({ text });
    expect(findings).toContainEqual(
      expect.objectContaining({ code: 'LANG_SITE', pointer: '/spec/states/a/timer/duration/mapperRef' }),
    );
  });
});

describe('the language of an expression', () => {
  it.each([
    ['LANG_UNKNOWN', 'python'],
    ['LANG_SITE', 'jolt'],
  ])('%s', (code, lang) => {
    const text = doc({
      states: state(
        `type: choice\nchoices: [{ when: { predicate: { lang: ${lang}, expr: "1" } }, next: end }]\ndefault: end`,
      ),
    });
    expect(load({ text }).findings).toMatchObject([{ code, pointer: '/spec/states/a/choices/0/when/predicate/lang' }]);
  });
});
