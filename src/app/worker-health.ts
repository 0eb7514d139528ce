import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { refuse } from '../problems/problem.js';

/** What probes are told about a worker. */
export interface Health {
  /** It takes work, or would if there were any. */
  isRunning(): boolean;
  /** The server it takes work from answers. */
  isReady(): boolean;
}

/** An endpoint for probes: `/healthz` and `/readyz`, as on a gateway. It reveals nothing about any run. */
export interface HealthEndpoint {
  readonly port: number;
  close(): Promise<void>;
}

/** Opens it. Rejects with PORT_IN_USE or LISTEN_FAILED, which name the option to change. */
export async function openHealth(host: string, port: number, health: Health): Promise<HealthEndpoint> {
  const server = createServer({ requestTimeout: 5_000, headersTimeout: 5_000 }, (request, response) => {
    const answer = (status: number, said: string) => {
      response.writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' });
      response.end(JSON.stringify({ status: said }));
    };
    if (request.url === '/healthz') return health.isRunning() ? answer(200, 'ok') : answer(503, 'stopping');
    if (request.url !== '/readyz') return answer(404, 'unknown');
    return health.isRunning() && health.isReady() ? answer(200, 'ready') : answer(503, 'not ready');
  });
  await bind(server, host, port);
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function bind(server: Server, host: string, port: number): Promise<void> {
  const failure = await new Promise<NodeJS.ErrnoException | undefined>((resolve) => {
    server.once('error', resolve);
    server.listen(port, host, () => resolve(undefined));
  });
  if (failure === undefined) return;
  refuse(failure.code === 'EADDRINUSE' ? 'PORT_IN_USE' : 'LISTEN_FAILED', `${host}:${port}: ${failure.message}.`, {
    pointer: '/worker/healthPort',
    hint: 'Set worker.healthPort to another port, or to 0 for none; workers on one machine need one each.',
  });
}
