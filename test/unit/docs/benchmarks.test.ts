import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parts } from '../../bench/parts/index.js';

const page = readFileSync('docs/benchmarks.md', 'utf8');
const measures = parts.flatMap((it) => it.measures);

it.each(measures)('docs/benchmarks.md shows $id (issue 27)', ({ id, title, noChart }) => {
  expect(page, '`npm run bench -- --docs` writes it anew').toContain(`| ${title}`);
  if (noChart) return;
  expect(page).toContain(`(pictures/bench-${id}.svg)`);
  expect(existsSync(`docs/pictures/bench-${id}.svg`)).toBe(true);
});

it('measures have distinct names', () => {
  expect(new Set(measures.map(({ id }) => id)).size).toBe(measures.length);
});
