import { describe, expect, it } from 'vitest';
import { formatAst, parseDataWeave } from '../../../../src/expressions/dataweave/index.js';
import { problemOf } from './harness.js';

const places: readonly [source: string, code: string, line: number, column: number, hint?: RegExp][] = [
  ['{a: 1,\n b 2}', 'DW_PARSE_ERROR', 2, 2],
  ['1 +', 'DW_PARSE_ERROR', 1, 4],
  ['[1, 2', 'DW_PARSE_ERROR', 1, 6],
  ['"open', 'DW_PARSE_ERROR', 1, 1],
  ['if (true) 1', 'DW_PARSE_ERROR', 1, 12, /else/],
  ['payload.type', 'DW_PARSE_ERROR', 1, 9, /quote/],
  ['context.id default: 1', 'DW_PARSE_ERROR', 1, 19],
  ['context.a = "x"', 'DW_PARSE_ERROR', 1, 11, /==/],
  ['context.a !== "x"', 'DW_PARSE_ERROR', 1, 13, /'!='/],
  ['context.a === "x"', 'DW_PARSE_ERROR', 1, 13, /'=='/],
  ['uper("a")', 'DW_UNKNOWN_VARIABLE', 1, 1, /upper/],
  ['contxt.id', 'DW_UNKNOWN_VARIABLE', 1, 1, /context/],
  ['import capitalise from dw::core::Strings --- 1', 'DW_UNKNOWN_VARIABLE', 1, 1, /capitalize/],
  ['import * from dw::core::String --- 1', 'DW_UNSUPPORTED_SYNTAX', 1, 1, /dw::core::Strings/],
  ['readUrl("x")', 'DW_UNSUPPORTED_SYNTAX', 1, 1],
  ['ns x http://x.example\n---\n1', 'DW_UNSUPPORTED_SYNTAX', 1, 1],
  ['var n: Number = "x" --- n', 'DW_TYPE_MISMATCH', 1, 17],
  ['output application/json colour="red" --- 1', 'DW_PARSE_ERROR', 1, 25],
  ['output text/csv --- 1', 'DW_UNSUPPORTED_SYNTAX', 1, 1],
  ['"a" matches /(?=b)/', 'DW_UNSUPPORTED_SYNTAX', 1, 13],
  ['"a" matches /[a-z&&[^b]]/', 'DW_UNSUPPORTED_SYNTAX', 1, 13],
  ['sizeOf(1, 2)', 'DW_TYPE_MISMATCH', 1, 1],
  ['if (false) (1 and true) else 2', 'DW_TYPE_MISMATCH', 1, 13],
  ['"x" is Strin', 'DW_UNKNOWN_VARIABLE', 1, 8, /String/],
];

describe('Compile errors have a code, a position and a hint', () => {
  it.each(places)('%s', (source, code, line, column, hint) => {
    const problem = problemOf(source);
    expect(problem).toMatchObject({ code, line, column });
    expect(problem.length).toBeGreaterThan(0);
    if (hint) expect(problem.hint).toMatch(hint);
  });
});

describe('Run-time errors', () => {
  it('report the position of the innermost failing node', () => {
    expect(problemOf('{a: 1,\n b: context.id + 1}')).toMatchObject({
      code: 'DW_TYPE_MISMATCH',
      line: 2,
      column: 5,
      length: 14,
    });
  });
  it('include neither values nor expression text', () => {
    const text = JSON.stringify(problemOf('context.ship.city as Number'));
    expect(text).not.toMatch(/Oslo|city/);
  });
});

describe('The syntax tree', () => {
  it('prints one node per line with its position', () => {
    const lines = formatAst(parseDataWeave('context.a\n  default 1')).split('\n');
    expect(lines[0]).toBe('default @1:1');
    expect(lines.at(-1)).toBe('  right: number text="1" @2:11');
  });
  it('has a span on every node', () => {
    const walk = (node: unknown): void => {
      if (typeof node !== 'object' || node === null) return;
      if ('kind' in node && !['pair', 'spread', 'field', 'index', 'all'].includes(String(node.kind)))
        expect(node).toHaveProperty('start');
      for (const child of Object.values(node)) walk(child);
    };
    walk(parseDataWeave('{a: [x map $ + 1], "b$(c)": d.e[0]? , (f): if (g) h else i match { case j is K -> 1 }}').body);
  });
});
