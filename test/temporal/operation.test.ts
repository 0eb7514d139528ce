import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, chownSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { watchContentDrift } from '../../src/app/content-drift.js';
import { libraryOf } from '../../src/service/library-interface.js';
import { freePort } from '../../src/temporal/server/tcp-ports.js';
import { hasImageNode, imageNode } from '../support/deployment-tools.js';
import { journeyOf, type Rig, rig } from './support/rig.js';
import { temporalCli } from './support/temporal-cli.js';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const patience = { timeout: 60_000, interval: 100 };

/** The HTTP status of a URL; undefined if nothing listens there. */
const statusOf = async (url: string): Promise<number | undefined> =>
  await fetch(url).then(
    async (response) => {
      await response.arrayBuffer();
      return response.status;
    },
    () => undefined,
  );

describe('GAP-28 the image', () => {
  /** Without root, the files are still those of the image, but the user is that of the test. */
  const other = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const children: ChildProcess[] = [];
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'journeyman-image-'));
    chmodSync(folder, 0o755);
    const stage = readFileSync(join(repository, 'Dockerfile'), 'utf8')
      .split(/^FROM /m)
      .at(-1)!;
    for (const [, sources, target] of stage.matchAll(/^COPY (?:--from=\S+ )?(.+) (\S+)$/gm))
      for (const source of sources!.split(' ')) copy(source.replace(/^\/app\//, ''), target!);
    for (const [, made] of stage.matchAll(/^RUN mkdir (\S+) && chown node:node \1$/gm)) {
      mkdirSync(join(folder, made!));
      if (other.uid !== undefined) chownSync(join(folder, made!), other.uid, other.gid);
    }
  });
  afterAll(() => {
    for (const child of children) child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });

  function copy(source: string, target: string): void {
    const to = join(folder, target.endsWith('/') ? join(target, basename(source)) : target);
    mkdirSync(join(to, '..'), { recursive: true });
    // Without the bundler, as after the build stage.
    if (source === '/image/node_modules')
      execFileSync(process.execPath, [join(repository, 'packaging/image-modules.mjs'), to]);
    else cpSync(join(repository, source), to, { recursive: true });
  }

  function journeyman(command: string, env: NodeJS.ProcessEnv): ChildProcess {
    const child = spawn(hasImageNode ? imageNode : process.execPath, ['dist/src/cli/main.js', command], {
      cwd: folder,
      env: { PATH: process.env.PATH, TEMPORAL_ADDRESS: inject('temporalAddress'), ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
      ...other,
    });
    children.push(child);
    return child;
  }

  it('runs as another user, starts a run for an operator, serves its OpenAPI document and writes the audit log', async () => {
    spawnCheck();
    const port = await freePort('127.0.0.1');
    const queue = { JOURNEYMAN_TEMPORAL_TASK_QUEUE: `image-${randomUUID()}`, JOURNEYMAN_LOG_LEVEL: 'error' };
    const hash = `sha256:${createHash('sha256').update('jm_ops').digest('hex')}`;
    journeyman('worker', queue);
    journeyman('gateway', {
      ...queue,
      JOURNEYMAN_GATEWAY_PORT: String(port),
      JOURNEYMAN_GATEWAY_AUTH_API_KEYS: JSON.stringify([{ id: 'ops', hash, roles: ['operator'] }]),
    });
    const url = `http://127.0.0.1:${port}`;
    await expect.poll(() => statusOf(`${url}/readyz`), patience).toBe(200);
    expect(await statusOf(`${url}/openapi.yaml`)).toBe(200);
    const started = await fetch(`${url}/api/v1/journeys/hello/start`, {
      method: 'POST',
      headers: { 'x-api-key': 'jm_ops', 'content-type': 'application/json' },
      body: '{"name": "Ada"}',
    });
    expect(await started.json()).toMatchObject({ phase: 'SUCCEEDED' });
    const audit = join(folder, '.journeyman', 'orchestrators', 'main', 'automation', 'audit.jsonl');
    await expect.poll(() => readFileSync(audit, 'utf8'), patience).toContain('"caller":"key:ops"');
  });

  /** The folder itself belongs to root, as /app does. */
  function spawnCheck(): void {
    if (other.uid === undefined) console.warn('Not root: the files of the image were run as the current user.');
    else expect(other.uid).not.toBe(process.getuid?.());
  }
});

