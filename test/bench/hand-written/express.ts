import type { AddressInfo } from 'node:net';
import express from 'express';
import { request } from 'undici';

const [service] = process.argv.slice(2) as [string];

/** The handler a team would write: check the body, call a service, return a selection. */
const app = express();
app.use(express.json());
app.post('/api/v1/apis/quote', async (incoming, outgoing) => {
  const { sku, quantity } = incoming.body as { sku?: unknown; quantity?: unknown };
  if (typeof sku !== 'string' || typeof quantity !== 'number') {
    outgoing.status(400).json({ error: 'sku and quantity are required' });
    return;
  }
  const answer = await request(`${service}/price/${encodeURIComponent(sku)}`, {
    headers: { accept: 'application/json' },
  });
  if (answer.statusCode !== 200) {
    outgoing.status(502).json({ error: 'no price' });
    return;
  }
  const price = (await answer.body.json()) as { path: string };
  outgoing.json({ sku, quantity, source: price.path, total: quantity * 3 });
});
const server = app.listen(0, '127.0.0.1', () => {
  console.log(`Listening on ${(server.address() as AddressInfo).port}.`);
});
process.once('SIGTERM', () => process.exit(0));
