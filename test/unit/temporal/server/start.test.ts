import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ProblemError } from '../../../../src/base/problems/problem.js';
import { loadConfig } from '../../../../src/config/load-config.js';
import { serverArguments } from '../../../../src/temporal/server/server-arguments.js';
import { startServer } from '../../../../src/temporal/server/start-server.js';
import { freePort } from '../../../../src/temporal/server/tcp-ports.js';

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'start-'));
});
afterEach(() => {
  rmSync(cwd, { recursive: true });
});

/** The error of `startServer` for a server that prints a line and exits. */
async function startFake(line: string, env: NodeJS.ProcessEnv): Promise<ProblemError> {
  const path = join(cwd, 'fake-temporal');
  writeFileSync(path, `#!/bin/sh\necho '${line}' >&2\nexit 3\n`);
  chmodSync(path, 0o755);
  const found = { kind: 'executable', source: 'fake', path, version: '9.9.9', tried: [] } as const;
  return (await startServer(loadConfig({ cwd, env }), { found }).catch((it) => it)) as ProblemError;
}

it('a port that was taken between check and start is also reported', async () => {
  const port = await freePort('127.0.0.1');
  const busy = `Error: listen tcp 127.0.0.1:${port}: bind: address already in use`;
  const main = await startFake(busy, { JOURNEYMAN_SERVER_PORT: `${port}`, JOURNEYMAN_SERVER_UI_PORT: '0' });
  expect(main.problem).toMatchObject({ code: 'PORT_IN_USE', port, option: 'server.port' });
  const ui = await startFake(busy, { JOURNEYMAN_SERVER_PORT: '0', JOURNEYMAN_SERVER_UI_PORT: `${port}` });
  expect(ui.problem).toMatchObject({ code: 'PORT_IN_USE', port, option: 'server.uiPort' });
});

it('any other exit is reported with the end of its log', async () => {
  const error = await startFake('database is from the future', {
    JOURNEYMAN_SERVER_PORT: '0',
    JOURNEYMAN_SERVER_UI_PORT: '0',
  });
  expect(error.problem.code).toBe('TEMPORAL_SERVER_FAILED');
  expect(error.message).toContain('code 3');
  expect(error.message).toContain('database is from the future');
  expect(error.problem.hint).toContain(join(cwd, '.journeyman', 'server.log'));
});

it('an unusable data directory is reported with its option', async () => {
  writeFileSync(join(cwd, 'file'), '');
  const error = await startFake('no', { JOURNEYMAN_SERVER_DATA_DIR: 'file' });
  expect(error.problem).toMatchObject({ code: 'DATA_DIR_UNUSABLE' });
  expect(error.problem.detail).toContain(join(cwd, 'file'));
  expect(error.problem.hint).toContain('JOURNEYMAN_SERVER_DATA_DIR');
});

it('a failed start leaves the data directory free', async () => {
  const env = { JOURNEYMAN_SERVER_PORT: '0', JOURNEYMAN_SERVER_UI_PORT: '0' };
  await startFake('no', env);
  expect((await startFake('no', env)).problem.code).toBe('TEMPORAL_SERVER_FAILED');
});

it('starts with tuning, database, search attributes and the operator’s arguments', () => {
  const config = loadConfig({ cwd, env: { JOURNEYMAN_SERVER_ARGS: '--log-config', TEMPORAL_NAMESPACE: 'n' } });
  const line = serverArguments(config, 7000).join(' ');
  for (const part of [
    'server start-dev --ip 127.0.0.1 --port 7000 --ui-port 8233 --namespace n',
    `--db-filename ${join(cwd, '.journeyman', 'temporal.db')}`,
    '--sqlite-pragma synchronous=1',
    '--dynamic-config-value history.transferProcessorMaxPollRPS=2000',
    '--dynamic-config-value history.timerProcessorMaxTimeShift="25ms"',
    '--search-attribute JourneyName=Keyword',
    '--search-attribute JourneyTags=KeywordList',
  ]) {
    expect(line).toContain(part);
  }
  expect(line.endsWith('--log-config')).toBe(true);
  const { server } = loadConfig({ cwd, env: { JOURNEYMAN_SERVER_IN_MEMORY: '1', JOURNEYMAN_SERVER_UI_PORT: '0' } });
  expect(serverArguments({ ...config, server }, 1)).not.toContain('--db-filename');
  expect(serverArguments({ ...config, server }, 1)).toContain('--headless');
});

it('nothing starts, and the data directory is released, if the rest of the process cannot run', async () => {
  const config = loadConfig({ cwd, env: { JOURNEYMAN_SERVER_PORT: '0', JOURNEYMAN_SERVER_UI_PORT: '0' } });
  const check = () => Promise.reject(new Error('no gateway'));
  const found = { kind: 'executable', source: 'fake', path: join(cwd, 'none'), version: '9.9.9', tried: [] } as const;
  await expect(startServer(config, { found, check })).rejects.toThrow('no gateway');
  await expect(startServer(config, { found, check })).rejects.toThrow('no gateway');
});