it('HOME-4 Compose runs the server and the Web UI of the CLI', async () => {
  const text = execFileSync(await temporalCli(), ['--version'], { encoding: 'utf8' });
  const [, server, ui] = /Server ([\d.]+), UI ([\d.]+)/.exec(text)!;
  const compose = readFileSync(join(repository, 'docker-compose.yml'), 'utf8');
  const images = new Set([...compose.matchAll(/image: temporalio\/(\S+)/g)].map(([, image]) => image));
  expect([...images].sort()).toEqual([`admin-tools:${server}`, `server:${server}`, `ui:${ui}`]);
});

describe('GAP-29 restarts of gateways behind a balancer', () => {
  let folder: string;
  const gateways: { port: number; child: ChildProcess }[] = [];
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'journeyman-drain-'));
    mkdirSync(join(folder, 'specs'));
    writeFileSync(
      join(folder, 'specs', 'ping.api.journey.yaml'),
      'apiVersion: v1\nkind: Api\nmetadata: { name: ping, version: 1.0.0 }\nspec: { start: done, states: { done: { type: succeed } } }\n',
    );
    for (let i = 0; i < 2; i++) gateways.push(await start(await freePort('127.0.0.1')));
  });
  afterAll(() => {
    for (const { child } of gateways) child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });

  async function start(port: number): Promise<{ port: number; child: ChildProcess }> {
    const child = spawn(process.execPath, [join(repository, 'dist/src/cli/main.js'), 'gateway'], {
      cwd: folder,
      env: {
        ...process.env,
        TEMPORAL_ADDRESS: inject('temporalAddress'),
        JOURNEYMAN_GATEWAY_PORT: String(port),
        JOURNEYMAN_GATEWAY_SHUTDOWN_DELAY_MS: '1500',
        JOURNEYMAN_LOG_LEVEL: 'error',
      },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    while ((await statusOf(`http://127.0.0.1:${port}/readyz`)) !== 200) await sleep(100);
    return { port, child };
  }

  it('lose no requests under load: readiness fails before the port closes', async () => {
    const ready = new Set(gateways.map(({ port }) => port));
    let balancing = true;
    // Probes like those of a balancer.
    const probing = (async () => {
      while (balancing) {
        for (const { port } of gateways)
          if ((await statusOf(`http://127.0.0.1:${port}/readyz`)) === 200) ready.add(port);
          else ready.delete(port);
        await sleep(100);
      }
    })();
    const agent = new Agent({ keepAlive: true });
    const answers = new Map<string, number>();
    const call = (port: number) =>
      new Promise<string>((resolve) => {
        const sent = request({ port, agent, method: 'POST', path: '/api/v1/apis/ping' }, (response) => {
          response.resume().on('end', () => resolve(String(response.statusCode)));
        });
        sent.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message)).end();
      });
    const load = Array.from({ length: 8 }, async (_, i) => {
      for (let n = i; balancing; n++) {
        const ports = [...ready];
        const answer = await call(ports[n % ports.length]!);
        answers.set(answer, (answers.get(answer) ?? 0) + 1);
        await sleep(2);
      }
    });
    for (const gateway of gateways) {
      const exited = once(gateway.child, 'exit');
      gateway.child.kill('SIGTERM');
      await exited;
      gateway.child = (await start(gateway.port)).child;
      await expect.poll(() => ready.has(gateway.port), patience).toBe(true);
    }
    balancing = false;
    await Promise.all([probing, ...load]);
    agent.destroy();
    expect([...answers.keys()]).toEqual(['200']);
    expect(answers.get('200')).toBeGreaterThan(200);
  });
});

