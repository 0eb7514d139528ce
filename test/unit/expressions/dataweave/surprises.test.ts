import { describe, expect, it } from 'vitest';
import { compileDataWeave, readExactJson } from '../../../../src/expressions/dataweave/index.js';
import type { Bindings } from '../../../../src/expressions/expression-engine-interface.js';
import { cases, env, evaluate, problemOf } from './harness.js';

const mismatch = { code: 'DW_TYPE_MISMATCH' };
const parse = { code: 'DW_PARSE_ERROR' };

describe('A lambda may have fewer parameters after an infix function, but not in a prefix call', () => {
  cases([
    ['context.lines flatMap ((l) -> [l.n])', [2, 5]],
    ['flatMap(context.lines, (l, i) -> [i])', [0, 1]],
    ['flatMap(context.lines, (l) -> [l.n])', mismatch],
    ['map(context.lines, (l) -> l.n)', [2, 5]],
    ['map(context.lines, () -> 1)', mismatch],
    ['map([1, 2], (x) -> x)', mismatch],
    ['flatMap(context.note, (l) -> [l])', null],
    ['do { fun twice(x, f: (Number, Number) -> Any) = f(x, x) --- 4 twice ((a) -> a + 1) }', 5],
  ]);
});

describe('$, $$ and $$$ belong to the nearest function that has them', () => {
  cases([
    ['[7, 8] map ([1] then $$)', [0, 1]],
    ['{a: 1} pluck ([5, 6] map $$$)', [[0, 0]]],
    ['[1] maxBy $$', { code: 'DW_UNKNOWN_VARIABLE' }],
    ['[7, 8] map ((x) -> x + $$)', [7, 9]],
    ['[7, 8] map ((x) -> $)', { code: 'DW_UNKNOWN_VARIABLE' }],
    ['{a: 1, b: 2, b: 3} update { case .*b -> $$ }', { a: 1, b: 1 }],
  ]);
});

describe('Errors that default rescues', () => {
  cases([
    ["sizeOf([1] map ('x' as Number)) default 7", 7],
    ["([1] map ('x' as Number)) default 7", mismatch],
    ["[[1] filter 'no'] default 7", mismatch],
    ["([1, 2] orderBy ('x' as Number)) default 7", 7],
    ["['x' as Number] default 7", 7],
    ['(context.id match { case it if (context.note) -> 1 else -> 2 }) default 7', 7],
  ]);
});

describe('Text of a number has plain digits, and an exponent only if it is tiny', () => {
  cases([
    ['1e3 as String', '1000'],
    ['1e21 as String', '1000000000000000000000'],
    ['-1.50e3 as String', '-1500'],
    ["('1e21' as Number) as String", '1000000000000000000000'],
    ['(1e21 * 10) as String', '10000000000000000000000'],
    ['"$(99.99 * 1e3)"', '99990'],
    ['"$(1.250 * 1e3)"', '1250'],
    ['"$(1.10 / 1E-7)"', '11000000'],
    ['"$((12.5 * 8) / 0.5)"', '200'],
    ['(10 / 0.25) as String', '40'],
    ['sqrt(1e22) as String', '100000000000'],
    ['(2 pow 300) as String', (2n ** 300n).toString()],
    ['(10 pow 21) as String', '1000000000000000000000'],
    ['(2 pow 1.5) as String', '2.8284271247461902'],
    ['{(1e3): 1}', { '1000': 1 }],
    ['1e3 ++ ""', '1000'],
    ['0.000001 as String', '0.000001'],
    ['1.10E-7 as String', '1.1E-7'],
    ["0.5 as String {format: '#.##'}", '0.5'],
    ['1e400', { code: 'DW_MAX_RESULT_SIZE_EXCEEDED' }],
  ]);
});

describe('Text and numbers convert to dates where dates are expected', () => {
  cases([
    ["'2024-02-29'.year", 2024],
    ["'12:30:00'.minutes", 30],
    ['86400.day', 2],
    ["'some text'.year", mismatch],
    ["|2024-01-31| ++ '10:00:00Z'", '2024-01-31T10:00:00Z'],
    ["|2024-01-31| ++ ' noon'", '2024-01-31 noon'],
    ['|2024-03-01T23:00:00Z| - |2024-02-29|', 'PT24H'],
    ['|P1D| - |2024-03-01|', '2024-02-29'],
    ["'2024-02-29T23:30:00Z' + |PT1H|", '2024-03-01T00:30:00Z'],
    ["'2024-02-29' + |P1D|", '2024-03-01'],
    ["'2024-02-29t10:00:00z' as DateTime", '2024-02-29T10:00:00Z'],
  ]);
});

