import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ProblemError } from '../../../../src/base/problems/problem.js';
import { loadConfig } from '../../../../src/config/load-config.js';
import { temporalAddress } from '../../../../src/temporal/connection.js';
import { claimDataDir } from '../../../../src/temporal/server/claim-data-dir.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'claim-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});
const file = () => join(folder, 'server.json');
const claim = () => JSON.parse(readFileSync(file(), 'utf8')) as { owner: object; server?: object };

it('a data directory is claimed by one process and released afterwards', async () => {
  const held = await claimDataDir(folder);
  const error = (await claimDataDir(folder).catch((it) => it)) as ProblemError;
  expect(error.problem.code).toBe('DATA_DIR_IN_USE');
  expect(error.message).toContain(String(process.pid));
  held.release();
  (await claimDataDir(folder)).release();
  expect(existsSync(file())).toBe(false);
});

it.each([
  ['a dead owner', { owner: { pid: 999_999_999, began: '1' } }],
  ['an owner whose process id was reused', { owner: { pid: process.pid, began: 'long ago' } }],
])('%s does not count as its claim', async (_, stale) => {
  writeFileSync(file(), JSON.stringify(stale));
  (await claimDataDir(folder)).release();
});

it('commands find a server with a port of its own choice while it runs', async () => {
  const env = { JOURNEYMAN_SERVER_PORT: '0', JOURNEYMAN_SERVER_DATA_DIR: folder };
  const config = loadConfig({ cwd: folder, env });
  const held = await claimDataDir(folder);
  held.note(process.pid, '127.0.0.1:4711');
  expect(temporalAddress(config)).toBe('127.0.0.1:4711');
  expect(temporalAddress(loadConfig({ cwd: folder, env: { ...env, JOURNEYMAN_SERVER_PORT: '7233' } }))).toBe(
    '127.0.0.1:7233',
  );
  held.release();
  expect(temporalAddress(config)).toBe('127.0.0.1:0');
});

it('a damaged claim file is ignored', async () => {
  writeFileSync(file(), '{"own');
  (await claimDataDir(folder)).release();
});

it('an orphaned server of a dead owner is stopped first', async () => {
  const orphan = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  const ended = new Promise((resolve) => orphan.on('exit', resolve));
  const held = await claimDataDir(folder);
  held.note(orphan.pid as number, '127.0.0.1:1');
  writeFileSync(file(), JSON.stringify({ ...claim(), owner: { pid: 999_999_999, began: '1' } }));
  const next = await claimDataDir(folder);
  await ended;
  next.release();
});

it('another process with the id of the old server is not stopped', async () => {
  const bystander = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  const server = { pid: bystander.pid, began: 'long ago', address: '127.0.0.1:1' };
  writeFileSync(file(), JSON.stringify({ owner: { pid: 999_999_999, began: '1' }, server }));
  (await claimDataDir(folder)).release();
  expect(bystander.exitCode).toBeNull();
  bystander.kill();
});
