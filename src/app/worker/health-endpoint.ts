import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { refuse } from '../../base/problems/problem.js';
import { isLoopback } from '../../config/is-loopback.js';
import type { Metrics } from '../../gateway/metrics-interface.js';

/** The health of a worker, for probes. */
export interface Health {
  /** True if it polls for work. */
  isRunning(): boolean;
  /** True if its server responds. */
  isReady(): boolean;
  readonly metrics: Pick<Metrics, 'contentType' | 'text'>;
}

/**
 * An endpoint for probes: `/healthz` and `/readyz`, as on a gateway, reveal nothing about runs. `/metrics` names journeys and their errors,
 * and a worker cannot authenticate callers: so it is limited to this machine unless configured otherwise.
 */
export interface HealthEndpoint {
  readonly port: number;
  close(): Promise<void>;
}

/** Opens the endpoint. Rejects with PORT_IN_USE or LISTEN_FAILED, which name the option to change. */
export async function openHealth(
  host: string,
  port: number,
  health: Health,
  metricsBeyondLoopback = false,
): Promise<HealthEndpoint> {
  const server = createServer({ requestTimeout: 5_000, headersTimeout: 5_000 }, (request, response) => {
    const answer = (status: number, said: string) => {
      response.writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' });
      response.end(JSON.stringify({ status: said }));
    };
    if (request.url === '/healthz') return health.isRunning() ? answer(200, 'ok') : answer(503, 'stopping');
    if (request.url === '/metrics') {
      if (!metricsBeyondLoopback && !isLocal(request)) return answer(403, 'metrics are restricted to this machine');
      const { contentType } = health.metrics;
      return void health.metrics.text().then(
        (text) => response.writeHead(200, { 'Content-Type': contentType, 'Cache-Control': 'no-store' }).end(text),
        () => answer(500, 'metrics failed'),
      );
    }
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

/** True for a request from this machine to this machine's name: a page in a browser may use DNS rebinding. */
function isLocal({ socket, headers }: IncomingMessage): boolean {
  const from = socket.remoteAddress?.replace(/^::ffff:/, '') ?? '';
  return isLoopback(from) && isLoopback((headers.host ?? '').replace(/:\d+$/, ''));
}

async function bind(server: Server, host: string, port: number): Promise<void> {
  const failure = await new Promise<NodeJS.ErrnoException | undefined>((resolve) => {
    server.once('error', resolve);
    server.listen(port, host, () => resolve(undefined));
  });
  if (failure === undefined) return;
  refuse(failure.code === 'EADDRINUSE' ? 'PORT_IN_USE' : 'LISTEN_FAILED', `${host}:${port}: ${failure.message}.`, {
    pointer: '/worker/healthPort',
    hint: 'Set worker.healthPort to another port, or to 0 to disable it; workers on one machine need different ports.',
  });
}
