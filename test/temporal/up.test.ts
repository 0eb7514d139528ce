import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { freePorts, startUp, type Up } from './support/up.js';

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

describe('journeyman up', () => {
  let folder: string;
  let ports: Up['ports'];
  let up: Up | undefined;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'journeyman-up-'));
    mkdirSync(join(folder, 'specs'));
    writeFileSync(join(folder, 'specs', 'nap.journey.yaml'), nap);
    ports = await freePorts();
  });
  afterAll(() => {
    up?.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });

  const call = async (path: string, body?: unknown) => {
    const response = await fetch(`http://127.0.0.1:${ports.gateway}/api/v1/journeys/${path}`, {
      ...(body === undefined
        ? {}
        : { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    return (await response.json()) as Record<string, unknown>;
  };

  describe.concurrent('a part alone', () => {
    it('ends by itself when there is nothing to talk to', async ({ onTestFinished }) => {
      const child = spawn(process.execPath, [main, 'gateway'], {
        cwd: folder,
        env: { ...process.env, TEMPORAL_ADDRESS: `127.0.0.1:${ports.server}` },
        stdio: 'pipe',
      });
      onTestFinished(() => void child.kill('SIGKILL'));
      let printed = '';
      child.stderr.on('data', (chunk) => {
        printed += String(chunk);
      });
      await once(child, 'close');
      expect(child.exitCode).toBe(1);
      expect(printed).toContain('TEMPORAL_UNREACHABLE');
    });

    it('starts nothing where the port of the gateway is taken', async ({ onTestFinished }) => {
      const taken = createServer().listen(0, '127.0.0.1');
      await once(taken, 'listening');
      const { port } = taken.address() as AddressInfo;
      const child = spawn(process.execPath, [main, 'up'], {
        cwd: folder,
        env: {
          ...process.env,
          JOURNEYMAN_GATEWAY_PORT: String(port),
          JOURNEYMAN_SERVER_PORT: String(ports.server),
          JOURNEYMAN_SERVER_UI_PORT: String(ports.ui),
        },
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      onTestFinished(() => void child.kill('SIGKILL'));
      const said = await text(child.stderr);
      taken.close();
      expect(said).toContain(`PORT_IN_USE: Port ${port} on 127.0.0.1 is in use (gateway.port)`);
      expect(existsSync(join(folder, '.journeyman', 'server.log'))).toBe(false);
    });

    it('runs the gateway alone, and stops it, against a server that runs elsewhere', async ({ onTestFinished }) => {
      const child = spawn(process.execPath, [main, 'gateway'], {
        cwd: folder,
        env: {
          ...process.env,
          TEMPORAL_ADDRESS: inject('temporalAddress'),
          JOURNEYMAN_GATEWAY_PORT: String(ports.gateway),
        },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      onTestFinished(() => void child.kill('SIGKILL'));
      await once(child.stdout, 'data');
      expect((await fetch(`http://127.0.0.1:${ports.gateway}/readyz`)).status).toBe(200);
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      expect(await exited).toEqual([0, null]);
    });
  });

  it('says where everything is, stops with nothing left over, and the next start resumes what was running', async () => {
    writeFileSync(join(folder, 'journeyman.config.yaml'), 'secrets: { secret://nap/bed: { env: NOBODY_SETS_THIS } }\n');
    up = await startUp(main, folder, ports);
    const { printed } = up;
    expect(printed).toMatch(/Missing +secret:\/\/nap\/bed: the environment variable NOBODY_SETS_THIS is not set\n/);
    expect(printed).toContain(`http://127.0.0.1:${ports.gateway}`);
    expect(printed).toContain(`http://127.0.0.1:${ports.ui}`);
    expect(printed).toContain('nap');
    const { journeyId } = await call('nap/start', {});
    expect(await up.stop('SIGINT')).toBe(0);
    for (const port of Object.values(ports)) {
      await expect(fetch(`http://127.0.0.1:${port}`), 'nothing listens any more').rejects.toThrow();
    }

    up = await startUp(main, folder, ports);
    expect(await call(String(journeyId))).toMatchObject({ phase: 'RUNNING', currentState: 'ask' });
    expect(await call(`${journeyId}/steps/ask`, { rested: true })).toMatchObject({ phase: 'SUCCEEDED' });
    expect(await up.stop('SIGTERM')).toBe(0);
  });
});
