import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ProblemError } from '../../../../src/base/problems/problem.js';
import { compileDataWeave } from '../../../../src/expressions/dataweave/index.js';
import { defaultLimits } from '../../../../src/expressions/expression-engine-interface.js';
import { env, evaluate, problemOf } from './harness.js';

const refused: readonly [name: string, source: string, code: string][] = [
  ['deep parentheses', '('.repeat(5_000), 'DW_UNSUPPORTED_SYNTAX'],
  ['deep negation', `${'not '.repeat(5_000)}true`, 'DW_UNSUPPORTED_SYNTAX'],
  ['a long chain', `1${' + 1'.repeat(5_000)}`, 'DW_UNSUPPORTED_SYNTAX'],
  ['a huge source', ' '.repeat(70_000), 'DW_UNSUPPORTED_SYNTAX'],
  ['a huge range', '1 to 1000000000', 'DW_MAX_RESULT_SIZE_EXCEEDED'],
  ['nested ranges', '(1 to 9000) map ((x) -> (1 to 9000) map $)', 'DW_MAX_EVAL_TIME_EXCEEDED'],
  [
    'exponential recursion',
    'do { fun f(n) = if (n < 2) n else f(n - 1) + f(n - 2) --- f(90) }',
    'DW_MAX_EVAL_TIME_EXCEEDED',
  ],
  ['endless recursion', 'do { fun f(n) = 1 + f(n) --- f(1) }', 'DW_MAX_EVAL_TIME_EXCEEDED'],
  ['an endless loop', 'do { fun f(n) = f(n) --- f(1) }', 'DW_MAX_EVAL_TIME_EXCEEDED'],
  ['recursion through lambdas', 'do { fun f(n) = [n] map f(n) --- f(1) }', 'DW_MAX_EVAL_TIME_EXCEEDED'],
  [
    'doubling text',
    'do { fun d(n, s) = if (n == 0) s else d(n - 1, s ++ s) --- d(60, "ab") }',
    'DW_MAX_RESULT_SIZE_EXCEEDED',
  ],
  [
    'hashing again and again',
    '(1 to 9000) map dw::Crypto::MD5((dw::core::Strings::repeat("x", 9000)) as Binary)',
    'DW_MAX_EVAL_TIME_EXCEEDED',
  ],
  [
    'deep values compared',
    'do { fun d(n, x) = if (n == 0) x else d(n - 1, [x]) --- dw::util::Diff::diff(d(2000, 1), d(2000, 2)) }',
    'DW_MAX_RESULT_SIZE_EXCEEDED',
  ],
  ['a huge number', '1e999999999', 'DW_UNSUPPORTED_SYNTAX'],
  ['a huge power', '10 pow 99999999', 'DW_MAX_RESULT_SIZE_EXCEEDED'],
  ['a huger power', '10 pow 1000000000', 'DW_FUNCTION_ERROR'],
  ['squaring', '(1 to 60) reduce ((i, a = 3) -> a * a)', 'DW_MAX_RESULT_SIZE_EXCEEDED'],
  ['a huge result', '(1 to 60000) map "0123456789"', 'DW_MAX_RESULT_SIZE_EXCEEDED'],
  [
    'a deep result',
    'do { fun d(n, x) = if (n == 0) x else d(n - 1, [x]) --- d(2000, 1) }',
    'DW_MAX_RESULT_SIZE_EXCEEDED',
  ],
];

describe('Hostile input is rejected by a limit', () => {
  it.each(refused)('%s', (_name, source, code) => {
    expect(problemOf(source).code).toBe(code);
  });

  it('parses nested blocks without exponential backtracking', () => {
    const source = `${'do { var a = ('.repeat(40)}1${')\n(a) }'.repeat(40)}`;
    expect(evaluate(source, { mode: 'journey' })).toBe(1);
  });

  it('matches a backtracking pattern in linear time', () => {
    expect(evaluate('import repeat from dw::core::Strings --- (repeat("a", 20000) ++ "!") matches /^(a+)+$/')).toBe(
      false,
    );
  });

  it('treats names like __proto__ as ordinary keys', () => {
    const before = Reflect.ownKeys(Object.prototype).length;
    const value = evaluate('{"__proto__": {polluted: 1}, constructor: 2}') as Record<string, unknown>;
    expect(Object.getPrototypeOf(value)).toBe(null);
    expect(Object.keys(value)).toEqual(['__proto__', 'constructor']);
    expect(evaluate('[payload.constructor, payload.toString, payload.__proto__]')).toEqual([null, null, null]);
    expect(Reflect.ownKeys(Object.prototype).length).toBe(before);
  });

  it('respects lower limits', () => {
    expect(problemOf('1 to 11', {}, { ...defaultLimits, collectionSize: 10 }).code).toBe('DW_MAX_RESULT_SIZE_EXCEEDED');
    expect(problemOf('"abc" ++ "def"', {}, { ...defaultLimits, stringLength: 5 }).code).toBe(
      'DW_MAX_RESULT_SIZE_EXCEEDED',
    );
    expect(problemOf('(1 to 9) map $', {}, { ...defaultLimits, fuel: 10 }).code).toBe('DW_MAX_EVAL_TIME_EXCEEDED');
  });

  it('does not let default or try rescue an exceeded limit', () => {
    expect(problemOf('do { fun f(n) = 1 + f(n) --- f(1) } default 0').code).toBe('DW_MAX_EVAL_TIME_EXCEEDED');
    expect(problemOf('dw::Runtime::try(() -> (1 to 1000000000))').code).toBe('DW_MAX_RESULT_SIZE_EXCEEDED');
  });
});

describe('Determinism', () => {
  it('uses the same fuel on every run', () => {
    const compiled = compileDataWeave('context.l map ($ * 2) filter $ > 2 orderBy -$ joinBy ","', {
      bindings: ['context'],
    });
    const fuel = () => compiled.detailed({ context: { l: [3, 1, 2] } }, env).fuel;
    expect(new Set([fuel(), fuel(), fuel()]).size).toBe(1);
  });

  it('parses any text or rejects it with a problem', () => {
    const words = [
      'a',
      'if',
      '(',
      ')',
      '{',
      '}',
      '[',
      ']',
      '->',
      ':',
      ',',
      '.',
      '$',
      '"',
      "'",
      '|',
      '/',
      '1',
      'map',
      'do',
      '---',
      'match',
      'case',
      '++',
      '-',
      ' ',
      '\n',
      'as',
      'String',
      '::',
      '@',
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...words), { maxLength: 25 }), (parts) => {
        try {
          compileDataWeave(parts.join(''), { bindings: ['a'] }).evaluate({ a: 1 }, env);
        } catch (error) {
          expect(error).toBeInstanceOf(ProblemError);
          expect((error as ProblemError).problem.code).not.toBe('DW_ENGINE_INTERNAL_ERROR');
        }
      }),
      { numRuns: 300, seed: 7 },
    );
  });

  it('returns any JSON input unchanged', () => {
    const compiled = compileDataWeave('context', { bindings: ['context'] });
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const plain = JSON.parse(JSON.stringify(value));
        expect(JSON.parse(JSON.stringify(compiled.evaluate({ context: plain }, env)))).toEqual(plain);
      }),
      { numRuns: 100, seed: 7 },
    );
  });
});
