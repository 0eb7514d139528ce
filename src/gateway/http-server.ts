import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Express } from 'express';
import { ProblemError, problem, refuse } from '../base/problems/problem.js';
import type { Code } from '../base/problems/registry.js';
import type { GatewayTlsConfig } from '../config/config-types.js';
import { completeProblem } from './answer-problem.js';

/** A listening server. */
export interface Listening {
  readonly port: number;
  readonly url: string;
  /** Asks clients to open new connections, which a balancer then sends elsewhere; requests are still served. */
  drain(): void;
  /** Stops accepting requests, waits up to `graceMs` for active ones, then closes their connections. */
  close(graceMs?: number): Promise<void>;
}

export interface ListenOptions {
  readonly host: string;
  /** 0 selects a free port. */
  readonly port: number;
  /** Absent: plain HTTP. */
  readonly tls?: GatewayTlsConfig;
  /** Timeouts for receiving the headers and the whole request; they do not bound the response. */
  readonly arrival?: { readonly headersMs: number; readonly requestMs: number };
}

/** Binds `app` to a port. Rejects with PORT_IN_USE or LISTEN_FAILED, which name the option to change. */
export async function listen(app: Express, { host, port, tls, arrival }: ListenOptions): Promise<Listening> {
  const { headersMs, requestMs } = arrival ?? { headersMs: 10_000, requestMs: 30_000 };
  let draining = false;
  const server: Server = serverOf(
    tls,
    {
      headersTimeout: headersMs,
      requestTimeout: requestMs,
      connectionsCheckingInterval: Math.min(2000, headersMs),
      keepAliveTimeout: 10_000,
    },
    (request, response) => {
      // A connection that stays open would receive requests until it is closed in the middle of one.
      if (draining || !server.listening) response.setHeader('Connection', 'close');
      app(request, response);
    },
  );
  server.on('clientError', answerBroken);
  await bind(server, host, port);
  const bound = (server.address() as AddressInfo).port;
  const name = host.includes(':') ? `[${host.replace(/^\[|\]$/g, '')}]` : host;
  return {
    port: bound,
    url: `${tls ? 'https' : 'http'}://${name}:${bound}`,
    drain: () => {
      draining = true;
    },
    close: (graceMs) => closeGently(server, graceMs ?? 30_000),
  };
}

/** Creates the HTTP or HTTPS server. Optional client certificates are verified by the journeys that use them. */
function serverOf(tls: GatewayTlsConfig | undefined, options: ServerOptions, answer: RequestListener): Server {
  if (!tls) return createServer(options, answer);
  const { certFile, keyFile, clientCaFile, clientCertificates } = tls;
  try {
    return createTlsServer(
      {
        ...options,
        cert: readFileSync(certFile),
        key: readFileSync(keyFile),
        ...(clientCaFile !== undefined && { ca: readFileSync(clientCaFile) }),
        requestCert: clientCertificates !== 'none',
        rejectUnauthorized: clientCertificates === 'required',
      },
      answer,
    );
  } catch (error) {
    return refuse('CONFIG_VALUE_INVALID', `gateway.tls: ${(error as Error).message}`, {
      pointer: '/gateway/tls',
      hint: 'Check the paths, and that the key belongs to the certificate.',
    });
  }
}

async function bind(server: Server, host: string, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(bindProblem(error, host, port)));
    server.listen(port, host.replace(/^\[|\]$/g, ''), resolve);
  });
}

function bindProblem(error: NodeJS.ErrnoException, host: string, port: number): ProblemError {
  const option = 'gateway.port in the configuration or JOURNEYMAN_GATEWAY_PORT';
  if (error.code === 'EADDRINUSE') {
    return new ProblemError(
      problem('PORT_IN_USE', `Port ${port} on ${host} is taken by another process.`, {
        pointer: '/gateway/port',
        hint: `Stop the other process, or set ${option} to another port.`,
      }),
    );
  }
  return new ProblemError(
    problem('LISTEN_FAILED', `${host}:${port}: ${error.message}.`, {
      pointer: error.code === 'EACCES' ? '/gateway/port' : '/gateway/host',
      hint: error.code === 'EACCES' ? `Ports below 1024 may need privileges; set ${option}.` : 'Check gateway.host.',
    }),
  );
}

async function closeGently(server: Server, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const cut = setTimeout(() => server.closeAllConnections(), graceMs);
  // Keep-alive connections become idle after their response; close them until none is left.
  const sweep = setInterval(() => server.closeIdleConnections(), 50);
  await closed;
  clearTimeout(cut);
  clearInterval(sweep);
}

const broken: Record<string, Code> = {
  HPE_HEADER_OVERFLOW: 'HEADERS_TOO_LARGE',
  ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
};
const reasons: Record<number, string> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
};

/** Answers malformed requests with a problem. */
function answerBroken(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const it = problem(broken[error.code ?? ''] ?? 'REQUEST_INVALID');
  const body = JSON.stringify(completeProblem(it, randomUUID()));
  socket.end(
    `HTTP/1.1 ${it.status} ${reasons[it.status]}\r\nContent-Type: application/problem+json\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}
