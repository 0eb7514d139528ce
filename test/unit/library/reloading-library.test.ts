import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LiveLibrary } from '../../../src/library/reloading-library.js';
import { watchPaths } from '../../../src/library/watch-files.js';

const journey = (name: string, version: string, reason = 'x') =>
  `apiVersion: v1\nkind: Journey\nmetadata: { name: ${name}, version: ${version} }\nspec:\n  start: a\n  states:\n    a: { type: fail, errorCode: X, reason: ${reason} }\n`;

describe('a library whose folder changes', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'live-'));
  });
  afterEach(() => rm(folder, { recursive: true }));
  const write = (file: string, text: string) => writeFile(join(folder, file), text);
  const open = () => LiveLibrary.open({ specs: folder, catalogue: { root: folder, overlays: [] } });
  const reasonOf = (library: LiveLibrary, name: string) => library.find(name)?.definition.states.a;

  it('R15-WATCH serves new and changed journeys, and reports removed ones', async () => {
    await write('tea.journey.yaml', journey('tea', '1.0.0'));
    await write('cup.journey.yaml', journey('cup', '1.0.0'));
    const library = await open();
    await write('tea.journey.yaml', journey('tea', '1.0.0', 'cold'));
    await write('pot.journey.yaml', journey('pot', '1.0.0'));
    await rm(join(folder, 'cup.journey.yaml'));
    const { changed, gone, findings } = await library.reload();
    expect(changed.map(({ definition }) => definition.name)).toEqual(['pot', 'tea']);
    expect([gone, findings]).toEqual([['cup'], []]);
    expect(reasonOf(library, 'tea')).toMatchObject({ reason: 'cold' });
    expect(library.names()).toEqual(['pot', 'tea']);
    expect((await library.reload()).changed).toEqual([]);
  });

  it('R15-WATCH reports a file with errors, and still serves its last valid content', async () => {
    await write('tea.journey.yaml', journey('tea', '1.0.0'));
    const library = await open();
    await write('tea.journey.yaml', journey('tea', '1.1.0').replace('type: fail', 'type: fial'));
    await write('pot.journey.yaml', 'kind: Journey\nmetadata: { name: teapot, version: 1.0.0 }\n');
    const { changed, findings } = await library.reload();
    expect(changed).toEqual([]);
    expect(findings).toContainEqual(expect.objectContaining({ code: 'STATE_TYPE', line: 7, column: 16 }));
    expect(library.find('tea')?.definition.version).toBe('1.0.0');
    expect(library.broken('tea')).toMatchObject([{ code: 'STATE_TYPE' }]);
    expect(library.find('teapot')).toBeUndefined();
    expect(library.broken('teapot').length).toBeGreaterThan(0);
    expect(library.brokenFiles().map(({ file }) => file)).toEqual(['pot.journey.yaml', 'tea.journey.yaml']);

    await write('tea.journey.yaml', journey('tea', '1.1.0'));
    expect((await library.reload()).changed).toMatchObject([{ definition: { version: '1.1.0' } }]);
    expect(library.broken('tea')).toEqual([]);
  });

  it('R15-WATCH reports a file that is corrected back to its earlier content, although nothing changes', async () => {
    await write('tea.journey.yaml', journey('tea', '1.0.0'));
    const library = await open();
    await write('tea.journey.yaml', journey('tea', '1.0.0').replace('type: fail', 'type: fial'));
    expect((await library.reload()).mended).toEqual([]);
    await write('tea.journey.yaml', journey('tea', '1.0.0'));
    expect(await library.reload()).toMatchObject({ changed: [], findings: [], mended: ['tea.journey.yaml'] });
    expect([library.brokenFiles(), library.broken('tea')]).toEqual([[], []]);
    expect((await library.reload()).mended).toEqual([]);
  });

  it('R15-WATCH reports a removed file with errors as removed, not as corrected', async () => {
    await write('tea.journey.yaml', journey('tea', '1.0.0'));
    await write('pot.journey.yaml', journey('tea', '1.0.0'));
    const library = await open();
    expect(library.brokenFiles().map(({ file }) => file)).toEqual(['tea.journey.yaml']);
    expect(library.brokenFiles()[0]!.message).toBe('tea 1.0.0 is already defined in pot.journey.yaml.');
    await rm(join(folder, 'tea.journey.yaml'));
    expect(await library.reload()).toMatchObject({ mended: [], removed: ['tea.journey.yaml'] });
    expect(await library.reload()).toMatchObject({ mended: [], removed: [] });
  });

  it('R15-WATCH reloads a changed OpenAPI document, with the journeys that use it', async () => {
    const api = (path: string) =>
      JSON.stringify({
        openapi: '3.1.0',
        info: { title: 'shop', version: '1' },
        servers: [{ url: 'http://shop.test' }],
        paths: { [path]: { get: { operationId: 'look', responses: { 200: { description: 'ok' } } } } },
      });
    await write('shop.openapi.json', api('/look'));
    await write(
      'errand.journey.yaml',
      `apiVersion: v1\nkind: Journey\nmetadata: { name: errand, version: 1.0.0 }\nspec:\n  apis: { shop: { openApiRef: shop.openapi.json } }\n  start: a\n  states:\n    a: { type: task, task: { kind: "httpCall:v1", operationRef: shop.look, resultVar: r }, next: b }\n    b: { type: succeed }\n`,
    );
    const library = await open();
    expect(library.findings.filter(({ severity }) => severity === 'error')).toEqual([]);
    const before = library.find('errand')?.hash;
    await write('shop.openapi.json', api('/see'));
    expect((await library.reload()).changed).toMatchObject([{ definition: { name: 'errand' } }]);
    expect(library.find('errand')?.hash).not.toBe(before);
  });

  it('R15-WATCH notices every way of saving a file, also in folders that are created later', async () => {
    const noticed = new Set<string>();
    const watcher = watchPaths([folder], async (files) => {
      for (const file of files) noticed.add(relative(folder, file));
    });
    const notices = async (name: string, change: () => Promise<unknown>) => {
      noticed.clear();
      await change();
      await expect.poll(() => [...noticed], { timeout: 10_000, message: name }).toContain(name);
    };
    try {
      const tea = 'tea.journey.yaml';
      const saveByRename = async () => {
        await write('.saved', journey('tea', '1.0.1'));
        await rename(join(folder, '.saved'), join(folder, tea));
      };
      await notices(tea, () => write(tea, journey('tea', '1.0.0')));
      await notices(tea, saveByRename);
      await notices(tea, () => write(tea, journey('tea', '1.0.2')));
      await notices(tea, saveByRename);
      await notices(tea, () => rm(join(folder, tea)));
      for (const version of ['1.0.0', '1.0.1']) {
        const inner = join('later', 'deeper', tea);
        await mkdir(join(folder, 'later', 'deeper'), { recursive: true });
        await notices(inner, () => write(inner, journey('tea', version)));
        await notices(inner, () => write(inner, journey('tea', `${version}-again`)));
        await rm(join(folder, 'later'), { recursive: true });
      }
    } finally {
      watcher.close();
    }
  });
});
