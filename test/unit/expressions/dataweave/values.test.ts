import { describe } from 'vitest';
import { cases } from './harness.js';

const mismatch = { code: 'DW_TYPE_MISMATCH' };

describe('Selectors', () => {
  cases([
    ['context.ship.city', 'Oslo'],
    ['context.\'ship\'."city"', 'Oslo'],
    ["context['id']", 'A-1'],
    ['context.lines.sku', ['pen', 'ink']],
    ['context.lines[1].n', 5],
    ['context.lines[-1].sku', 'ink'],
    ['context.lines[9]', null],
    ['context.lines.*sku', ['pen', 'ink']],
    ['context..n', [2, 5]],
    ['context.&id', { id: 'A-1' }],
    ['context.nothing.at.all', null],
    ['context.note?', true],
    ['context.nothing?', false],
    ['context.nothing!', { code: 'DW_FIELD_NOT_FOUND' }],
    ['context.id.more', mismatch],
    ['[5, 6, 7][0 to 1]', [5, 6]],
    ['[5, 6, 7][-1 to 0]', [7, 6, 5]],
    ['[5, 6, 7][0 to 9]', null],
    ["'hello'[1 to -2]", 'ell'],
    ['[5, 6, 7][?($ > 5)]', [6, 7]],
    ['{a: 1, b: 2}[0]', 1],
  ]);
});

describe('null: a missing value is null, and null is rejected where a value is required', () => {
  cases([
    ['null.x.y', null],
    ['sizeOf(context.note)', null],
    ['context.note map $', null],
    ['isEmpty(null)', true],
    ["null contains 'x'", false],
    ['context.note + 1', mismatch],
    ['context.note > 1', mismatch],
    ['if (context.note) 1 else 2', mismatch],
    ['context.note as String', mismatch],
    ['context.note == null', true],
    ["('a' ++ context.note) default 'd'", 'd'],
    ["'x' as Number default 5", 5],
    ['(1 / 0) default 5', { code: 'DW_FUNCTION_ERROR' }],
    ['context.nothing! default 5', { code: 'DW_FIELD_NOT_FOUND' }],
  ]);
});

describe('Numbers are exact', () => {
  cases([
    ['0.1 + 0.2', 0.3],
    ['(9007199254740993 + 1) as String', '9007199254740994'],
    ['(1 / 3) as String', `0.${'3'.repeat(34)}`],
    ["(2 / 3) ++ ''", `0.${'6'.repeat(33)}7`],
    ['1.50 as String', '1.5'],
    ['-7 mod 3', -1],
    ['round(-2.5)', -3],
    ['(2 pow 100) == 1267650600228229401496703205376', true],
    ["'5' + 1", 6],
    ["1 == '1'", false],
    ["1 ~= '1'", true],
    ["1234.567 as String {format: '#,##0.00'}", '1,234.57'],
    ["'1,5' as Number", mismatch],
  ]);
});

describe('Objects are ordered multimaps that collapse at the JSON boundary', () => {
  cases([
    ['({a: 1} ++ {a: 2}).a', 1],
    ['{a: 1, a: 2}.*a', [1, 2]],
    ['{a: 1, b: 0} ++ {a: 2}', { a: 2, b: 0 }],
    ['sizeOf({a: 1, a: 2})', 2],
    ["{a: 1, b: 2} - 'a'", { b: 2 }],
    ["{a: 1, b: 2} -- ['a', 'b']", {}],
    ['{a: 1, b: 2} == {b: 2, a: 1}', false],
    ["{('k' ++ 1): true, (c: 2) if false, (context.ship)}", { k1: true, city: 'Oslo', zip: '0150' }],
    ['{a: 1, b: 2} mapObject {($$): $ * 2}', { a: 2, b: 4 }],
    ['{a: 1} pluck ($$ as String)', ['a']],
    ["{a: 1} pluck ($$ == 'a')", [false]],
    ['context.lines groupBy $.sku pluck sizeOf($)', [1, 1]],
  ]);
});

describe('Text', () => {
  cases([
    ['"id $(context.id) in $(context.ship.city)"', 'id A-1 in Oslo'],
    ['"\\$5 \\u0041\\n"', '$5 A\n'],
    ["'a,b' splitBy ',' joinBy '-'", 'a-b'],
    ["'a1b22' scan /[0-9]+/", [['1'], ['22']]],
    ["'a1b2' replace /([0-9])/ with ($[1] ++ '!')", 'a1!b2!'],
    ["'abc' matches /a.c/", true],
    ["['b', 'A', 'a'] orderBy $", ['A', 'a', 'b']],
    ['"n: $(context.note)"', mismatch],
    ['import capitalize, leftPad from dw::core::Strings --- capitalize(leftPad("x", 3))', '  X'],
  ]);
});
