import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';
import { freePort } from '../../src/temporal/server/ports.js';
import { median } from './clock.js';
import { nodeProcess } from './processes.js';

const quote = (service: string) => `apiVersion: v1
kind: Api
metadata: { name: quote, version: 1.0.0 }
spec:
  input:
    schema: { type: object, required: [sku, quantity], properties: { sku: { type: string }, quantity: { type: number } } }
  start: price
  states:
    price:
      type: task
      task: { kind: "httpCall:v1", method: GET, url: "${service}/price/\${context.sku}", resultVar: price }
      next: known
    known:
      type: choice
      choices: [{ when: { predicate: { lang: dataweave, expr: "context.price.ok" } }, next: compute }]
      default: unknown
    compute:
      type: transform
      transform:
        mapper: { lang: dataweave, expr: "{ sku: context.sku, quantity: context.quantity, source: context.price.body.path, total: context.quantity * 3 }" }
        target: { kind: var }
        resultVar: answer
      next: done
    done: { type: succeed, outputVar: answer }
    unknown: { type: fail, errorCode: NO_PRICE, reason: no price }
`;

/** Median latencies of an Api journey and of the same handler by hand, in milliseconds. */
export async function compareApi(
  temporal: string,
  service: string,
  repeats: number,
): Promise<{ mine: number; theirs: number; ratio: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'journeyman-bench-'));
  writeFileSync(join(folder, 'quote.journey.yaml'), quote(service));
  const port = await freePort('127.0.0.1');
  const main = fileURLToPath(new URL('../../../src/cli/main.js', import.meta.url));
  const ours = await nodeProcess([main, 'gateway'], 'Gateway at', {
    TEMPORAL_ADDRESS: temporal,
    JOURNEYMAN_SPECS: folder,
    JOURNEYMAN_GATEWAY_PORT: String(port),
    JOURNEYMAN_LOG_LEVEL: 'error',
  });
  const theirs = await nodeProcess(
    [fileURLToPath(new URL('./hand-written/express.js', import.meta.url)), service],
    '.',
  );
  const theirPort = /Listening on (\d+)/.exec(theirs.printed())?.[1];
  try {
    const pools = [port, theirPort].map((it) => new Pool(`http://127.0.0.1:${it}`, { connections: 1 }));
    const samples: [number, number][] = [];
    for (let i = 0; i <= repeats; i++) {
      const sample = await latencies(pools);
      if (i > 0) samples.push(sample as [number, number]);
    }
    await Promise.all(pools.map((pool) => pool.close()));
    return {
      mine: median(samples.map(([a]) => a)),
      theirs: median(samples.map(([, b]) => b)),
      ratio: median(samples.map(([a, b]) => a / b)),
    };
  } finally {
    await Promise.all([ours.stop(), theirs.stop()]);
    rmSync(folder, { recursive: true });
  }
}

/** Median latency of each service; they take turns call by call. */
async function latencies(pools: Pool[]): Promise<number[]> {
  const times: number[][] = pools.map(() => []);
  for (let i = 0; i < 300; i++) {
    for (const [who, pool] of pools.entries()) {
      const began = performance.now();
      const answer = await pool.request({
        method: 'POST',
        path: '/api/v1/apis/quote',
        headers: { 'content-type': 'application/json' },
        body: '{"sku":"lamp","quantity":2}',
      });
      const body = (await answer.body.json()) as { total?: number };
      if (body.total !== 6) throw new Error(`unexpected answer: ${JSON.stringify(body)}`);
      times[who]!.push(performance.now() - began);
    }
  }
  return times.map(median);
}
