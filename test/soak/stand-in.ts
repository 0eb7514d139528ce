import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A service on loopback whose responses are set by the query: `?kb=900&ms=50`. */
export interface StandIn {
  url: string;
  /** Requests so far. */
  calls(): number;
  close(): Promise<void>;
}

export async function standIn(): Promise<StandIn> {
  let calls = 0;
  const server = createServer(async (request, response) => {
    calls += 1;
    const { searchParams } = new URL(request.url ?? '/', 'http://stand-in');
    request.resume();
    const ms = Number(searchParams.get('ms') ?? 0);
    if (ms > 0) await sleep(ms);
    response.setHeader('content-type', 'application/json');
    response.end(answer(Number(searchParams.get('kb') ?? 0)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls: () => calls,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

const answers = new Map<number, string>();

/** About this many kilobytes of JSON, as a list of small objects, as services send them. */
function answer(kilobytes: number): string {
  let text = answers.get(kilobytes);
  if (text === undefined) {
    const items = Array.from({ length: kilobytes * 10 }, (_, i) => ({
      id: i,
      text: 'x'.repeat(80 - String(i).length),
    }));
    text = JSON.stringify({ ok: true, items });
    answers.set(kilobytes, text);
  }
  return text;
}
