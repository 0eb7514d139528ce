import { describe, expect, it } from 'vitest';
import { lineColumnAt } from '../../../../src/base/document/locate-pointer.js';
import { documentLimits, parseSource } from '../../../../src/base/document/parse-yaml.js';

describe('hostile documents are rejected quickly and safely', () => {
  it.each([
    ['flow lists in flow lists', `a: ${'['.repeat(20_000)}`],
    ['flow maps in flow maps', '{a: '.repeat(5_000)],
    ['block lists in block lists', '- '.repeat(20_000)],
    ['deeply nested blocks', Array.from({ length: 900 }, (_, i) => `${' '.repeat(i)}a:`).join('\n')],
    ['many keys', Array.from({ length: 30_000 }, (_, i) => `k${i}: 1`).join('\n')],
    [
      'an alias bomb',
      `a: &a [x, x]\n${'bcdefgh'
        .split('')
        .map((name, i) => `${name}: &${name} [*${'abcdefg'[i]}, *${'abcdefg'[i]}]`)
        .join('\n')}`,
    ],
    ['a long line', `a: "${'x'.repeat(400_000)}"`],
    ['many comments', '# x\n'.repeat(100_000)],
    ['many tabs', '\t\n\tx'.repeat(50_000)],
    ['binary', '\u0000\u0001\u0002\ufffe'],
    ['a lone surrogate', 'a: "\ud800"'],
    ['a byte order mark', '\ufeffa: 1'],
  ])('%s', (_, text) => {
    const { problems, value } = parseSource(text);
    expect(problems.length > 0 || value !== undefined).toBe(true);
  });

  it('rejects nesting beyond the limit', () => {
    const nested = (depth: number) => `a: ${'['.repeat(depth)}1${']'.repeat(depth)}`;
    expect(parseSource(nested(documentLimits.depth - 2)).problems).toEqual([]);
    expect(parseSource(nested(documentLimits.depth + 2)).problems).toMatchObject([{ code: 'DOC_TOO_DEEP' }]);
  });

  it('does not expand aliases', () => {
    const { problems } = parseSource('a: &x [1]\nb: [*x, *x]');
    expect(problems.map(({ code }) => code)).toEqual(['DOC_YAML_ANCHOR', 'DOC_YAML_ANCHOR', 'DOC_YAML_ANCHOR']);
  });
});

it.each([
  ['a missing space', ' b: 1', 'DOC_PARSE'],
  ['a tab', '\tb: 1', 'DOC_YAML_TAB'],
])('%s is reported at its position, and not again for each following line', (_, line, code) => {
  const { problems } = parseSource(`a:\n  a: 1\n${line}\n  c: 1\n  d: 1\n  e: 1\n`);
  expect(problems).toMatchObject([{ code, offset: expect.toSatisfy((it: number) => it >= 10 && it < 17) }]);
});

describe('unquoted values', () => {
  it.each([
    ['true', true],
    ['false', false],
    ['null', null],
    ['~', null],
    ['', null],
    ['12', 12],
    ['-0.5', -0.5],
    ['1e3', 1000],
    ['0x1F', 31],
    ['P1D', 'P1D'],
    ['y', 'y'],
    ['1.0.0', '1.0.0'],
    ['a: b'.slice(0, 1), 'a'],
    ['"yes"', 'yes'],
    ["'2026-01-31'", '2026-01-31'],
    ['https://x.example/a#b', 'https://x.example/a#b'],
  ])('%s', (text, value) => {
    const parsed = parseSource(`k: ${text}`);
    expect(parsed.problems).toEqual([]);
    expect((parsed.value as Record<string, unknown>).k).toEqual(value);
  });

  it('as keys are always text', () => {
    const { value, problems } = parseSource('404: a\ntrue: b\nnull: c\n1.50: d');
    expect(problems).toEqual([]);
    expect(Object.keys(value as object)).toEqual(['404', 'true', 'null', '1.50']);
  });

  it('as text over several lines may contain tabs', () => {
    expect(parseSource('a: |\n  one\n  \ttwo\nb: "x\n  \ty"\n').problems).toEqual([]);
  });
});

describe('JSON files', () => {
  it('are strict JSON with positions', () => {
    const source = parseSource('{\n\t"a": {"b": [1, "two\\u0041"]}\n}', 'x.journey.json');
    expect(JSON.stringify(source.value)).toBe('{"a":{"b":[1,"twoA"]}}');
    expect(lineColumnAt(source, '/a/b/1')).toEqual({ line: 2, column: 17 });
  });
});

it.each(['x.journey.yaml', 'x.journey.json'])(
  'a byte order mark is not part of %s and does not shift columns',
  (path) => {
    const source = parseSource('\ufeff{"a": ["b"]}', path);
    expect(source).toMatchObject({ problems: [], value: { a: ['b'] } });
    expect(lineColumnAt(source, '/a/0')).toEqual({ line: 1, column: 8 });
  },
);
