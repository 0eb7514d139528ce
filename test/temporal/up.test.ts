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

  describe.concurrent('a single part', () => {
    it('exits without a server', async ({ onTestFinished }) => {
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

    it('does not start if the gateway’s port is in use', async ({ onTestFinished }) => {
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

    it('runs and stops a separate gateway against an external server', async ({ onTestFinished }) => {
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

  it('prints all addresses, stops completely, and the next start resumes runs', async () => {
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

const sleeping = `
apiVersion: v1
kind: Journey
metadata: { name: lie-down, version: 1.0.0 }
spec: { start: done, states: { done: { type: succeed } } }
`;

const sleepy = `
apiVersion: v1
kind: Pipeline
metadata: { name: sleepy, version: 1.0.0 }
spec:
  topics: { beds: {} }
  consumers: { lie: { topics: [beds], journey: lie-down, input: { mapper: { lang: dataweave, expr: "{}" } } } }
`;

describe('GAP-6 two folders on one server', () => {
  const folders: string[] = [];
  const running: Up[] = [];
  afterAll(() => {
    for (const it of running) it.kill('SIGKILL');
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });

  function folderOf(name: string): string {
    const parent = mkdtempSync(join(tmpdir(), 'journeyman-two-'));
    folders.push(parent);
    const folder = join(parent, name);
    mkdirSync(join(folder, 'specs'), { recursive: true });
    writeFileSync(join(folder, 'specs', 'nap.journey.yaml'), nap);
    writeFileSync(join(folder, 'specs', 'lie-down.journey.yaml'), sleeping);
    writeFileSync(join(folder, 'specs', 'sleepy.pipeline.yaml'), sleepy);
    return folder;
  }

  /** Runs a command in a folder, and returns its exit code and both outputs. */
  async function run(
    cwd: string,
    args: string[],
    env: NodeJS.ProcessEnv,
  ): Promise<{ code: number | null; said: string }> {
    const child = spawn(process.execPath, [main, ...args], { cwd, env: { ...process.env, ...env }, stdio: 'pipe' });
    const closed = once(child, 'close');
    const [out, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
    await closed;
    return { code: child.exitCode, said: out + errors };
  }

  it('the second is rejected without a name, takes over pipelines only on request, and doctor shows whose worker runs', async () => {
    const [ours, theirs] = [folderOf('ours'), folderOf('theirs')];
    const first = await startUp(main, ours);
    running.push(first);
    const env = { TEMPORAL_ADDRESS: first.address, JOURNEYMAN_GATEWAY_PORT: '0' };
    const refused = await run(theirs, ['up'], env);
    expect(refused.code).toBe(1);
    expect(refused.said).toMatch(/TASK_QUEUE_IN_USE: .*polls the task queue journeyman: \d+@\S+ ours~[0-9a-f]{8}\./);
    expect(refused.said).toContain('deployment.name');

    // With a name it has its own queue; the pipeline stays with the first.
    const ports = await freePorts();
    const second = await startUp(main, theirs, ports, {
      TEMPORAL_ADDRESS: first.address,
      JOURNEYMAN_DEPLOYMENT_NAME: 'theirs',
    });
    running.push(second);
    await expect
      .poll(() => second.logged())
      .toMatch(/PIPELINE_TAKEN: The pipeline sleepy was deployed by .*ours\/specs and runs on/);
    const named = await run(theirs, ['doctor'], { ...env, JOURNEYMAN_DEPLOYMENT_NAME: 'theirs' });
    expect(named.said).toMatch(/\d+@\S+ theirs polling the task queue journeyman-theirs/);
    const unnamed = await run(theirs, ['doctor'], env);
    expect(unnamed.said).toMatch(/\d+@\S+ ours~\w+ polling the task queue journeyman; this folder is theirs~/);
    expect(await second.stop('SIGTERM')).toBe(0);

    // Also from a folder with the same queue, until takeover is requested; then the first is rejected in turn.
    const deploy = (folder: string, ...more: string[]) => run(folder, ['pipeline', 'deploy', ...more], env);
    expect(await deploy(theirs)).toMatchObject({ code: 1, said: expect.stringContaining('--take-over') });
    expect((await run(ours, ['pipeline', 'list'], env)).said).toContain('ours/specs');
    expect(await deploy(theirs, '--take-over')).toMatchObject({ code: 0 });
    expect((await run(ours, ['pipeline', 'list'], env)).said).toContain('theirs/specs');
    expect(await deploy(ours)).toMatchObject({ code: 1, said: expect.stringContaining('PIPELINE_TAKEN') });
    expect(await first.stop('SIGTERM')).toBe(0);
  });
});
