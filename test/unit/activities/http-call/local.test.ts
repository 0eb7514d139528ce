import { afterEach, describe, expect, it } from 'vitest';
import { SlowOrigins } from '../../../../activities/http-call/http-client.js';
import type { RetryPolicy } from '../../../../src/language/read/read-call-policies.js';
import { Bench, requestOf, settled } from './server.js';

const local = { budgetMs: 60_000, isLocal: true };

const backoff = { kind: 'fixed', baseDelayMs: 1, maxDelayMs: 1, multiplier: 1, jitter: 'none' } as const;
const retry: RetryPolicy = { maxAttempts: 3, retryOn: ['HTTP_5XX'], backoff };

describe('a call in a local activity', () => {
  const bench = new Bench();
  afterEach(() => {
    bench.seen.length = 0;
    bench.logged.length = 0;
    return bench.close();
  });

  it('FLT-1 runs to its end; then its origin counts as slow and is not called locally', async () => {
    const url = await bench.serve((_, __, response) => setTimeout(() => response.end('late'), 2_050));
    const call = bench.activity();
    expect(settled(await call(requestOf({ url }), local))).toMatchObject({ ok: true, body: 'late' });
    expect(bench.logged).toEqual([]);
    expect(await call(requestOf({ url, attempt: 2 }), local)).toEqual({ retryLater: { afterMs: 0, attempt: 2 } });
    expect(bench.seen).toHaveLength(1);
    expect(settled(await call(requestOf({ url })))).toMatchObject({ ok: true });
  });

  it('FLT-1 retries at once after quick failures', async () => {
    const url = await bench.serve((_, __, response) => response.writeHead(503).end());
    expect(settled(await bench.activity()(requestOf({ url, retry }), local))).toMatchObject({ status: 503 });
    expect(bench.seen).toHaveLength(3);
  });

  it('FLT-1 returns the retry of a slow attempt to the run, and maxAttempts still counts requests', async () => {
    const url = await bench.serve((_, __, response) => setTimeout(() => response.writeHead(503).end(), 2_050));
    const call = bench.activity();
    const request = requestOf({ url, retry: { ...retry, maxAttempts: 2 } });
    expect(await call(request, local)).toEqual({ retryLater: { afterMs: 1, attempt: 2 } });
    expect(settled(await call({ ...request, attempt: 2 }))).toMatchObject({ status: 503 });
    expect(bench.seen).toHaveLength(2);
  });

  it('FLT-1 can be cancelled', async () => {
    const cancel = new AbortController();
    const url = await bench.serve(() => cancel.abort(new Error('cancelled')));
    await expect(bench.activity()(requestOf({ url }), { ...local, signal: cancel.signal })).rejects.toThrow(
      'cancelled',
    );
  });
});

describe('slow origins', () => {
  it('FLT-1 are forgotten after a minute, and the oldest above a thousand', () => {
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
