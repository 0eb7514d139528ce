import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { SlowOrigins } from '../../../../activities/http-call/slow-origins.js';
import type { RetryPolicy } from '../../../../src/reading/policies.js';
import type { HttpRequest, HttpResult } from '../../../../src/tasks/http-call/request.js';
import { isRetryLater, type RetryLater } from '../../../../src/tasks/http-call/retry.js';
import { Bench, requestOf, settled } from './server.js';

const local = { budgetMs: 60_000, handOverAfterMs: 50 };

function handedOver(answer: HttpResult | RetryLater): RetryLater['retryLater'] {
  if (!isRetryLater(answer)) throw new Error('expected a hand-over');
  return answer.retryLater;
}

/** The request with which the run goes on. */
function goOn(request: HttpRequest, { attempt, inFlight }: RetryLater['retryLater']): HttpRequest {
  return { ...request, attempt, ...(inFlight !== undefined && { inFlight }) };
}

describe('a call that is handed over', () => {
  const bench = new Bench();
  afterEach(() => {
    bench.seen.length = 0;
    bench.logged.length = 0;
    return bench.close();
  });

  /** A server that keeps its callers waiting until the test answers them. */
  async function silent() {
    const waiting: ServerResponse[] = [];
    const url = await bench.serve((_, __, response) => waiting.push(response));
    /** The response to request number `n`, from 0, once the request is there. */
    const asked = async (n: number) => {
      await expect.poll(() => waiting.length).toBeGreaterThan(n);
      return waiting[n]!;
    };
    const gone = (n: number) => expect.poll(() => waiting[n]?.closed).toBe(true);
    return { url, asked, gone };
  }

  it('FLT-1 goes on with the request in flight: one attempt is one request', async () => {
    const { url, asked } = await silent();
    const call = bench.activity();
    const request = requestOf({ url, attempt: 2 });
    const later = handedOver(await call(request, local));
    expect(later).toEqual({ afterMs: 0, attempt: 2, budgetMs: expect.any(Number), inFlight: expect.any(String) });
    expect(bench.logged).toEqual([]);
    const adopted = call(goOn(request, later), { budgetMs: later.budgetMs! });
    (await asked(0)).end('late');
    expect(settled(await adopted)).toMatchObject({ ok: true, body: 'late' });
    expect(bench.seen).toHaveLength(1);
  });

  it('FLT-1 an answer that came between the two is not lost', async () => {
    const { url, asked, gone } = await silent();
    const call = bench.activity();
    const request = requestOf({ url });
    const later = handedOver(await call(request, local));
    (await asked(0)).end('early');
    await gone(0);
    expect(settled(await call(goOn(request, later)))).toMatchObject({ ok: true, body: 'early' });
    expect(bench.seen).toHaveLength(1);
  });

  it('FLT-1 the timeout is that of the whole attempt', async () => {
    const { url } = await silent();
    const call = bench.activity();
    const request = requestOf({ url, timeoutMs: 300 });
    const later = handedOver(await call(request, { ...local, budgetMs: 300 }));
    expect(settled(await call(goOn(request, later), { budgetMs: later.budgetMs! })).error).toEqual({
      type: 'TIMEOUT',
      message: 'no complete answer within 300 ms',
    });
    expect(bench.seen).toHaveLength(1);
  });

  it('FLT-1 maxAttempts counts requests across the hand-over', async () => {
    const { url, asked } = await silent();
    const call = bench.activity();
    const backoff = { kind: 'fixed', baseDelayMs: 1, maxDelayMs: 1, multiplier: 1, jitter: 'none' } as const;
    const retry: RetryPolicy = { maxAttempts: 3, retryOn: ['HTTP_5XX'], backoff };
    const request = requestOf({ url, retry });
    const later = handedOver(await call(request, local));
    const adopted = call(goOn(request, later), { budgetMs: later.budgetMs! });
    for (const n of [0, 1, 2]) (await asked(n)).writeHead(503).end();
    expect(settled(await adopted)).toMatchObject({ status: 503 });
    expect(bench.seen).toHaveLength(3);
  });

  it('FLT-1 the request of another run to the same URL is nobody else’s', async () => {
    const { url, asked } = await silent();
    const call = bench.activity();
    const request = requestOf({ url });
    handedOver(await call(request, local));
    const other = call(request);
    (await asked(1)).end('its own');
    expect(settled(await other)).toMatchObject({ body: 'its own' });
  });

  it('FLT-1 in another process the request is made again with its whole time, and the first is aborted', async () => {
    const { url, asked, gone } = await silent();
    const request = requestOf({ url });
    const first = bench.activity({ adoptWithinMs: 20 });
    const later = handedOver(await first(request, local));
    const again = bench.activity()(goOn(request, later), { budgetMs: later.budgetMs! });
    (await asked(1)).end('again');
    await gone(0);
    expect(settled(await again)).toMatchObject({ body: 'again' });
    expect(later.budgetMs).toBe(60_000);
  });

  it('FLT-1 whoever adopted a request can cancel it', async () => {
    const { url, asked, gone } = await silent();
    const call = bench.activity();
    const request = requestOf({ url });
    const later = handedOver(await call(request, local));
    const cancel = new AbortController();
    const adopted = call(goOn(request, later), { signal: cancel.signal });
    await asked(0);
    cancel.abort(new Error('cancelled'));
    await expect(adopted).rejects.toThrow('cancelled');
    await gone(0);
  });

  it('FLT-1 an origin that was slow gets nothing from a local activity', async () => {
    const { url, asked } = await silent();
    const call = bench.activity();
    const request = requestOf({ url });
    handedOver(await call(request, local));
    expect(handedOver(await call(request, local))).toEqual({ afterMs: 0, attempt: 1, budgetMs: 60_000 });
    await asked(0);
    expect(bench.seen).toHaveLength(1);
  });
});

describe('the memory of slow origins', () => {
  it('FLT-1 forgets after a while, and keeps no more than it can hold', () => {
    let now = 0;
    const slow = new SlowOrigins(() => now);
    slow.add('https://a.test');
    expect([slow.has('https://a.test'), slow.has('https://b.test')]).toEqual([true, false]);
    now = 60_000;
    expect(slow.has('https://a.test')).toBe(false);
    slow.add('https://a.test');
    for (let n = 0; n < 1_000; n++) slow.add(`https://${n}.test`);
    expect([slow.has('https://a.test'), slow.has('https://0.test')]).toEqual([false, true]);
  });
});
