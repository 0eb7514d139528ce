import { describe } from 'vitest';
import { cases } from './harness.js';

describe('The match operator', () => {
  cases([
    ["5 match { case 4 -> 'four' case n if (n > 4) -> 'more' else -> 'less' }", 'more'],
    ["'ab' match { case s matches /(a)(b)/ -> s[2] else -> 'no' }", 'b'],
    ['context.ship match { case o is {city: String} -> o.city else -> null }', 'Oslo'],
    ['[1, 2, 3] match { case [] -> 0 case [first ~ rest] -> sizeOf(rest) }', 2],
    ['{a: 1, b: 2} match { case {} -> 0 case {k: v ~ rest} -> v + sizeOf(rest) }', 2],
    ['7 match { case is String -> 1 else other -> other }', 7],
    ['1 match { case 2 -> 3 }', { code: 'DW_TYPE_MISMATCH' }],
    ['1 match { case x -> 3 }', { code: 'DW_PARSE_ERROR' }],
  ]);
});

describe('The update operator', () => {
  cases([
    ['{a: 1, b: {c: 2}} update { case .a -> $ + 1 case n at .b.c -> n * 10 }', { a: 2, b: { c: 20 } }],
    ['{a: [1, 2]} update { case .a[-1] -> 9 }', { a: [1, 9] }],
    ['{a: 1} update { case .zz -> 9 }', { a: 1 }],
    ['{a: 1} update { case .x.y! -> 9 }', { a: 1, x: { y: 9 } }],
    ['{a: 1, a: 2} update { case .*a -> $ * 2 }', { a: 4 }],
    ['{a: 1} update { case n at .a if (n > 5) -> 0 case n at .a if (n < 5) -> 7 }', { a: 7 }],
  ]);
});

describe('Declarations, functions and recursion', () => {
  cases([
    ['do { var a = 2 fun sq(n) = n * n --- sq(a) + a }', 6],
    ['using (a = 1, b = a + 1) a + b', 3],
    ['%dw 2.0\nfun f(n: Number) = "n"\nfun f(s: String) = "s"\n---\n[f(1), f("a"), f(true)]', ['n', 's', 's']],
    ['do { fun f(n, acc = 0) = if (n == 0) acc else f(n - 1, acc + n) --- f(5000) }', 12502500],
    ['do { fun f(n) = if (n == 0) 0 else 1 + f(n - 1) --- f(254) }', 254],
    ['do { fun f(n) = if (n == 0) 0 else 1 + f(n - 1) --- f(255) }', { code: 'DW_MAX_EVAL_TIME_EXCEEDED' }],
    ['[1, 2, 3] reduce ((n, sum = 10) -> n + sum)', 16],
    ['do { var add = (a) -> (b) -> a + b --- add(1)(2) }', 3],
    ['[1, 2] map ($ + sizeOf([3, 4] filter $ > 3))', [2, 3]],
    ['dw::Runtime::try(() -> 1 / 0).success', false],
    ['import * from dw::Runtime --- try(() -> fail("no")) orElse "rescued"', 'rescued'],
    ['total: context.total', { total: 12.5 }],
    ['unless (true) 1 else 2', 2],
    ["type Id = String --- ('x' is Id)", true],
    ['[1, (2) if false, a: 3]', [1, { a: 3 }]],
  ]);
});

describe('Type conversions', () => {
  cases([
    ["'TRUE' as Boolean", true],
    ['1 as Boolean', { code: 'DW_TYPE_MISMATCH' }],
    ["'true' and true", true],
    ['[1] as String', { code: 'DW_TYPE_MISMATCH' }],
    ['5 as Number | String', 5],
    ["'PT60S' as Period", 'PT1M'],
    ['typeOf(|P1D|)', 'Period'],
    ['context.lines is Array<String>', true],
  ]);
});

describe('Declared types', () => {
  cases([
    ['do { var n: Number = 1 --- n }', 1],
    ['do { var n: Number = "a" --- n }', { code: 'DW_TYPE_MISMATCH' }],
    ['do { var n: Number {class: "int"} = 1 --- n }', 1],
    ['do { fun f(): String {class: "x"} = "a" --- f() }', 'a'],
    ['do { var f: (Number) -> String = (x) -> "a" --- f(1) }', 'a'],
  ]);
});
