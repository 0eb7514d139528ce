import { describe, expect, it } from 'vitest';
import { environment } from '../../../src/cli/author/eval/eval.js';
import { type EvalMode, type EvalResult, evaluateRequest } from '../../../src/cli/author/eval/evaluate-expression.js';

const bindings = {
  context: {
    visits: null,
    limit: 4,
    roles: ['nurse', 'admin'],
    slots: [{ n: 3 }, { n: 1 }, { n: 2 }],
    from: '2031-05-06T07:00:00Z',
    to: '2031-05-06T07:01:30Z',
    on: true,
    lookup: { body: { id: 7 } },
    problem: { type: 'urn:x', title: 'T' },
  },
  output: { total: 12 },
};

function evaluate(expr: string, mode: EvalMode): Promise<EvalResult> {
  const env = environment('2031-05-06T07:08:09Z', 'u');
  return evaluateRequest({ lang: 'dataweave', expr, bindings, mode, env });
}

/** Deviations (numbers as in docs/expressions.md): the spelling in journeys and the standard spelling. */
const deviations: [string, string, string][] = [
  ['D1', 'context.visits default: 2', 'context.visits default 2'],
  ['D2', 'if (context.on) then "a" else "b"', 'if (context.on) "a" else "b"'],
  [
    'D2',
    'if (context.limit > 9)\nthen 1\nelse if (context.on) then 2 else 3',
    'if (context.limit > 9) 1 else if (context.on) 2 else 3',
  ],
  ['D3', 'if (context.visits default 0) > 0 then 1 else 2', 'if ((context.visits default 0) > 0) 1 else 2'],
  [
    'D4',
    'do {\n  var a = context.limit\n  var b = a + 1\n  a * b\n}',
    'do { var a = context.limit var b = a + 1 --- a * b }',
  ],
  ['D4', 'do {\n  var a = context.slots\n  [a[0].n]\n}', 'do { var a = context.slots --- [a[0].n] }'],
  ['D4', 'do {\n  var a = context.limit\n  (a + 1)\n}', 'do { var a = context.limit --- (a + 1) }'],
  ['D4', 'do {\n  var a = 1\n  -1 + a\n}', 'do { var a = 1 --- -1 + a }'],
  ['D4', 'do {\n  fun f(x) = x * 2\n  f(context.limit)\n}', 'do { fun f(x) = x * 2 --- f(context.limit) }'],
  ['D4', 'do { var a = context.limit; var b = 2; a * b }', 'do { var a = context.limit var b = 2 --- a * b }'],
  ['D5', '{ type: context.problem.type, input: 1 }', '{ "type": context.problem."type", "input": 1 }'],
  ['D7', 'context.slots any (s) -> s.n > 2', 'dw::core::Arrays::some(context.slots, (s) -> s.n > 2)'],
  ['D7', 'context.slots all (s) -> s.n > 2', 'dw::core::Arrays::every(context.slots, (s) -> s.n > 2)'],
  ['D9', 'context.slots orderBy ((a, b) -> a.n <=> b.n)', 'context.slots orderBy $.n'],
  ['D10', 'context.problem - ["type"]', 'context.problem -- ["type"]'],
  ['D11', 'context.roles contains "admin" and context.on', '(context.roles contains "admin") and context.on'],
  [
    'D11',
    'context.roles contains "admin" and context.roles contains "nurse" and context.limit > 1',
    '(context.roles contains "admin") and (context.roles contains "nurse") and context.limit > 1',
  ],
  [
    'D11',
    'context.roles contains "x" or context.roles contains "nurse" and context.on',
    '(context.roles contains "x") or ((context.roles contains "nurse") and context.on)',
  ],
  ['D12', 'context.slots map (s -> s.n)', 'context.slots map ((s) -> s.n)'],
  ['D14', 'lookup.body.id', 'context.lookup.body.id'],
];

describe('The journey dialect of DataWeave', () => {
  it.each(deviations)('accepts %s: %s', async (id, expr, standard) => {
    const [journey, plain] = [await evaluate(expr, 'journey'), await evaluate(standard, 'strict')];
    expect(plain).toMatchObject({ ok: true });
    expect(journey).toMatchObject({ ok: true });
    if (!journey.ok || !plain.ok) return;
    expect(journey.raw).toBe(plain.raw);
    expect(journey.lints.map(({ code }) => code)).toContain(`DW-${id}`);
    expect(journey.lints.every(({ hint, line, column }) => hint && line && column)).toBe(true);
  });

  it.each(deviations)('rejects %s in strict mode: %s', async (_id, expr) => {
    expect(await evaluate(expr, 'strict')).toMatchObject({ ok: false });
  });

  it('D6: reads output as a binding, with or without a field', async () => {
    expect(await evaluate('output.total > 10', 'journey')).toMatchObject({ ok: true, output: true });
    expect(await evaluate('output != null and sizeOf(output) > 0', 'journey')).toMatchObject({
      ok: true,
      output: true,
    });
  });

  it('D8: durationBetween returns each unit', async () => {
    expect(await evaluate('durationBetween(context.from, context.to).seconds', 'journey')).toMatchObject({
      ok: true,
      output: 90,
    });
  });

  it('D13: rejects a placeholder', async () => {
    expect(await evaluate('{ a: ... }', 'journey')).toMatchObject({ ok: false, kind: 'compile' });
  });

  it('D15: applies not to the whole chain, with a warning', async () => {
    const result = await evaluate('not context.on or true', 'journey');
    expect(result).toMatchObject({ ok: true, output: false });
    expect(result.ok && result.lints.map(({ code }) => code)).toContain('DW-D15');
  });

  it('has no warning for standard spelling', async () => {
    for (const [, , standard] of deviations) {
      const result = await evaluate(standard, 'journey');
      expect(result.ok && result.lints).toEqual([]);
    }
  });

  it.each(['nobody + 1', 'contxt.limit', 'uper("a")'])('reads %s from the context or rejects it', async (expr) => {
    expect(await evaluate(expr, 'strict')).toMatchObject({ ok: false, kind: 'compile' });
  });
});
