import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, readdirSync, statSync } from 'node:fs';
import { chmod, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { goVersion, pinnedVersion } from './pinned-cli-release.js';
import { type ServerSource, SourceFailed } from './server-source-interface.js';

/** The executable installed by an earlier start. It was verified before the atomic move into the cache, so checking its size suffices. */
export const cachedServer: ServerSource = {
  id: 'cache',
  title: 'our cache',
  installs: false,
  async find({ cacheRoot, platform, build }) {
    for (const version of [pinnedVersion, goVersion]) {
      const path = cachedPath(cacheRoot, version, platform);
      const size = await sizeOf(path);
      const expected = version === pinnedVersion ? build?.size : undefined;
      if (size !== undefined && (expected === undefined || size === expected)) return { path, version };
    }
    throw new SourceFailed(
      `nothing is installed in ${cacheRoot}`,
      'An earlier start fills it; JOURNEYMAN_CACHE sets its location.',
    );
  },
};

/** The folder of installed servers: JOURNEYMAN_CACHE, else the platform's cache folder. */
export function cacheRoot(env: NodeJS.ProcessEnv, platform: string = process.platform): string {
  if (env.JOURNEYMAN_CACHE) return join(env.JOURNEYMAN_CACHE, 'temporal');
  if (platform === 'win32' && env.LOCALAPPDATA) return join(env.LOCALAPPDATA, 'journeyman', 'cache', 'temporal');
  return join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'journeyman', 'temporal');
}

/** The executable of `version` in the cache, installed or not. */
export function cachedPath(root: string, version: string, platform: string): string {
  return join(root, version, platform === 'win32' ? 'temporal.exe' : 'temporal');
}

/** Size of a file; undefined if it does not exist. */
export async function sizeOf(path: string): Promise<number | undefined> {
  try {
    const it = await stat(path);
    return it.isFile() ? it.size : undefined;
  } catch {
    return undefined;
  }
}

/** Total size of all files in a folder, which may change meanwhile. */
export function bytesIn(folder: string): number {
  let sum = 0;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) sum += statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? 0;
  }
  return sum;
}

/** Hex SHA-256 of a file. */
export async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

/** Rejects a file with another checksum than the pinned one. */
export async function verifyChecksum(path: string, expected: string): Promise<void> {
  const actual = await sha256Of(path);
  if (actual === expected) return;
  throw new SourceFailed(
    `the download does not match its pinned SHA-256 (expected ${expected.slice(0, 12)}…, got ${actual.slice(0, 12)}…)`,
    'Try again; if it persists, a proxy or mirror modifies the download.',
  );
}

/** Moves a finished executable into the cache atomically. */
export async function install(file: string, root: string, version: string, platform: string): Promise<string> {
  const target = cachedPath(root, version, platform);
  await mkdir(join(root, version), { recursive: true });
  await chmod(file, 0o755);
  await rename(file, target);
  return target;
}

const attempt = '.attempt-';

/** Runs `work` in a scratch folder inside the cache (so that renames stay atomic) and removes it afterwards. */
export async function inScratchFolder<T>(root: string, work: (folder: string) => Promise<T>): Promise<T> {
  await mkdir(root, { recursive: true });
  await removeBroken(root);
  const folder = join(root, `${attempt}${process.pid}-${randomUUID()}`);
  await mkdir(folder);
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Scratch folders of processes that no longer exist. */
async function removeBroken(root: string): Promise<void> {
  for (const name of await readdir(root)) {
    const owner = name.startsWith(attempt) ? Number(name.slice(attempt.length).split('-')[0]) : undefined;
    if (owner === undefined || (Number.isInteger(owner) && isAlive(owner))) continue;
    await rm(join(root, name), { recursive: true, force: true });
  }
}

/** Reports whether a process with this id exists. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
