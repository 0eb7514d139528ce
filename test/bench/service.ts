import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The service called by the flows of a benchmark. */
export interface Service {
  url: string;
  /** The number of requests so far with this path prefix. */
  calls(path: string): number;
  close(): Promise<void>;
}

/** The delay of `/slow/…`. */
const slowMs = 1_000;
const filler = 'x'.repeat(1000);

/** Starts a service on loopback: `/kb/…` answers with 1 KB, `/slow/…` after a second, everything else at once with a few bytes. */
export async function startService(): Promise<Service> {
  const paths: string[] = [];
  const server = createServer(async (request, response) => {
    const { url: path = '' } = request;
    paths.push(path);
    await drained(request);
    const answer = JSON.stringify({ ok: true, path, ...(path.startsWith('/kb/') && { filler }) });
    const send = () => response.setHeader('content-type', 'application/json').end(answer);
    if (path.startsWith('/slow/')) setTimeout(send, slowMs);
    else send();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls: (begin) => paths.filter((path) => path.startsWith(begin)).length,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

async function drained(request: IncomingMessage): Promise<void> {
  for await (const chunk of request) void chunk;
}
