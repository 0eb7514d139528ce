import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface SeenRequest {
  method: string;
  path: string;
  key: string | undefined;
  body: string;
}

/** A real HTTP service on loopback that records its requests. */
export interface Backend {
  url: string;
  seen: SeenRequest[];
  close(): Promise<void>;
}

/** Starts a service that answers every request with `{ok: true}` after `delay` milliseconds. */
export async function backend(delay: (path: string) => number = () => 0): Promise<Backend> {
  const seen: SeenRequest[] = [];
  const server = createServer(async (request, response) => {
    const { method = '', url: path = '', headers } = request;
    seen.push({ method, path, key: headers['idempotency-key'] as string | undefined, body: await text(request) });
    setTimeout(() => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ ok: true, path }));
    }, delay(path));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

async function text(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request) body += chunk;
  return body;
}
