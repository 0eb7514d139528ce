import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Definition } from '../../definition/definition.js';
import type { HttpRequest } from '../../tasks/http-call/request.js';
import type { Reply } from '../../tasks/virtual.js';
import type { ScriptedBackend } from '../backend.js';
import { CallPattern } from '../call-pattern.js';
import { httpCalls } from '../http-calls.js';

/** A scripted backend behind real ports: one server for each origin that a journey may call. */
export class BackendServers {
  private readonly servers: Server[] = [];
  /** Origin → the server that stands in for it. */
  readonly rewrite: Record<string, string> = {};

  private constructor(
    private readonly backend: ScriptedBackend,
    private readonly operations: (call: { method: string; url: string }) => string | undefined,
    private readonly held: (reply: Reply) => Promise<void>,
    private readonly sinceStart: () => number,
  ) {}

  static async open(
    origins: Iterable<string>,
    options: {
      backend: ScriptedBackend;
      operations: (call: { method: string; url: string }) => string | undefined;
      /** Resolves when a reply is to be sent. */
      held: (reply: Reply) => Promise<void>;
      sinceStart: () => number;
    },
  ): Promise<BackendServers> {
    const { backend, operations, held, sinceStart } = options;
    const servers = new BackendServers(backend, operations, held, sinceStart);
    for (const origin of new Set(origins)) await servers.listen(origin);
    return servers;
  }

  async close(): Promise<void> {
    for (const server of this.servers) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  }

  private async listen(origin: string): Promise<void> {
    const server = createServer((request, response) => {
      this.answer(origin, request, response).catch(() => response.destroy());
    });
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
    this.servers.push(server);
    this.rewrite[origin] = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  private async answer(origin: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url: path = '/' } = request;
    const body = await text(request);
    const url = origin + path;
    const operation = this.operations({ method, url });
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    const seen = { method, url, headers, body, timeoutMs: 0, mode: 'requestResponse' } satisfies HttpRequest;
    const reply = await this.backend.answer(
      { ...seen, ...(operation !== undefined && { operation }) },
      this.sinceStart(),
    );
    if (reply.fail === 'timeout') return;
    await this.held(reply);
    if (reply.fail === 'network') response.destroy();
    else send(response, reply);
  }
}

/** Sends the scripted headers and no others, so that a journey sees the same as in virtual time. */
function send(response: ServerResponse, { status, headers, body }: Reply): void {
  response.sendDate = false;
  for (const name of ['connection', 'transfer-encoding', 'content-length']) response.removeHeader(name);
  const isText = typeof body === 'string';
  if (body !== undefined && headers['content-type'] === undefined) {
    response.setHeader('content-type', isText ? 'text/plain' : 'application/json');
  }
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.writeHead(status).end(body === undefined ? undefined : isText ? body : JSON.stringify(body));
}

interface OperationCall {
  operation: string;
  pattern: CallPattern;
  origin: string;
}

/** What a journey's operations look like on the wire, to name a call by its operation. */
export function operationCalls(definition: Definition): OperationCall[] {
  return httpCalls(definition).flatMap(({ operation, method, url }) => {
    const pattern = operation === undefined ? undefined : CallPattern.parse(`${method} ${url}`);
    return pattern ? { operation: operation!, pattern, origin: originOf(url)! } : [];
  });
}

/** The origins of calls whose URL is known before anything runs. */
export function literalOrigins(definition: Definition): string[] {
  return httpCalls(definition).flatMap(({ url }) => originOf(url) ?? []);
}

/** `https://host:port` of a URL that does not compute its host. */
export function originOf(url: string): string | undefined {
  return /^https?:\/\/[^/?#${}\s*]+/i.exec(url)?.[0];
}
