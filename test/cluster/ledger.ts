import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A call received by the service. */
export interface LedgerEntry {
  readonly at: number;
  readonly method: string;
  /** The journey or other source of the call. */
  readonly group: string;
  /** The caller's number for the run. */
  readonly item: string;
  readonly state: string;
  /** Its Idempotency-Key; journeys do not send one with a GET. */
  readonly key: string | undefined;
}

/** The called service, which records every call before it responds. */
export interface Ledger {
  readonly url: string;
  readonly entries: readonly LedgerEntry[];
  close(): Promise<void>;
}

/** Starts the service, which responds after 5 to 60 ms, so that kills hit calls in flight. `POST /<group>/<item>/<state>`. */
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
