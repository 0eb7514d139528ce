import { once } from 'node:events';
import { createConnection, createServer } from 'node:net';
import { ProblemError, problem } from '../../base/problems/problem.js';

/** Rejects with PORT_IN_USE, naming the option, unless `port` can be bound. */
export async function assertPortFree(host: string, port: number, option: string): Promise<void> {
  const reason = await bind(host, port).then(
    () => undefined,
    (error: NodeJS.ErrnoException) => error,
  );
  if (reason !== undefined) throw portProblem(host, port, option, reason.code);
}

/** The problem of a port that cannot be bound. */
export function portProblem(host: string, port: number, option: string, reason = 'EADDRINUSE'): ProblemError {
  const variable = `JOURNEYMAN_${option
    .replace(/([A-Z])/g, '_$1')
    .replace('.', '_')
    .toUpperCase()}`;
  const detail =
    reason === 'EADDRINUSE'
      ? `Port ${port} on ${host} is in use (${option})`
      : `Port ${port} on ${host} cannot be used (${option}): ${reason}`;
  return new ProblemError(
    problem('PORT_IN_USE', detail, {
      hint: `Stop the process that uses it, or set ${option} in journeyman.config.yaml (or ${variable}) to another port.`,
      port,
      option,
    }),
  );
}

/** A free port. */
export async function freePort(host: string): Promise<number> {
  return await bind(host, 0);
}

/** Reports whether a server listens at `host:port`. Connecting gRPC too early would cost a back-off of a second. */
export async function isListening(address: string): Promise<boolean> {
  const { hostname, port } = new URL(`tcp://${address}`);
  const socket = createConnection({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) });
  socket.setTimeout(5_000, () => socket.destroy(new Error('no response')));
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

function bind(host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen({ host, port, exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : port));
    });
  });
}
