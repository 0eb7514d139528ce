import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { compareVersions } from '../../../src/base/json/semver.js';
import { readJourneys } from '../../../src/library/read-journeys.js';

const journey = (name: string, version: string, reason = 'x') =>
  `apiVersion: v1\nkind: Journey\nmetadata: { name: ${name}, version: ${version} }\nspec:\n  start: a\n  states:\n    a: { type: fail, errorCode: X, reason: ${reason} }\n`;

describe('a folder of journeys', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'journeys-'));
  });
  afterEach(() => rm(folder, { recursive: true }));
  const write = (file: string, text: string) => writeFile(join(folder, file), text);

  it('contains the versions of each name, highest first (A49)', async () => {
    await write('a.journey.yaml', journey('tea', '1.2.0'));
    await write('b.journey.yml', journey('tea', '1.10.0'));
    await write('c.journey.yaml', journey('tea', '1.10.0-rc.1'));
    await write(
      'd.journey.json',
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Api',
        metadata: { name: 'cup', version: '0.1.0' },
        spec: { start: 'a', states: { a: { type: 'succeed' } } },
      }),
    );
    await write('notes.yaml', 'not: a journey');
    const { byName, files, findings } = await readJourneys([folder]);
    expect(byName.get('tea')?.map(({ definition }) => definition.version)).toEqual(['1.10.0', '1.10.0-rc.1', '1.2.0']);
    expect(byName.get('cup')).toHaveLength(1);
    expect(files).toHaveLength(4);
    expect(findings).toEqual([]);
  });

  it('reports a name and version defined twice, and keeps the first', async () => {
    await write('a.journey.yaml', journey('tea', '1.0.0', 'first'));
    await write('b.journey.yaml', journey('tea', '1.0.0+build.7', 'second'));
    const { byName, findings } = await readJourneys([folder]);
    expect(byName.get('tea')).toMatchObject([{ definition: { states: { a: { reason: 'first' } } } }]);
    expect(findings).toMatchObject([
      { code: 'JOURNEY_DUPLICATE', severity: 'error', file: join(folder, 'b.journey.yaml'), line: 3 },
    ]);
  });

  const at = (name: string, path: string, { method = 'GET', version = '1.0.0' } = {}) => {
    const parameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, it]) => `${it}: ${it}`).join(', ');
    return `apiVersion: v1
kind: Api
metadata: { name: ${name}, version: ${version} }
spec:
  bindings:
    http:
      route: { path: '${path}', method: ${method} }
      start: { pathToContext: { ${parameters} } }
  start: a
  states: { a: { type: succeed } }
`;
  };

  it('R15-LANG reports unreachable Apis, and leaves them out', async () => {
    await write('a.journey.yaml', at('tea', '/läves/{id}'));
    await write('b.journey.yaml', at('mate', '/l%C3%A4ves/{name}'));
    await write('c.journey.yaml', at('cup', '/cup', { method: 'POST' }));
    await write('d.journey.yaml', at('mug', '/api/v1/cup', { method: 'POST' }));
    await write('e.journey.yaml', at('jar', '/apis/lid', { method: 'POST' }));
    const named = `apiVersion: v1\nkind: Api\nmetadata: { name: lid, version: 1.0.0 }\nspec: { start: a, states: { a: { type: succeed } } }\n`;
    await write('f.journey.yaml', named);
    const { byName, findings } = await readJourneys([folder]);
    expect([...byName.keys()]).toEqual(['tea', 'cup', 'jar']);
    const place = { line: 7, pointer: '/spec/bindings/http/route/path', severity: 'error', code: 'ROUTE_DUPLICATE' };
    expect(findings).toMatchObject([
      { ...place, file: join(folder, 'b.journey.yaml') },
      { ...place, file: join(folder, 'd.journey.yaml') },
      { code: 'ROUTE_DUPLICATE', file: join(folder, 'f.journey.yaml'), pointer: '/metadata/name', line: 3 },
    ]);
    expect(findings[0]!.message).toBe(
      'GET /api/v1/l%C3%A4ves/{name} is already the route of the Api tea (a.journey.yaml).',
    );
  });

  it('R15-LANG may contain Apis whose routes differ in method or specificity, or that are not served', async () => {
    await write('a.journey.yaml', at('tea', '/leaves/{id}'));
    await write('b.journey.yaml', at('brew', '/leaves/{id}', { method: 'POST' }));
    await write('c.journey.yaml', at('all', '/leaves/all'));
    await write('d.journey.yaml', at('old', '/leaves/{it}'));
    await write('e.journey.yaml', at('old', '/old', { version: '2.0.0' }));
    expect((await readJourneys([folder])).findings).toEqual([]);
  });

  it('leaves broken files out and reports where they break', async () => {
    await write('a.journey.yaml', journey('tea', '1.0.0').replace('type: fail', 'type: fial'));
    const { byName, findings } = await readJourneys([folder]);
    expect(byName.size).toBe(0);
    expect(findings).toMatchObject([{ code: 'STATE_TYPE', line: 7, column: 16, file: join(folder, 'a.journey.yaml') }]);
  });

  it('hashes content, not formatting', async () => {
    await write('a.journey.yaml', journey('tea', '1.0.0'));
    const first = (await readJourneys([folder])).byName.get('tea')?.[0]?.hash;
    await write('a.journey.yaml', `# a comment\n${journey('tea', '"1.0.0"')}`);
    const second = (await readJourneys([folder])).byName.get('tea')?.[0]?.hash;
    await write('a.journey.yaml', journey('tea', '1.0.0', 'other'));
    const third = (await readJourneys([folder])).byName.get('tea')?.[0]?.hash;
    expect(first).toMatch(/^[0-9a-f]{64}$/);
    expect(second).toBe(first);
    expect(third).not.toBe(first);
  });

  it('skips scenarios and pipelines in a list of paths from a shell', async () => {
    const names = ['a.journey.yaml', 'a.scenario.yaml', 'b.pipeline.yaml'];
    for (const name of names) await write(name, journey('tea', '1.0.0'));
    const { files, findings } = await readJourneys(names.map((name) => join(folder, name)));
    expect(files).toEqual([join(folder, 'a.journey.yaml')]);
    expect(findings).toEqual([]);
  });

  it('reports unreadable files', async () => {
    const { findings } = await readJourneys([join(folder, 'nowhere')]);
    expect(findings).toMatchObject([{ code: 'JOURNEY_FILE_UNREADABLE', severity: 'error' }]);
  });
});

describe('versions', () => {
  const ordered = [
    '0.0.1',
    '0.9.0',
    '1.0.0-alpha',
    '1.0.0-alpha.1',
    '1.0.0-alpha.beta',
    '1.0.0-beta',
    '1.0.0-beta.2',
    '1.0.0-beta.11',
    '1.0.0-rc.1',
    '1.0.0',
    '1.0.10',
    '1.2.0',
    '2.0.0',
  ];

  it('are ordered by semantic versioning', () => {
    expect([...ordered].reverse().sort(compareVersions)).toEqual(ordered);
    expect(compareVersions('1.0.0+a', '1.0.0+b')).toBe(0);
  });

  it('have a consistent order (property)', () => {
    const version = fc.constantFrom(...ordered);
    fc.assert(
      fc.property(
        version,
        version,
        (a, b) => Math.sign(compareVersions(a, b)) === -Math.sign(compareVersions(b, a)) || a === b,
      ),
    );
  });
});
