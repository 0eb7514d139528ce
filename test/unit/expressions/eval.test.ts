import { describe, expect, it } from 'vitest';
import { problem } from '../../../src/base/problems/problem.js';
import { answerLines, evalCommand, withCaret } from '../../../src/cli/author/eval/eval.js';

async function* lines(...texts: string[]) {
  yield* texts;
}

async function answers(...texts: string[]) {
  const out: unknown[] = [];
  for await (const line of answerLines(lines(...texts), { lang: 'jsonata', mode: 'journey' }))
    out.push(JSON.parse(line));
  return out;
}

describe('eval --jsonl', () => {
  it('uses --now and --uuid for requests without their own', async () => {
    const pinned = { lang: 'dataweave', mode: 'journey', now: '2031-05-06T07:08:09Z', uuid: 'u' } as const;
    const asked = lines('{"expr": "[now(), uuid()]"}', '{"expr": "now().year", "now": "2030-01-01T00:00:00Z"}');
    const outputs: unknown[] = [];
    for await (const line of answerLines(asked, pinned)) outputs.push(JSON.parse(line).output);
    expect(outputs).toEqual([['2031-05-06T07:08:09Z', 'u'], 2030]);
  });

  it('responds to requests in order', async () => {
    expect(
      await answers(
        '{"id": 1, "expr": "context.n * 2", "bindings": {"context": {"n": 21}}}',
        '',
        '{"id": "two", "expr": "$now()", "now": "2031-05-06T07:08:09Z"}',
      ),
    ).toEqual([
      { id: 1, ok: true, output: 42, raw: '42' },
      { id: 'two', ok: true, output: '2031-05-06T07:08:09.000Z', raw: '"2031-05-06T07:08:09.000Z"' },
    ]);
  });

  it('distinguishes rejected expressions from failed evaluations', async () => {
    expect(await answers('{"id": 1, "expr": "1 +"}', '{"id": 2, "expr": "1 + true"}')).toMatchObject([
      { id: 1, ok: false, kind: 'compile', code: 'JSONATA_PARSE_ERROR', line: 1 },
      { id: 2, ok: false, kind: 'runtime', code: 'JSONATA_EVALUATION_ERROR' },
    ]);
  });

  it.each([
    ['not json', null],
    ['[]', null],
    ['{"id": 3}', 3],
    ['{"id": 4, "expr": "1", "bindings": 1}', 4],
    ['{"id": 5, "expr": "1", "mode": "loose"}', 5],
    ['{"id": 6, "expr": "1", "now": "noon"}', 6],
  ])('responds to %s and continues', async (line, id) => {
    const [first, second] = await answers(line, '{"id": 9, "expr": "1"}');
    expect(first).toMatchObject({ id, ok: false, kind: 'request' });
    expect(second).toMatchObject({ id: 9, ok: true, output: 1 });
  });
});

describe('The caret under an error', () => {
  it('marks the position and length of the error', () => {
    const it = problem('DW_PARSE_ERROR', 'no such thing', { line: 2, column: 7, length: 3, hint: 'write that' });
    expect(withCaret(it, 'first\n\tand a foo here').split('\n')).toEqual([
      'DW_PARSE_ERROR: no such thing',
      '',
      '  2 |  and a foo here',
      '    |       ^^^',
      '',
      'hint: write that',
    ]);
  });

  it('stays within the line', () => {
    const it = problem('DW_PARSE_ERROR', 'x', { line: 1, column: 3, length: 99 });
    expect(withCaret(it, 'abcd').split('\n').at(-1)).toBe('    |   ^^');
  });

  it('is omitted without a position', () => {
    expect(withCaret(problem('LANG_UNKNOWN', 'no'), 'abc')).toBe('LANG_UNKNOWN: no');
  });
});

describe('eval', () => {
  it('documents its options and exit codes', () => {
    const command = evalCommand();
    let help = '';
    command.configureOutput({ writeOut: (text) => (help += text) });
    command.outputHelp();
    for (const word of ['--jsonl', '--explain', '--mode', '--bindings', 'Exit codes', 'Examples'])
      expect(help).toContain(word);
  });
});
