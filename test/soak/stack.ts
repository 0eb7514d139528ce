import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Client } from '@temporalio/client';
import { prepareNamespace } from '../../src/app/prepare-namespace.js';
import type { JsonObject } from '../../src/base/json/value.js';
import { loadConfig } from '../../src/config/load-config.js';
import { connect } from '../../src/temporal/connection.js';
import { startServer } from '../../src/temporal/server/start-server.js';
import { type Daemon, daemon } from './daemon.js';

/** Server, worker and gateway in separate processes, as users run them. */
export interface Stack {
  client: Client;
  server: { pid: number; version: string };
  worker: Daemon;
  gateway: Daemon;
  post(path: string, body: JsonObject): Promise<Answer>;
  get(path: string): Promise<Answer>;
  stop(): Promise<void>;
}

export interface Answer {
  status: number;
  body: JsonObject;
}

const main = fileURLToPath(new URL('../../../src/cli/main.js', import.meta.url));

/** Starts them for these documents: name → text. */
export async function startStack(documents: Iterable<readonly [name: string, text: string]>): Promise<Stack> {
  const specs = mkdtempSync(join(tmpdir(), 'journeyman-soak-'));
  for (const [name, text] of documents) writeFileSync(join(specs, `${name}.journey.json`), text);
  const quiet = { JOURNEYMAN_SERVER_IN_MEMORY: 'true', JOURNEYMAN_SERVER_PORT: '0', JOURNEYMAN_SERVER_UI_PORT: '0' };
  const server = await startServer(loadConfig({ env: { ...process.env, ...quiet } }));
  const env = {
    TEMPORAL_ADDRESS: server.address,
    JOURNEYMAN_TEMPORAL_TASK_QUEUE: `soak-${randomUUID()}`,
    JOURNEYMAN_LOG_LEVEL: 'warn',
    // The stand-in is on this machine.
    JOURNEYMAN_HTTP_EGRESS_ALLOW_LOOPBACK: 'true',
  };
  const config = loadConfig({ env });
  await prepareNamespace(config);
  const { client, close } = await connect(config);
  const worker = await daemon([main, 'worker'], 'Worker polls', env);
  const served = { ...env, JOURNEYMAN_SPECS: specs, JOURNEYMAN_GATEWAY_PORT: '0' };
  const gateway = await daemon([main, 'gateway'], 'Gateway at', served);
  const url = /Gateway at (\S+),/.exec(gateway.printed())![1]!;
  const ask = async (path: string, init: RequestInit): Promise<Answer> => {
    const response = await fetch(`${url}/api/v1/journeys/${path}`, init);
    return { status: response.status, body: (await response.json()) as JsonObject };
  };
  return {
    client,
    server,
    worker,
    gateway,
    post: (path, body) =>
      ask(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    get: (path) => ask(path, {}),
    stop: async () => {
      await gateway.stop();
      await worker.stop();
      await close();
      await server.stop();
      rmSync(specs, { recursive: true, force: true });
    },
  };
}
