import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { freePorts, startUp, type Up } from './support/up.js';

const main = fileURLToPath(new URL('../../dist/src/cli/main.js', import.meta.url));

/** Sends the id of an order to a service. */
const packing = (url: string) => `
apiVersion: v1
kind: Journey
metadata: { name: pack, version: 1.0.0 }
spec:
  input: { schema: { type: object, properties: { id: { type: string } } } }
  start: send
  states:
    send: { type: task, task: { kind: "httpCall:v1", method: POST, url: "${url}/\${context.id}", resultVar: r }, next: done }
    done: { type: succeed }
`;

const orders = `
apiVersion: v1
kind: Pipeline
metadata: { name: orders, version: 1.0.0 }
spec:
  topics: { orders: {} }
  consumers: { pack: { topics: [orders], journey: pack, input: { expr: "{ id: event.payload.id }" } } }
`;

describe('a killed `up` with another folder on its server', () => {
  const folders: string[] = [];
  const running: Up[] = [];
  /** Requests to the service, in order. */
  const received: { path: string; key: string }[] = [];
  let ledger: Server;
  let url: string;
  beforeAll(async () => {
    ledger = createServer((request, response) => {
      received.push({ path: request.url!, key: String(request.headers['idempotency-key']) });
      setTimeout(() => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'), 300);
    }).listen(0, '127.0.0.1');
    await once(ledger, 'listening');
    url = `http://127.0.0.1:${(ledger.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    for (const it of running) it.kill('SIGKILL');
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
    ledger.closeAllConnections();
    ledger.close();
  });

  function folderOf(name: string, ...documents: [file: string, content: string][]): string {
    const parent = mkdtempSync(join(tmpdir(), 'journeyman-killed-'));
    folders.push(parent);
    const folder = join(parent, name);
    mkdirSync(join(folder, 'specs'), { recursive: true });
    for (const [file, content] of documents) writeFileSync(join(folder, 'specs', file), content);
    return folder;
  }
  const working = (name: string) =>
    folderOf(name, ['pack.journey.yaml', packing(`${url}/${name}`)], ['orders.pipeline.yaml', orders]);

  async function up(...args: Parameters<typeof startUp>): Promise<Up> {
    const started = await startUp(...args);
    running.push(started);
    return started;
  }

  it('GAP-6 its pipeline continues with the next start, which processes every event once; the other folder is rejected', async () => {
    const host = await up(main, folderOf('host', ['pack.journey.yaml', packing(url)]), await freePorts(), {
      JOURNEYMAN_DEPLOYMENT_NAME: 'host',
    });
    const [ours, theirs] = [working('ours'), working('theirs')];
    const env = { TEMPORAL_ADDRESS: host.address };
    const ports = await freePorts();
    const first = await up(main, ours, ports, env);
    const ids = Array.from({ length: 12 }, (_, n) => `order-${n}`);
    for (const id of ids) {
      const response = await fetch(`${first.url}/api/v1/pipelines/orders/topics/orders/events`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ id, payload: { id } }),
      });
      expect(response.status).toBe(202);
    }
    await expect.poll(() => received.length, { timeout: 60_000 }).toBeGreaterThan(3);
    first.kill('SIGKILL');

    const again = await up(main, ours, ports, env);
    const child = spawn(process.execPath, [main, 'up'], {
      cwd: theirs,
      env: { ...process.env, ...env, JOURNEYMAN_GATEWAY_PORT: '0' },
      stdio: 'pipe',
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const [said] = await Promise.all([text(child.stderr), text(child.stdout), once(child, 'close')]);
    expect(child.exitCode).toBe(1);
    expect(said).toContain('TASK_QUEUE_IN_USE');

    const keysOf = (id: string) =>
      new Set(received.filter(({ path }) => path.endsWith(`/${id}`)).map(({ key }) => key)).size;
    await expect.poll(() => ids.map(keysOf), { timeout: 120_000 }).toEqual(ids.map(() => 1));
    // The call that was in flight may be repeated under the same key.
    expect(received.length).toBeLessThanOrEqual(ids.length + 1);
    expect(received.filter(({ path }) => !path.startsWith('/ours/'))).toEqual([]);
    expect(await again.stop('SIGTERM')).toBe(0);
    expect(await host.stop('SIGTERM')).toBe(0);
  });
});
