import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { jsonCodec } from '../../../src/temporal/encryption/payload-codec.js';

/** The encryption key for test runs with encryption. */
export const keyOfTests = Buffer.alloc(32, 7);

/** Decrypts for Temporal's CLI in those tests, like a gateway. */
export async function codecServer(): Promise<{ url: string; close(): void }> {
  const codec = jsonCodec(new Map([['tests', keyOfTests]]));
  const server = createServer(async (request, response) => {
    const { payloads = [] } = (await json(request)) as { payloads?: [] };
    const direction = request.url === '/encode' ? 'encode' : 'decode';
    const answer = await codec[direction](payloads).then(
      (answered) => ({ payloads: answered }),
      () => undefined,
    );
    response.writeHead(answer ? 200 : 422, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
}
