import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { lineColumnAt } from '../../../src/document/locate.js';
import { parseSource, parseWithNodes } from '../../../src/document/parse.js';
import { plainYaml } from '../../../src/document/plain-yaml.js';
import { agrees, comparePlainYaml } from '../../fuzz/loader/plain-yaml.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const documents = ['specs', 'templates', 'test/fixtures', 'test/unit'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.ya?ml$/.test(file))
    .map((file) => ({ file: join(folder, file), text: readFileSync(join(root, folder, file), 'utf8') })),
);

describe('plain YAML is read without the library, and means the same', () => {
  it('in all our documents', () => {
    expect(documents.length).toBeGreaterThan(100);
    expect(documents.filter(({ text }) => agrees(text) === false)).toEqual([]);
  });

  it('which nearly all of the journeys, scenarios and pipelines that ship are', () => {
    const shipped = documents.filter(({ file }) =>
      /^(specs|templates).*\.(journey|scenario|pipeline)\.yaml$/.test(file),
    );
    expect(shipped.filter(({ text }) => plainYaml(text) === undefined)).toEqual([]);
  });

  it('in parts of them with small changes, and in lines that do not belong together', () => {
    const texts = documents.filter(({ text }) => text.length < 20_000).map(({ text }) => text);
    const { plain, disagreements } = comparePlainYaml(texts, 20_000);
    expect(disagreements).toEqual([]);
    expect(plain).toBeGreaterThan(2_000);
  });

  it.each([
    ['a block text that holds nothing', 'a: |\n'],
    ['a block text after a blank line', 'a: |\n\n  b\n'],
    ['a folded text with lines further in', 'a: >\n  b\n    c\n'],
    ['a text that goes on below', 'a: b\n  c\n'],
    ['a key that appears twice', 'a: 1\na: 2\n'],
    ['an anchor', 'a: &b 1\n'],
    ['an alias', 'a: *b\n'],
    ['a tag', 'a: !!str 1\n'],
    ['a merge key', 'a:\n  <<: { b: 1 }\n'],
    ['a boolean to some', 'a: yes\n'],
    ['a key that is one', 'on: a\n'],
    ['a date to some', 'a: 2024-01-01\n'],
    ['a base-60 number to some', 'a: 12:30\n'],
    ['an octal number to some', 'a: 010\n'],
    ['a number that cannot be held', 'a: 9007199254740993\n'],
    ['a number with an exponent', 'a: 1e3\n'],
    ['a tab', 'a:\n\tb: 1\n'],
    ['a second document', 'a: 1\n---\nb: 2\n'],
    ['a directive', '%YAML 1.2\n---\na: 1\n'],
    ['an escape of YAML alone', 'a: "\\x41"\n'],
    ['a comma too many', 'a: [b,,]\n'],
    ['a pair in a list', 'a: [b: c]\n'],
    ['a bracket that is not closed', 'a: [b\n'],
    ['brackets within brackets that close too far out', 'a: { b: {\n} }\n'],
    ['a comment that touches a quote', 'a: "b"#c\n'],
    ['a line that is in too far', 'a: 1\n  b: 2\n'],
    ['a line that is not in far enough', 'a:\n    b: 1\n  c: 2\n'],
    ['an item among keys', 'a: 1\n- b\n'],
    ['a text alone', 'a\n'],
    ['nothing', '\n'],
    ['no end of the last line', 'a: 1'],
  ])('%s is left to the library', (_, text) => {
    expect(plainYaml(text)).toBeUndefined();
  });

  it('knows its values', () => {
    const text = [
      '# a comment',
      'words: [~, null, True, FALSE, nullable, "true", \'yes\']',
      'numbers: [0, -1, 12.50, 1.0.0, 5m]',
      'texts: { a: "q\\n\\"", "b": \'it\'\'s\', c: x:y#z, }',
      'block: |',
      '  one',
      '    two # no comment',
      '',
      'folded: >-',
      '  one',
      '  two',
      '',
      '  three',
      'none:',
      'same column:',
      '- a: 1 # comment',
      '  __proto__: 2',
      '- - b',
      '  -',
      '',
    ].join('\n');
    expect(agrees(text)).toBe(true);
    expect(JSON.parse(JSON.stringify(plainYaml(text)))).toEqual(
      JSON.parse(`{
        "words": [null, null, true, false, "nullable", "true", "yes"],
        "numbers": [0, -1, 12.5, "1.0.0", "5m"],
        "texts": { "a": "q\\n\\"", "b": "it's", "c": "x:y#z" },
        "block": "one\\n  two # no comment\\n",
        "folded": "one two\\nthree",
        "none": null,
        "same column": [{ "a": 1, "__proto__": 2 }, ["b", null]]
      }`),
    );
  });

  it('has places when somebody asks for them', () => {
    const text = 'a:\n  - b\n  - { c: d }\n';
    const pointers = ['', '/a', '/a/0', '/a/1/c', '/a/7'];
    const places = (source: ReturnType<typeof parseSource>) => pointers.map((it) => lineColumnAt(source, it));
    expect(plainYaml(text)).toBeDefined();
    expect(places(parseSource(text))).toEqual(places(parseWithNodes(text, false)));
    expect(lineColumnAt(parseSource(text), '/a/1/c')).toEqual({ line: 3, column: 7 });
  });
});
