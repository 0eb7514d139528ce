import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const root = new URL('../../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');

/** One row of the page: an id, the requirement, and the files with its tests. */
const rows = [
  ...read('docs/requirements.md').matchAll(/^\| *([RX]\d-\d\d|SCH-[A-Z]\d+|JL-U\d+) *\|(.*)\|(.*)\| *$/gm),
].map(([, id, text, where]) => ({
  id: id!,
  text: text!,
  files: [...where!.matchAll(/`(test\/[^`]+)`/g)].map((it) => it[1]!),
}));

/** The titles of the tests in a file: arguments of `it`, `test` and `describe`, and names in a table of cases. */
function titlesIn(path: string): string[] {
  if (path.endsWith('.yaml')) {
    const cases = parse(read(path)) as { name?: string; scenarios?: object; faults?: object }[];
    return cases.flatMap(({ name = '', scenarios, faults }) => [name, ...Object.keys({ ...scenarios, ...faults })]);
  }
  const text = read(path);
  const called = /(?:\b(?:it|test|describe)(?:\.\w+)*|\))\(\s*(['"`])((?:(?!\1).)*)\1\s*,/g;
  const tabled = /^\s*(?:about: |\[\s*)(['"`])((?:(?!\1).)*)\1/gm;
  return [called, tabled].flatMap((pattern) => [...text.matchAll(pattern)].map((it) => it[2]!));
}

const files = ['test/unit', 'test/temporal'].flatMap((folder) =>
  readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.ts$|^engine\/cases\/.*\.yaml$/.test(name) && !name.startsWith('requirements/completeness'))
    .map((name) => `${folder}/${name}`),
);
const titles = new Map(files.map((path) => [path, titlesIn(path).map(spellOut).join('\n')]));

/** `R0-03 to R0-06` with the numbers between. */
function spellOut(title: string): string {
  return title.replace(/([RX]\d)-(\d\d) to \1-(\d\d)/g, (_, seed, first, last) =>
    Array.from(
      { length: Number(last) - Number(first) + 1 },
      (_, i) => `${seed}-${String(Number(first) + i).padStart(2, '0')}`,
    ).join(' '),
  );
}

describe('docs/requirements.md', () => {
  it('numbers each requirement once, without gaps', () => {
    const ids = rows.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const seed of ['R1', 'R2']) {
      const own = ids.filter((id) => id.startsWith(`${seed}-`));
      expect(own).toEqual(own.map((_, i) => `${seed}-${String(i + 1).padStart(2, '0')}`));
      expect(own.length).toBeGreaterThan(20);
    }
  });

  it.each([
    ['R3-', 59],
    ['SCH-D', 19],
    ['JL-U', 24],
  ])('has all of %s, of which there are %i', (seed, count) => {
    const own = rows.filter(({ id }) => id.startsWith(seed)).map(({ id }) => Number(id.slice(seed.length)));
    expect(own).toEqual(Array.from({ length: count }, (_, i) => i + 1));
  });

  it.each(rows)('$id is tested where the page says', ({ id, files: named }) => {
    const names = (text = '') => new RegExp(`\\b${id}\\b`).test(text);
    expect([...titles.values()].some(names)).toBe(true);
    expect(named.filter((path) => !names(titles.get(path)))).toEqual([]);
  });

  it('lists every id that a test names', () => {
    const known = new Set(rows.map(({ id }) => id));
    const seedOf = (id: string) => id.replace(/(-\d\d|\d+)$/, '');
    const seeds = new Set([...known].map(seedOf));
    const named = [...titles.values()].flatMap((text) => text.match(/\b([RX]\d-\d\d|SCH-[A-Z]\d+|JL-U\d+)\b/g) ?? []);
    expect(named.filter((id) => seeds.has(seedOf(id)) && !known.has(id))).toEqual([]);
  });
});
