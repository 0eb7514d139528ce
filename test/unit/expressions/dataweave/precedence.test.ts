import { describe } from 'vitest';
import { cases } from './harness.js';

const mismatch = { code: 'DW_TYPE_MISMATCH' };
const parse = { code: 'DW_PARSE_ERROR' };

describe('Arithmetic binds tighter than comparison, comparison tighter than logic', () => {
  cases([
    ['1 + 2 * 3 - 4', 3],
    ['8 - 3 - 2', 3],
    ['12 / 3 / 2', 2],
    ['1 + 1 == 2 and 3 > 2', true],
    ['true or false and false', true],
    ['3 > 2 == true', true],
    ['[1] << 2 + 1', [1, 2, 1]],
    ['1 >> [2]', [1, 2]],
  ]);
});

describe('Infix functions share the lowest precedence, left to right', () => {
  cases([
    ["'x' ++ 1 + 2", 'x3'],
    ["'a' ++ 'b' == 'ab'", 'afalse'],
    ['null default 1 + 2', 3],
    ["[3, 1, 2] orderBy $ map $ * 10 joinBy '-'", '10-20-30'],
    ['1 to 2 + 1', [1, 2, 3]],
    ["'abc' contains 'b' and true", mismatch],
    ["'q' match { case 'q' -> 'yes' else -> 'no' } ++ '!'", 'yes!'],
  ]);
});

describe('not and prefix minus apply to everything down to or; ! applies to one operand', () => {
  cases([
    ['not false and false', true],
    ['not true or true', false],
    ['!true or true', true],
    ['-context.total + 2', -14.5],
    ['-3 + 2', -1],
    ['10 + -context.total + 2', -4.5],
    ['- 1', parse],
    ['!!true', parse],
    ['2 - -1', 3],
  ]);
});

describe('as binds to the nearest operand; lambda and else bodies are greedy', () => {
  cases([
    ["1 + 2 as String ++ 'x'", '3x'],
    ['(1 + 2) as String', '3'],
    ['if (false) 1 else 2 + 3', 5],
    ["'z' ++ if (true) 'a' else 'b' ++ 'c'", 'za'],
    ['[1, 2] map (x) -> x + 1', [2, 3]],
    ['1 is Number and true', true],
  ]);
});
