import { describe, expect, it } from 'vitest';
import type { Json } from '../../../../src/base/json/value.js';
import { compileDataWeave, dataweave, parseDataWeave } from '../../../../src/expressions/dataweave/index.js';
import { env, evaluate, problemOf } from './harness.js';

const bindings = ['context', 'payload', 'output'];

/** Accepted deviations: id, spelling in journeys, standard spelling. */
const deviations: readonly [id: string, journey: string, standard: string][] = [
  ['DW-D1', 'context.note default: 5', 'context.note default 5'],
  ['DW-D2', 'if (context.total > 1) then "big" else "small"', 'if (context.total > 1) "big" else "small"'],
  ['DW-D3', 'if (context.total default 0) > 1 then 1 else 2', 'if ((context.total default 0) > 1) 1 else 2'],
  ['DW-D4', 'do { var t = context.total t + 1 }', 'do { var t = context.total --- t + 1 }'],
  ['DW-D5', '{type: context.type}', '{"type": context."type"}'],
  ['DW-D6', 'output.done == null', 'null == null'],
  ['DW-D7', 'context.lines any ((l) -> l.n > 4)', 'dw::core::Arrays::some(context.lines, (l) -> l.n > 4)'],
  ['DW-D7', 'context.lines all ($.n > 4)', 'dw::core::Arrays::every(context.lines, (l) -> l.n > 4)'],
  [
    'DW-D8',
    'durationBetween("2024-01-01T00:00:00Z", "2024-01-01T01:30:00Z").seconds',
    '(|2024-01-01T01:30:00Z| - |2024-01-01T00:00:00Z|) as Number {unit: "seconds"}',
  ],
  ['DW-D9', '[3, 1, 2] orderBy ((a, b) -> b <=> a)', '[3, 1, 2] orderBy -$'],
  ['DW-D10', 'context - ["lines", "ship", "note", "total"]', '{id: context.id}'],
  ['DW-D11', 'context.id contains "A" and true', '(context.id contains "A") and true'],
  [
    'DW-D11',
    'context.lines any ((l) -> l.n > 4) and true',
    'dw::core::Arrays::some(context.lines, (l) -> l.n > 4) and true',
  ],
  ['DW-D12', 'context.lines map (l -> l.n)', 'context.lines map ((l) -> l.n)'],
  ['DW-D14', 'ship.city', 'context.ship.city'],
];

describe('Journey mode accepts each deviation as its standard spelling, with a remark', () => {
  it.each(deviations)('accepts %s: %s', (id, journey, standard) => {
    expect(evaluate(journey, { mode: 'journey', bindings })).toEqual(evaluate(standard, { bindings }));
    const { lints } = compileDataWeave(journey, { bindings });
    expect(lints.map((it) => it.code)).toContain(id);
    expect(lints.every((it) => it.hint && it.line !== undefined)).toBe(true);
  });

  it.each(deviations.filter(([id]) => id !== 'DW-D14' && id !== 'DW-D10'))(
    'rejects %s in strict mode: %s',
    (_id, journey) => {
      expect(problemOf(journey, { mode: 'strict', bindings })).toMatchObject({
        code: expect.stringMatching(/^DW_/),
        line: 1,
      });
    },
  );

  it('DW-D13: rejects a placeholder in both modes', () => {
    expect(problemOf('{ a: ... }', { mode: 'journey' }).code).toBe('DW_PARSE_ERROR');
  });

  it('DW-D15: not applies to or as in the reference engine, with a remark', () => {
    const compiled = compileDataWeave('not true or true', { bindings });
    expect(compiled.evaluate({}, env)).toBe(false);
    expect(compiled.lints[0]?.code).toBe('DW-D15');
  });

  it.each([
    ['true or ["a"] contains "a"', false],
    ['(true or false) contains "t"', true],
    ['true or (["a"] contains "a")', true],
    ['true and false then ($ == false)', true],
  ])(
    'DW-D15: parses a function after or as the reference engine does, with a remark if it has no parentheses: %s',
    (source, value) => {
      const compiled = compileDataWeave(source, { bindings });
      expect(compiled.evaluate({}, env)).toBe(value);
      expect(compiled.lints.map(({ code }) => code)).toEqual(value ? [] : ['DW-D15']);
    },
  );

  it('C5: lambda parameters and variables shadow bindings, which shadow the context', () => {
    const run = (source: string): Json =>
      compileDataWeave(source, { bindings: ['context', 'id'] }).evaluate({ context: { id: 'c', x: 1 }, id: 'b' }, env);
    expect(run('do { var id = "v" --- id }')).toBe('v');
    expect(run('id')).toBe('b');
    expect(run('x')).toBe(1);
    expect(run('missing')).toBe(null);
    expect(() => compileDataWeave('x', { bindings: ['payload'] })).toThrow(/Unknown name 'x'/);
  });

  it('parses every deviation to the tree of its standard spelling', () => {
    const shape = (source: string, mode: 'strict' | 'journey') =>
      JSON.stringify(parseDataWeave(source, { mode }).body, (key, value) =>
        key === 'start' || key === 'end' ? undefined : value,
      );
    for (const [journey, standard] of [
      ['a default: 1', 'a default 1'],
      ['if (a) then 1 else 2', 'if (a) 1 else 2'],
      ['do { var x = 1 x }', 'do { var x = 1 --- x }'],
    ] as const)
      expect(shape(journey, 'journey')).toBe(shape(standard, 'strict'));
  });

  it('serves every site through the shared interface and caches compiled expressions', () => {
    const site = { kind: 'mapper', bindings: ['context'] } as const;
    expect(dataweave.compile('context.a', site)).toBe(dataweave.compile('context.a', site));
    expect(dataweave.sites.size).toBe(9);
  });
});
