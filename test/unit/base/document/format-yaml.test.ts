import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatDocument } from '../../../../src/base/document/format-yaml.js';
import { parseSource } from '../../../../src/base/document/parse-yaml.js';
import { equal, type Json } from '../../../../src/base/json/value.js';
import { load } from '../../../../src/language/load-journey.js';
import { journeySchema } from '../../../../src/language/schema/journey-schema.js';
import { pipelineSchema } from '../../../../src/pipelines/read/pipeline-schema.js';

const root = new URL('../../../../', import.meta.url);
const files = ['specs/', 'test/fixtures/'].flatMap((folder) =>
  readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(journey|pipeline)\.(ya?ml|json)$/.test(name))
    .map((name) => `${folder}${name}`),
);
const comments = (text: string) => (text.match(/(^|\s)#.*$/gm) ?? []).map((it) => it.trim()).sort();
const format = (text: string, path = 'a.yaml') =>
  formatDocument(text, /\.pipeline\./.test(path) ? pipelineSchema : journeySchema, path);

describe('the canonical layout', () => {
  it.each(files)('of %s has the same meaning and comments, and is idempotent', (path) => {
    const text = readFileSync(new URL(path, root), 'utf8');
    const formatted = format(text, path);
    expect(parseSource(formatted, path).value).toEqual(parseSource(text, path).value);
    expect(load({ text: formatted, path }).definition).toEqual(load({ text, path }).definition);
    expect(comments(formatted)).toEqual(comments(text));
    expect(format(formatted, path)).toBe(formatted);
  });

  it('sorts known keys, and leaves the author’s data as it is', () => {
    const text = `# head

kind: Journey # the kind
apiVersion: v1
spec:
  # states first
  states:
    b: { outputVar: x, type: succeed }
    # why a
    a:
      next: b # then b
      # the block
      transform: { resultVar: x, target: { kind: var }, mapper: { expr: "1", lang: dataweave } }

      type: transform
  input: { schema: { required: [z, a], type: object } }
  start: a
metadata:
  version: 1.0.0
  # its name
  name: tea
`;
    expect(format(text)).toBe(`# head

apiVersion: v1
kind: Journey # the kind
metadata:
  # its name
  name: tea
  version: 1.0.0
spec:
  input: { schema: { required: [z, a], type: object } }
  start: a
  # states first
  states:
    b: { type: succeed, outputVar: x }
    # why a
    a:
      type: transform
      # the block
      transform: { mapper: { lang: dataweave, expr: "1" }, target: { kind: var }, resultVar: x }
      next: b # then b
`);
  });

  it('writes long flow mappings as blocks, and JSON as JSON', () => {
    const long = `{ lang: dataweave, expr: 'context.${'a'.repeat(100)}' }`;
    expect(format(`spec:\n  mappers:\n    m: ${long}\n`)).toBe(
      `spec:\n  mappers:\n    m:\n      lang: dataweave\n      expr: 'context.${'a'.repeat(100)}'\n`,
    );
    expect(format('{"kind":"Api","apiVersion":"v1"}', 'a.json')).toBe('{\n  "apiVersion": "v1",\n  "kind": "Api"\n}\n');
  });

  it.each([...'\r\u2028\u2029\u0085\v\f\u00a0\ufeff'].map((it) => [`U+${it.charCodeAt(0).toString(16)}`, it]))(
    'keeps the meaning of a document with %s anywhere, and is idempotent',
    (_, odd) => {
      const places = [
        '# a~b\n\nkind: a',
        '# a~b\nkind: a',
        '#~\nkind: a',
        '#a~#b~\nkind: a',
        'kind: a # a~b',
        'kind: a\n# a~b',
        'spec: # a~b\n  start: a',
        'spec:\n  #~a\n  start: a',
        'spec:\n  start: a\n  #~a\n  states: {} #~',
        'spec: { start: [a, # b~c\n  b] }',
        'spec:\n  - a\n  #~b\n  - c #~~d\n',
        'spec: |\n  a~b\n  # c~d',
        'spec: >\n  a ~\n   b~\n',
        'kind: a~b',
        'kind: a~',
        'kind: "a~b"',
        "kind: 'a~b'",
        'a~b: 1',
        'spec: { a~b: c~d }',
      ];
      for (const place of places) {
        const text = `${place.replaceAll('~', odd)}\n`;
        const before = parseSource(text);
        if (before.problems.length > 0) continue;
        const formatted = format(text);
        expect(parseSource(formatted).value, place).toEqual(before.value);
        expect(format(formatted), place).toBe(formatted);
      }
    },
  );

  it('keeps the meaning of any readable document, and is idempotent', () => {
    const value = fc.letrec<{ value: Json }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.string({ maxLength: 30 }),
        fc.stringMatching(/^[a-z:#{}[\]'" \n|>&*!%@`-]{0,20}$/),
        fc.integer(),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(fc.stringMatching(/^[a-z][a-zA-Z]{0,8}$/), tie('value'), { maxKeys: 4 }),
      ),
    })).value;
    const known = fc.constantFrom('spec', 'states', 'type', 'next', 'task', 'kind', 'metadata', 'mapper', 'start');
    const block = (it: Json, indent: string, note: string): string => {
      if (typeof it !== 'object' || it === null || Object.keys(it).length === 0) return JSON.stringify(it) + note;
      if (Array.isArray(it)) return it.map((item) => `\n${indent}- ${block(item, `${indent}  `, note)}`).join('');
      return Object.entries(it)
        .map(([key, inner]) => `\n${indent}${JSON.stringify(key)}: ${block(inner!, `${indent}  `, note)}`)
        .join('');
    };
    const note = fc.stringMatching(/^[a#:\r\u2028\u2029\u0085\v\f -]{0,6}$/).map((it) => (it === '' ? '' : ` #${it}`));
    fc.assert(
      fc.property(fc.dictionary(known, value, { minKeys: 1, maxKeys: 6 }), note, fc.boolean(), (json, note, flow) => {
        const text = flow ? JSON.stringify(json) + note : block(json as Json, '', note);
        const before = parseSource(text);
        fc.pre(before.value !== undefined && before.problems.length === 0);
        const formatted = format(text);
        expect(equal(parseSource(formatted).value ?? null, before.value!)).toBe(true);
        expect(format(formatted)).toBe(formatted);
      }),
      { numRuns: 200 },
    );
  });
});
