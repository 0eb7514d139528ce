import { Pool } from 'undici';
import { freePort } from '../../../src/temporal/server/tcp-ports.js';
import { nodeProcess } from '../processes.js';
import type { Site } from './contestant.js';
import { commandLine, environmentOf } from './journeyman.js';

/** A client of a service with one connection. */
export interface Called {
  post(path: string, body: object): Promise<Record<string, unknown>>;
  close(): Promise<void>;
}

/** Calls a service on this machine over one connection. */
export function connected(port: number | string): Called {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: 1 });
  const headers = { 'content-type': 'application/json' };
  return {
    async post(path, content) {
      const { body } = await pool.request({ method: 'POST', path, headers, body: JSON.stringify(content) });
      return (await body.json()) as Record<string, unknown>;
    },
    close: () => pool.close(),
  };
}

/** Starts a gateway for the journeys and Apis in a folder. */
export async function startGateway(site: Pick<Site, 'address' | 'taskQueue'>, specs: string): Promise<Called> {
  const port = await freePort('127.0.0.1');
  const gateway = await nodeProcess([commandLine, 'gateway'], 'Gateway at', {
    ...environmentOf(site),
    JOURNEYMAN_SPECS: specs,
    JOURNEYMAN_GATEWAY_PORT: String(port),
  });
  const called = connected(port);
  const close = async () => {
    await called.close();
    await gateway.kill();
  };
  return { ...called, close };
}
