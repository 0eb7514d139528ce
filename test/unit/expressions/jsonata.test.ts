import { describe, expect, it } from 'vitest';
import type { Json } from '../../../src/base/json/value.js';
import { type Problem, ProblemError } from '../../../src/base/problems/problem.js';
import {
  type Bindings,
  defaultLimits,
  type Env,
  type Limits,
} from '../../../src/expressions/expression-engine-interface.js';
import { compileJsonata } from '../../../src/expressions/jsonata/index.js';

const env: Env = { now: Date.UTC(2031, 4, 6, 7, 8, 9, 10), uuid: () => 'u', random: () => 0.25 };
const order = {
  lines: [
    { sku: 'a', n: 2 },
    { sku: 'b', n: 3 },
    { sku: 'a', n: 2 },
  ],
  note: 'Left at the door',
};

async function evaluate(expr: string, bindings: Bindings = { context: order }, limits?: Limits): Promise<Json> {
  return compileJsonata(expr).evaluate(bindings, env, limits);
}

async function refusal(action: () => Promise<unknown>): Promise<Problem> {
  try {
    await action();
  } catch (error) {
    if (error instanceof ProblemError) return error.problem;
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('jsonata', () => {
  it.each<[string, Json]>([
    ['$sum(context.lines.n)', 7],
    ['context.lines[sku = "b"].n', 3],
    ['$context.note', 'Left at the door'],
    ['context.nowhere', null],
    ['{ "skus": $distinct(context.lines.sku) }', { skus: ['a', 'b'] }],
    ['$count($distinct(context.lines))', 2],
    ['$distinct([1, "1", 1])', [1, '1']],
    ['$distinct(context.lines[sku="a"].sku)', 'a'],
    ['[1..4]', [1, 2, 3, 4]],
    ['$replace(context.note, /[aeiou]/, "_")', 'L_ft _t th_ d__r'],
    ['$match("a1b22", /[a-z]([0-9]+)/).groups', ['1', '22']],
    ['$split("a, b,c", /,\\s*/)', ['a', 'b', 'c']],
    ['$contains(context.note, /LEFT/i)', true],
    ['$pad("x", 3, "-")', 'x--'],
    ['$pad("x", -3)', '  x'],
    ['$join(["a", "b"], "+")', 'a+b'],
    ['$toMillis("2031-05-06T07:08:09.010Z")', env.now],
    ['$toMillis("06.05.2031", "[D01].[M01].[Y0001]")', Date.UTC(2031, 4, 6)],
    ['context.lines ~> $map(function($l) { $l.n * 2 })', [4, 6, 4]],
    [
      'context ~> |lines|{"n": 0}|',
      {
        lines: [
          { sku: 'a', n: 0 },
          { sku: 'b', n: 0 },
          { sku: 'a', n: 0 },
        ],
        note: order.note,
      },
    ],
  ])('evaluates %s', async (expr, expected) => {
    expect(JSON.parse(JSON.stringify(await evaluate(expr)))).toEqual(expected);
  });

  it('takes time and random values from its environment', async () => {
    expect(await evaluate('[$now(), $millis(), $random(), $now("[Y]")]')).toEqual([
      '2031-05-06T07:08:09.010Z',
      env.now,
      0.25,
      '2031',
    ]);
    expect(await evaluate('$shuffle([1..5])')).toEqual(await evaluate('$shuffle([1..5])'));
  });

  it('isolates evaluations of one compiled expression', async () => {
    const compiled = compileJsonata('$sum([1..context.n].($ * $random()))');
    const answers = await Promise.all(
      [1, 2, 3].map((n) => compiled.evaluate({ context: { n } }, { ...env, random: () => n })),
    );
    expect(answers).toEqual([1, 6, 18]);
  });

  it.each([
    ['1 +', 'JSONATA_PARSE_ERROR'],
    ['context.(\n  1 ? }', 'JSONATA_PARSE_ERROR'],
    ['$match("a", /[/)', 'JSONATA_PARSE_ERROR'],
    ['$eval("1")', 'JSONATA_UNSUPPORTED'],
    ['($e := $eval; $e("1"))', 'JSONATA_UNSUPPORTED'],
    ['$match("aa", /(a)\\1/)', 'JSONATA_UNSUPPORTED'],
    ['$match("ab", /a(?=b)/)', 'JSONATA_UNSUPPORTED'],
    ['[0..100000000]', 'JSONATA_UNSUPPORTED'],
    [`${'('.repeat(3_000)}1${')'.repeat(3_000)}`, 'JSONATA_UNSUPPORTED'],
    [`${'['.repeat(30_000)}`, 'JSONATA_UNSUPPORTED'],
    [`1${'+1'.repeat(20_000)}`, 'JSONATA_UNSUPPORTED'],
    ['x'.repeat(70_000), 'JSONATA_UNSUPPORTED'],
  ])('rejects %.40s when it is compiled', async (expr, code) => {
    expect((await refusal(async () => compileJsonata(expr))).code).toBe(code);
  });

  it('reports the position of a syntax error', async () => {
    expect(await refusal(async () => compileJsonata('{\n  "a": 1,\n  "b" 2\n}'))).toMatchObject({ line: 3 });
  });

  it('reports a failure without the values involved', async () => {
    const secret = { context: { pin: 'swordfish' } };
    for (const expr of [
      'context.pin + 1',
      '$error(context.pin)',
      '$number(context.pin)',
      '$assert(false, context.pin)',
    ]) {
      const problem = await refusal(() => evaluate(expr, secret));
      expect(problem.code).toBe('JSONATA_EVALUATION_ERROR');
      expect(JSON.stringify(problem)).not.toContain('swordfish');
    }
  });

  it.each([
    ['recursion', '($f := function($n) { 1 + $f($n + 1) }; $f(0))'],
    ['exponential recursion', '($f := function($n) { $n < 2 ? 1 : $f($n - 1) + $f($n - 2) }; $f(60))'],
    ['an endless loop', '($f := function($n) { $f($n + 1) }; $f(0))'],
    ['a range', '($n := 100000000; [0..$n])'],
    ['nested ranges', '[0..90000].([0..90000].$)'],
    ['padding', '$pad("x", 100000000)'],
    ['doubling text', '($d := function($s, $n) { $n = 0 ? $s : $d($s & $s, $n - 1) }; $d("ab", 40))'],
    ['joining', '($s := $pad("x", 900000); $join($map([1..900], function() { $s })))'],
    ['replacing', '($s := $pad("x", 900000, "x"); $replace($s, "x", $s))'],
    [
      'doubling objects',
      '($d := function($o, $n) { $n = 0 ? $o : $d({"a": $o, "b": $o}, $n - 1) }; $string($d({}, 40)))',
    ],
    ['comparing', '($a := [0..9000]; $map($a, function() { $a = $append($a, 1) }))'],
    ['a picture with open joins', '$toMillis($pad("1", 60, "1"), "[Y][M][D][H][m][s][f]")'],
    ['descendants', '($d := function($o, $n) { $n = 0 ? $o : $d({"a": $o, "b": $o}, $n - 1) }; $d({}, 18).**)'],
  ])('stops %s at a limit', async (_name, expr) => {
    expect((await refusal(() => evaluate(expr))).code).toBe('JSONATA_LIMIT_EXCEEDED');
  });

  it('matches a backtracking pattern in linear time', async () => {
    expect(await evaluate('$contains($pad("a", 40000, "a") & "!", /^(a+)+$/)')).toBe(false);
  });

  it('limits the size of the result', async () => {
    const small = { ...defaultLimits, outputBytes: 100 };
    expect((await refusal(() => evaluate('[1..50]', {}, small))).code).toBe('JSONATA_LIMIT_EXCEEDED');
    expect((await refusal(() => evaluate('function($x) { $x }'))).code).toBe('JSONATA_EVALUATION_ERROR');
  });

  it('does not read or write prototypes', async () => {
    const before = Reflect.ownKeys(Object.prototype);
    const bindings = { context: JSON.parse('{"__proto__": {"x": 1}, "constructor": 2}') as Json };
    expect(await evaluate('context.constructor', bindings)).toBe(2);
    expect(await evaluate('context.toString', bindings)).toBeNull();
    await evaluate('{"__proto__": {"polluted": true}}', bindings);
    await evaluate('$merge([{"__proto__": {"polluted": true}}, context])', bindings);
    expect(Reflect.ownKeys(Object.prototype)).toEqual(before);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it('returns a copy that does not share data with its input', async () => {
    const context = { list: [{ n: 1 }] };
    const result = (await evaluate('context.list', { context })) as Record<string, Json>[] | Record<string, Json>;
    for (const item of [result].flat()) item.n = 2;
    expect(context.list[0]!.n).toBe(1);
  });
});
