import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { specCodes } from '../../../src/base/problems/codes/spec.js';
import { load } from '../../../src/language/load-journey.js';
import { specFields } from '../../../src/language/read-document.js';
import { stateTypes } from '../../../src/language/states/registry.js';

const source = await readFile(new URL('../../../docs/journey-language.md', import.meta.url), 'utf8');
/** Tables may be padded. */
const page = source.replaceAll(/ +/g, ' ');

describe('the page about the language', () => {
  it('lists every finding with the words of the registry', () => {
    const rows: Record<string, { title: string }> = specCodes;
    const missing = Object.entries(rows)
      .filter(([code]) => !code.startsWith('COMPAT_') && code !== 'SPEC_INVALID')
      .filter(([code, { title }]) => !page.includes(`| \`${code}\` | ${title} |`));
    expect(missing.map(([code]) => code)).toEqual([]);
  });

  it('lists every state, block and compatibility rule', () => {
    const names = [...stateTypes.keys(), ...specFields.filter((name) => name !== 'start' && name !== 'states')];
    expect(names.filter((name) => !new RegExp(`\`${name}[\`.]`).test(page))).toEqual([]);
    const compatRules = Object.keys(specCodes).flatMap((code) => /^COMPAT_(.+)$/.exec(code)?.[1] ?? []);
    expect(compatRules.filter((rule) => !page.includes(`| ${rule} |`))).toEqual([]);
  });

  it('shows a journey without findings', () => {
    const text = /```yaml\n([\s\S]*?)```/.exec(source)?.[1] ?? '';
    expect(load({ text })).toMatchObject({ definition: { name: 'order-approval' }, findings: [] });
  });
});