describe('observability', () => {
  let folder: string;
  let rigged: Rig;
  const children: ChildProcess[] = [];
  const nap = `
apiVersion: v1
kind: Journey
metadata: { name: nap, version: 1.0.0 }
spec:
  lifecycle: { startMode: async }
  start: ask
  states:
    ask: { type: wait, wait: { channel: manual, input: { schema: true } }, next: done }
    done: { type: succeed }
`;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'journeyman-seen-'));
    mkdirSync(join(folder, 'specs'));
    writeFileSync(join(folder, 'specs', 'nap.journey.yaml'), nap);
    rigged = await rig({ worker: false });
  });
  afterAll(async () => {
    for (const child of children) child.kill('SIGKILL');
    await rigged.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  function journeyman(command: string, env: NodeJS.ProcessEnv): { child: ChildProcess; printed: () => string } {
    const child = spawn(process.execPath, [join(repository, 'dist/src/cli/main.js'), command], {
      cwd: folder,
      env: {
        ...process.env,
        TEMPORAL_ADDRESS: inject('temporalAddress'),
        JOURNEYMAN_TEMPORAL_TASK_QUEUE: rigged.config.temporal.taskQueue,
        JOURNEYMAN_GATEWAY_SHUTDOWN_DELAY_MS: '0',
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    children.push(child);
    let printed = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        printed += String(chunk);
      });
    return { child, printed: () => printed };
  }

  it('GAP-30, GAP-31 metrics cover backlog, stuck runs and calls to Temporal; every log line is JSON', async () => {
    const port = await freePort('127.0.0.1');
    const env = { JOURNEYMAN_GATEWAY_PORT: String(port), JOURNEYMAN_LOG_FORMAT: 'json', JOURNEYMAN_GATWAY_PORT: '1' };
    const { child, printed } = journeyman('gateway', env);
    const url = `http://127.0.0.1:${port}`;
    await expect.poll(() => statusOf(`${url}/readyz`), patience).toBe(200);
    expect((await fetch(`${url}/api/v1/journeys/nap/start`, { method: 'POST' })).status).toBe(202);
    const metrics = await (await fetch(`${url}/metrics`)).text();
    const queue = rigged.config.temporal.taskQueue;
    expect(metrics).toMatch(new RegExp(`^journeyman_task_backlog\\{queue="${queue}",type="workflow"\\} \\d`, 'm'));
    expect(metrics).toMatch(/^journeyman_runs_failing (\d+|Nan)$/m);
    expect(metrics).toMatch(
      /^journeyman_temporal_call_seconds_count\{operation="StartWorkflowExecution",status="OK"\} [1-9]/m,
    );
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    await exited;
    const lines = printed().trim().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual(
      expect.arrayContaining([
        expect.stringContaining('warning CONFIG_UNKNOWN_KEY'),
        expect.stringContaining('Gateway at'),
        'request',
      ]),
    );
  });

  it('GAP-31 a fatal error of a command is JSON too', async () => {
    const { child, printed } = journeyman('gateway', {
      JOURNEYMAN_LOG_FORMAT: 'json',
      TEMPORAL_ADDRESS: '127.0.0.1:1',
    });
    await once(child, 'close');
    const lines = printed().trim().split('\n');
    for (const line of lines) expect(JSON.parse(line)).toHaveProperty('msg');
    expect(printed()).toContain('TEMPORAL_UNREACHABLE');
  });

  it('GAP-31 a running gateway logs that another one serves different content under the same version', async () => {
    const lines: { msg: string; journey?: string }[] = [];
    const log = { warn: (fields: object, msg: string) => void lines.push({ ...fields, msg }), debug: () => undefined };
    const name = `drift-${randomUUID()}`;
    const journey = nap.replaceAll('nap', name);
    const library = libraryOf([{ definition: journeyOf(journey), hash: 'mine' }]);
    const end = watchContentDrift(rigged.config, rigged.client, library, log as never, 200);
    try {
      await rigged.start(journey, {}, { hash: 'mine' });
      await sleep(2_000);
      expect(lines).toEqual([]);
      await rigged.start(journey, {}, { hash: 'theirs' });
      await expect.poll(() => lines.length, patience).toBe(1);
      expect(lines[0]?.journey).toBe(`${name} 1.0.0`);
      await sleep(1_000);
      expect(lines).toHaveLength(1);
    } finally {
      end();
    }
  });
});
