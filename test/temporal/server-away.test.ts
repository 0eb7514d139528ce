import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startGateway } from '../../src/app/start-gateway.js';
import { loadConfig } from '../../src/config/load-config.js';
import { libraryOf } from '../../src/service/library-interface.js';
import { startServer } from '../../src/temporal/server/start-server.js';
import { freePort } from '../../src/temporal/server/tcp-ports.js';
import { journeyOf } from './support/rig.js';

const main = fileURLToPath(new URL('../../dist/src/cli/main.js', import.meta.url));
const nap = `
apiVersion: v1
kind: Journey
metadata: { name: nap, version: 1.0.0 }
spec:
  start: ask
  states:
    ask: { type: wait, wait: { channel: manual, input: { schema: true } }, next: done }
    done: { type: succeed }
`;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'server-away-'));
  mkdirSync(join(folder, 'specs'));
  writeFileSync(join(folder, 'specs', 'nap.journey.yaml'), nap);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const free = { JOURNEYMAN_SERVER_PORT: '0', JOURNEYMAN_SERVER_UI_PORT: '0', JOURNEYMAN_GATEWAY_PORT: '0' };

describe.concurrent('an unavailable server', () => {
  it('FLT-17 stopped: every route that needs it returns 503 in bounded time, and recovers with it', async ({
    expect,
    onTestFinished,
  }) => {
    const config = loadConfig({ cwd: folder, env: { ...free, JOURNEYMAN_SERVER_IN_MEMORY: 'true' } });
    const server = await startServer(config);
    onTestFinished(() => server.stop());
    const library = libraryOf([{ definition: journeyOf(nap), hash: 'nap' }]);
    const gateway = await startGateway(config, library, pino({ level: 'silent' }), server.address);
    onTestFinished(() => gateway.stop());
    const ask = async (path: string, method = 'GET') => {
      const response = await fetch(`${gateway.url}/api/v1${path}`, { method });
      const { code } = (await response.json()) as { code?: string };
      return [response.status, code];
    };
    process.kill(server.pid, 'SIGSTOP');
    const answers = await Promise.all([
      ask('/schedules'),
      ask('/schedules/x'),
      ask('/schedules/x/pause', 'POST'),
      ask('/journeys'),
      ask('/journeys/x'),
      ask('/journeys/x/result'),
      ask('/journeys/x/steps/ask', 'POST'),
      ask('/journeys/nap/start', 'POST'),
    ]).finally(() => process.kill(server.pid, 'SIGCONT'));
    expect(answers).toEqual(answers.map(() => [503, 'TEMPORAL_UNAVAILABLE']));
    await expect.poll(() => ask('/journeys')).toEqual([200, undefined]);
  });

  it('FLT-17 killed under load: `up` reports it in one line, stops the other parts and exits with 1', async ({
    expect,
    onTestFinished,
  }) => {
    const child = spawn(process.execPath, [main, 'up'], {
      cwd: folder,
      env: { ...process.env, ...free },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    let errors = '';
    child.stderr.on('data', (chunk) => {
      errors += String(chunk);
    });
    const url = await gatewayUrl(child);
    const { server } = JSON.parse(readFileSync(join(folder, '.journeyman', 'server.json'), 'utf8'));
    const exited = once(child, 'exit');
    const load = Array.from({ length: 20 }, () => callUntilGone(url));
    await new Promise((resolve) => setTimeout(resolve, 1000));
    process.kill(server.pid, 'SIGKILL');
    await exited;
    await Promise.all(load);
    expect(child.exitCode).toBe(1);
    expect(errors).not.toContain('Channel has been shut down');
    expect(errors, 'no stack').not.toMatch(/^ +at /m);
    const exitErrors = errors.split('\n').filter((line) => line.includes('Temporal server exited unexpectedly'));
    expect(exitErrors.length, errors).toBe(2);
    expect(exitErrors[0], 'when it happens, in the log').toContain('"level":60');
    expect(exitErrors[1], 'at the end').toMatch(/^TEMPORAL_SERVER_FAILED: /);
  });
});

it('FLT-22 a separate worker answers probes, and logs the reason if it loses the server', async () => {
  const config = loadConfig({ cwd: folder, env: { ...free, JOURNEYMAN_SERVER_IN_MEMORY: 'true' } });
  const server = await startServer(config);
  onTestFinished(() => server.stop());
  const port = await freePort('127.0.0.1');
  const child = spawn(process.execPath, [main, 'worker'], {
    cwd: folder,
    env: { ...process.env, TEMPORAL_ADDRESS: server.address, JOURNEYMAN_WORKER_HEALTH_PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let log = '';
  child.stderr.on('data', (chunk) => {
    log += String(chunk);
  });
  await once(child.stdout, 'data');
  const asked = async () => {
    const paths = ['healthz', 'readyz', 'metrics'];
    return await Promise.all(paths.map(async (path) => (await fetch(`http://127.0.0.1:${port}/${path}`)).status));
  };
  expect(await asked()).toEqual([200, 200, 200]);
  process.kill(server.pid, 'SIGKILL');
  await expect.poll(asked, { timeout: 40_000, interval: 500 }).toEqual([200, 503, 200]);
  const lines = () => log.split('\n').filter((line) => line.includes('does not respond'));
  await expect.poll(lines).toHaveLength(1);
  expect(JSON.parse(lines()[0]!).reason).toMatch(/UNAVAILABLE|DEADLINE/);
});

async function gatewayUrl(child: ChildProcess): Promise<string> {
  let printed = '';
  for await (const chunk of child.stdout!) {
    printed += String(chunk);
    if (printed.includes('Try:')) break;
  }
  return /Gateway +(\S+)/.exec(printed)![1]!;
}

/** Starts runs sequentially on a persistent connection until the gateway is gone. */
async function callUntilGone(url: string): Promise<void> {
  for (;;) {
    const answered = await fetch(`${url}/api/v1/journeys/nap/start`, { method: 'POST' }).then(
      async (response) => (await response.text()) !== '',
      () => false,
    );
    if (!answered) return;
  }
}
