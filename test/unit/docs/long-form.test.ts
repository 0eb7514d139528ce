import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { writeLong } from '../../../src/base/document/rewrite-short-and-long-forms.js';
import { blocksOf } from '../../support/doc-blocks.js';
import { rewritten } from '../../support/written-forms.js';

const root = new URL('../../../', import.meta.url);
const page = new URL('docs/long-form.md', root);
const lines = (text: string) => text.split('\n').filter((line) => line.trim() !== '').length;

/** A document in the table: a file, or the journey with this name on a page. */
function textOf(label: string): string {
  const [path = '', name] = label.split(': ');
  if (name === undefined) return readFileSync(new URL(path, root), 'utf8');
  return blocksOf(path).find(({ text }) => text.includes(`\n  name: ${name}\n`))!.text;
}

it('LESS-10 the page about the long form has the right number of lines for each document', async () => {
  const text = readFileSync(page, 'utf8');
  const all = { before: 0, short: 0, long: 0 };
  const counted = new Map<string, string>();
  for (const [row, label, before] of text.matchAll(/^\| `([^`]+\.(?:md|yaml)[^`]*)` \| (\d+|–) \| \d+ \| \d+ \|$/gm)) {
    const document = textOf(label!);
    const written = await rewritten([label!, document], writeLong);
    counted.set(row, `| \`${label}\` | ${before} | ${lines(document)} | ${lines(written)} |`);
    if (before === '–') continue;
    all.before += Number(before);
    all.short += lines(document);
    all.long += lines(written);
  }
  expect(counted.size).toBeGreaterThan(30);
  const fewer = Math.round((1 - all.short / all.before) * 100);
  const now = [...counted]
    .reduce((out, [row, fresh]) => out.replace(row, fresh), text)
    .replace(/^\| \*\*all\*\* .*$/m, `| **all** | ${all.before} | ${all.short} | ${all.long} |`)
    .replace(/\*\*\d+ % fewer lines\*\*/, `**${fewer} % fewer lines**`);
  if (process.env.UPDATE_DOCS === '1') writeFileSync(page, now);
  expect(readFileSync(page, 'utf8')).toBe(now);
});

it('LESS-10 order fulfilment with a saga has at most 70 lines, the refund of the tutorial at most 40', () => {
  const saga = textOf('docs/recipes.md: fulfil-order');
  expect(saga).toContain('compensation:');
  expect(lines(saga)).toBeLessThanOrEqual(70);
  expect(lines(textOf('docs/tutorial.md: refund'))).toBeLessThanOrEqual(40);
});

it('LESS-10 the page shows the long form that fmt writes', async () => {
  const [short, long] = blocksOf('docs/long-form.md').map(({ text }) => text.replace(/^# (short|long)\n/, ''));
  const indented = short!.replace(/^/gm, '  ').trimEnd();
  const whole = `apiVersion: v1\nkind: Journey\nmetadata: { name: a, version: 1.0.0 }\nspec:\n  start: charge\n${indented}\n`;
  const written = await rewritten(['docs/long-form.md', whole], writeLong);
  expect(written.slice(written.indexOf('  states:')).replace(/^ {2}/gm, '')).toBe(long);
});
