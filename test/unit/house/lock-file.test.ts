import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

/** Optional binaries for other platforms, with versions that were missing in the registry of the last update. This list only shrinks. */
const unavailable =
  /^node_modules\/(@biomejs\/cli-(android|darwin|win32)-(arm64|x64)|@swc\/core-(darwin-(arm64|x64)|linux-(arm-gnueabihf|ppc64-gnu|s390x-gnu)|win32-(arm64|ia32|x64)-msvc))$/;

it('GAP-26 every entry of the lock file has the digest of its package', () => {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Record<string, { integrity?: string; link?: boolean; optional?: boolean }>;
  };
  const without = Object.entries(packages)
    .filter(([path, { integrity, link }]) => path !== '' && link !== true && !/^sha512-/.test(integrity ?? ''))
    .filter(([path, { optional }]) => !(optional === true && unavailable.test(path)));
  expect(without).toEqual([]);
});
