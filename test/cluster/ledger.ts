import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** One call that arrived at the service. */
export interface LedgerEntry {
  readonly at: number;
  readonly method: string;
  /** The journey, or what else made the call. */
  readonly group: string;
  /** The run, by the number its caller gave it. */
  readonly item: string;
  readonly state: string;
  /** Its Idempotency-Key; journeys send none with a GET. */
  readonly key: string | undefined;
}

/** The service at the other end: it records every call before it answers. */
export interface Ledger {
  readonly url: string;
  readonly entries: readonly LedgerEntry[];
  close(): Promise<void>;
}

/** Starts the service. It takes 5 to 60 ms to answer, so that kills find calls in flight. `POST /<group>/<item>/<state>`. */
export async function startLedger(file: string): Promise<Ledger> {
  const entries: LedgerEntry[] = [];
  const server = createServer(async (request, response) => {
    const [, group = '', item = '', state = ''] = (request.url ?? '/').split('/').map(decodeURIComponent);
    const key = request.headers['idempotency-key'];
    const entry = { at: Date.now(), method: request.method ?? '', group, item, state, key: key?.toString() };
    entries.push(entry);
    appendFileSync(file, `${JSON.stringify(entry)}\n`);
    request.resume();
    await sleep(5 + ((entries.length * 37) % 56));
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ ok: true, group, item, state }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    entries,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
