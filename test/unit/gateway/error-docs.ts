import { readdirSync, readFileSync } from 'node:fs';
import type { CodeEntry } from '../../../src/base/problems/registry.js';

type Codes = Readonly<Record<string, CodeEntry>>;

const folder = new URL('../../../src/base/problems/codes/', import.meta.url);

/** docs/errors.md: a section per area, starting with the sentence above its codes in the source. */
export async function errorDocs(): Promise<string> {
  const sections = await Promise.all(readdirSync(folder).sort().map(section));
  return [
    '# Errors',
    '',
    'Every error is an RFC 9457 problem with a `code` that never changes its meaning. The status is that of the HTTP answer where the',
    'problem is one; in a list of findings each place has a code of its own.',
    '',
    'This page is made from `src/base/problems/codes`. To write it anew:',
    '',
    '    UPDATE_DOCS=1 npx vitest run --config test/vitest.config.ts test/unit/gateway/docs.test.ts',
    ...sections.flat(),
    '',
  ].join('\n');
}

async function section(file: string): Promise<string[]> {
  const [codes = {}] = Object.values((await import(new URL(file, folder).pathname)) as Record<string, Codes>);
  const lead = /^\/\*\* (.+) \*\/$/m.exec(readFileSync(new URL(file, folder), 'utf8'))?.[1] ?? '';
  const name = file.replace(/\.ts$/, '');
  const rows = Object.entries(codes)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([code, { status, title, hint }]) => `| \`${code}\` | ${status} | ${cell(title)} | ${cell(hint ?? '')} |`);
  return [
    '',
    `## ${name[0]?.toUpperCase()}${name.slice(1).replaceAll('-', ' ')}`,
    '',
    lead,
    '',
    '| Code | Status | Meaning | Hint |',
    '|---|---|---|---|',
    ...rows,
  ];
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
