import { existsSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { pages, pageText } from '../../support/doc-blocks.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const withoutBlocks = (page: string) => pageText(page).replaceAll(/^```[\s\S]*?^```$/gm, '');

/** The anchor of a heading on GitHub. */
function anchorOf(heading: string): string {
  const shown = heading.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1');
  return shown
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');
}

it.each([...pages, 'docs/benchmarks.md', 'CONTRIBUTING.md', 'CHANGELOG.md'])('links in %s have a target', (page) => {
  const links = [...withoutBlocks(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link!);
  const broken = links.filter((link) => {
    if (/^https?:/.test(link)) return false;
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? page : posix.join(posix.dirname(page), path);
    if (!existsSync(`${root}${target}`)) return true;
    const headings = () => [...withoutBlocks(target).matchAll(/^#+ (.+)$/gm)].map(([, it]) => anchorOf(it!));
    return anchor !== undefined && !headings().includes(anchor);
  });
  expect(broken).toEqual([]);
});