describe('Ranges', () => {
  cases([
    ['(1 to 3) is Array', false],
    ['(1 to 3) is Range', true],
    ['(1 to 3) as Array is Array', true],
    ['(1 to 3) match { case [h ~ t] -> h else -> 0 }', 0],
    ['(1 to 1000000000)[5]', 6],
    ['(1000000000 to 1)[-1]', 1],
    ['sizeOf(1 to 1000000000)', 1_000_000_000],
    ['[4, 5, 6][1 to 1000000000]', null],
  ]);
});

describe('Patterns and removal convert types, equality does not', () => {
  cases([
    ["'1' match { case 1 -> 'one' else -> 'other' }", 'one'],
    ["['1', 2] -- [1]", [2]],
    ["['1', 2] - 1", ['1', 2]],
    ["['1'] contains 1", false],
    ["max(['10', 9])", '10'],
  ]);
});

describe('The grammar accepts what the reference engine accepts', () => {
  cases([
    ['[(1) if (true) and (true)]', parse],
    ['[(1) if true and true]', [1]],
    ['context.ship!.city', parse],
    ['!do { true }', parse],
    ['!(do { true })', false],
    ['!if (true) true else false', parse],
    ['do { var a = 1 var a = 2 --- a }', parse],
    ['[1] map ((a, a) -> a)', parse],
    ['do { var a = f(1) fun f(x) = x --- a }', { code: 'DW_UNKNOWN_VARIABLE' }],
  ]);
});

describe('The update operator', () => {
  cases([
    ['{a: {b: 1}} update { case .a -> {b: 2} case .a.b -> 3 }', { a: { b: 2 } }],
    ['{a: {b: 1}} update { case .a.b -> 3 case .a -> 4 }', { a: 4 }],
    ['{a: 1} update { case .x! -> $$ }', { a: 1, x: -1 }],
  ]);
});

describe('Fuel is charged where the work is done', () => {
  const doubled = 'fun d(o, n) = if (n == 0) o else d({a: o, b: o}, n - 1)';
  it.each([
    ['comparing', `do { ${doubled} --- d({x: 1}, 60) == d({x: 1}, 60) }`, 'DW_MAX_EVAL_TIME_EXCEEDED'],
    ['writing', `do { ${doubled} --- write(d({x: 1}, 60)) }`, 'DW_MAX_RESULT_SIZE_EXCEEDED'],
    [
      'searching again and again',
      'do { import repeat from dw::core::Strings --- repeat("x,", 40000) splitBy /(,|x)*y|,/ }',
      'DW_MAX_EVAL_TIME_EXCEEDED',
    ],
    [
      'replacing little by much',
      'do { import repeat from dw::core::Strings --- repeat("a", 900) replace /a/ with repeat("b", 9000) }',
      'DW_MAX_',
    ],
  ])('%s', (_name, source, code) => {
    expect(problemOf(source).code).toContain(code);
  });

  it('reports the fuel of an evaluation, also if it failed', () => {
    const spent: number[] = [];
    const counting = { ...env, spend: (fuel: number) => void spent.push(fuel) };
    const compiled = compileDataWeave('(1 to 9) map $ * 2');
    compiled.evaluate({}, counting);
    expect(spent).toEqual([compiled.detailed({}, env).fuel]);
    expect(() => compileDataWeave('do { fun f(n) = f(n) --- f(1) }').evaluate({}, counting)).toThrow();
    expect(spent[1]).toBe(200_000);
  });
});

describe('Exact JSON input and output', () => {
  const exactly = (expression: string, json: string) =>
    compileDataWeave(expression, { bindings: ['payload'] }).detailed({ payload: readExactJson(json) } as Bindings, env)
      .raw;

  it.each([
    ['payload + 1', '12345678901234567890', '12345678901234567891'],
    ['payload * 3', '0.1000000000000000055', '0.3000000000000000165'],
    ['payload.*a', '{"a": 1, "a": 2}', '[\n  1,\n  2\n]'],
    ['namesOf(payload)', '{"2": 1, "1": 2}', '[\n  "2",\n  "1"\n]'],
    ['1e400', 'null', `1${'0'.repeat(400)}`],
  ])('%s of %s', (expression, json, expected) => {
    expect(exactly(expression, json)).toBe(expected);
  });

  it('is plain JSON if nothing is lost', () => {
    expect(readExactJson('{"a": [1, 2.5, null, true, "x"]}')).toEqual({ a: [1, 2.5, null, true, 'x'] });
    expect(() => readExactJson('{"a": }')).toThrow(SyntaxError);
  });

  it('is not used in journeys, whose numbers are doubles', () => {
    expect(evaluate('context.total')).toBe(12.5);
  });
});
