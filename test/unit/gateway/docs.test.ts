import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { gatewayCodes } from '../../../src/base/problems/codes/gateway.js';
import { registry } from '../../../src/base/problems/registry.js';
import { errorDocs } from './error-docs.js';

const docs = (name: string) => new URL(`../../../docs/${name}`, import.meta.url);

it('docs/errors.md mirrors the registry', async () => {
  const expected = await errorDocs();
  if (process.env.UPDATE_DOCS) writeFileSync(docs('errors.md'), expected);
  expect(readFileSync(docs('errors.md'), 'utf8'), 'UPDATE_DOCS=1 writes it anew').toBe(expected);
  const listed = [...expected.matchAll(/^\| `([^`]+)` \|/gm)].map(([, code]) => code);
  expect(listed.sort()).toEqual(Object.keys(registry).sort());
});

it('docs/http-api.md names every code of the gateway with its status', () => {
  const page = readFileSync(docs('http-api.md'), 'utf8');
  for (const [code, { status }] of Object.entries(gatewayCodes)) {
    expect(page).toMatch(new RegExp(`\\| ${status} \\| \`${code}\` \\|`));
  }
});
