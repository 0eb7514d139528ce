import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Called, connected, startGateway } from '../contestants/gateway.js';
import { handlerFile } from '../contestants/hand-written.js';
import { nodeProcess } from '../processes.js';
import { scratchFolder } from '../scratch.js';
import type { Part } from './part.js';

const calls = 200;

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

/** An Api journey, which runs in the gateway, and the same handler in express. */
export const api: Part = {
  name: 'api',
  about: 'a `kind: Api` with one GET; by hand a handler in express',
  measures: [{ id: 'api-latency', title: 'Api with one GET: latency', unit: 'ms', digits: 2 }],
  async run(bench) {
    const folder = scratchFolder();
    writeFileSync(join(folder, 'quote.journey.yaml'), quote(bench.service.url));
    const handler = await nodeProcess([handlerFile, bench.service.url], '.');
    const callers = [
      { name: 'journeyman', called: await startGateway(bench.site(), folder) },
      { name: 'by-hand', called: connected(/Listening on (\d+)/.exec(handler.printed())![1]!) },
    ] as const;
    try {
      for (let i = 0; i < calls; i++) for (const { called } of callers) await latencyOf(called);
      await bench.inTurn(callers, calls, async ({ name, called }, repeat) => {
        bench.note('api-latency', name, repeat, await latencyOf(called));
      });
    } finally {
      for (const { called } of callers) await called.close();
      await handler.kill();
    }
  },
};

async function latencyOf(called: Called): Promise<number> {
  const began = performance.now();
  const answer = await called.post('/api/v1/apis/quote', { sku: 'lamp', quantity: 2 });
  if (answer.total !== 6) throw new Error(`unexpected answer: ${JSON.stringify(answer)}`);
  return performance.now() - began;
}
