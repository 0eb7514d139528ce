import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket, type Server as TcpServer } from 'node:net';
import {
  createHttpClient,
  type HttpCallOptions,
  type HttpClientOptions,
} from '../../../../activities/http-call/http-client.js';
import type { HttpConfig } from '../../../../src/config/config-types.js';
import type { HttpRequest, HttpResult } from '../../../../src/language/tasks/http-call/request-and-result-types.js';
import { isRetryLater, type RetryLater } from '../../../../src/language/tasks/http-call/retry-policy.js';

/** A request that a test server received. */
export interface Seen {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  body: string;
}

/** Starts real servers and activities, and closes them all. */
export class Bench {
  readonly seen: Seen[] = [];
  readonly logged: { fields: object; message: string }[] = [];
  private readonly closers: (() => Promise<unknown>)[] = [];

  /** An HTTP server that records each request before calling `answer`; returns its origin. */
  async serve(answer: (request: Seen, ...io: Parameters<RequestListener>) => void): Promise<string> {
    const server = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      const seen = { method: request.method ?? '', url: request.url ?? '', headers: request.headers, body };
      this.seen.push(seen);
      answer(seen, request, response);
    });
    return this.listen(server, () => server.closeAllConnections());
  }

  /** A TCP server, for responses that an HTTP server would not send. */
  async serveRaw(connected: (socket: Socket) => void): Promise<string> {
    const sockets = new Set<Socket>();
    const server = createTcpServer((socket) => {
      sockets.add(socket.on('error', () => {}).on('close', () => sockets.delete(socket)));
      connected(socket);
    });
    return this.listen(server, () => {
      for (const socket of sockets) socket.destroy();
    });
  }

  activity(options: Partial<HttpClientOptions> & { config?: Partial<HttpConfig> } = {}) {
    const { config, ...rest } = options;
    const note = (fields: object, message: string) => this.logged.push({ fields, message });
    const call = createHttpClient({
      http: { ...defaults, ...config },
      log: { warn: note, debug: note },
      loopbackAllowed: true,
      ...rest,
    });
    this.closers.push(() => call.close());
    return call;
  }

  /** Makes one call with a fresh activity, which must return a result. */
  async call(request: Partial<HttpRequest>, options?: Parameters<Bench['activity']>[0]): Promise<HttpResult> {
    return settled(await this.activity(options)(requestOf(request)));
  }

  async close(): Promise<void> {
    for (const close of this.closers.splice(0)) await close();
  }

  private async listen(server: Server | TcpServer, cut: () => void): Promise<string> {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    this.closers.unshift(() => {
      cut();
      return new Promise((resolve) => server.close(resolve));
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }
}

export const defaults: HttpConfig = {
  rewrite: {},
  egress: { allowPrivate: [], allow: [] },
  responseLimit: 1_048_576,
  timeoutMs: 10_000,
  userAgent: 'journeyman',
  mode: {},
};

export function requestOf(parts: Partial<HttpRequest>): HttpRequest {
  return { method: 'GET', url: '', headers: {}, timeoutMs: 5_000, mode: 'requestResponse', ...parts };
}

export function settled(answer: HttpResult | RetryLater): HttpResult {
  if (isRetryLater(answer)) throw new Error('expected a result');
  return answer;
}

export type { HttpCallOptions };
