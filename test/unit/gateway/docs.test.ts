import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { gatewayCodes } from '../../../src/problems/codes/gateway.js';
import { errorDocs } from './error-docs.js';

const docs = (name: string) => new URL(`../../../docs/${name}`, import.meta.url);

test('docs/errors.md mirrors the registry', () => {
  if (process.env.UPDATE_DOCS) writeFileSync(docs('errors.md'), errorDocs());
  expect(readFileSync(docs('errors.md'), 'utf8')).toBe(errorDocs());
});

test('docs/http-api.md names every code of the gateway with its status', () => {
  const page = readFileSync(docs('http-api.md'), 'utf8');
  for (const [code, { status }] of Object.entries(gatewayCodes)) {
    expect(page).toMatch(new RegExp(`\\| ${status} \\| \`${code}\` \\|`));
  }
});
