import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { referenceDocs } from './reference-docs.js';

it('docs/reference.md mirrors the published schema', () => {
  const file = new URL('../../../docs/reference.md', import.meta.url);
  const expected = referenceDocs();
  if (process.env.UPDATE_DOCS) writeFileSync(file, expected);
  expect(readFileSync(file, 'utf8'), 'UPDATE_DOCS=1 writes it anew').toBe(expected);
});
