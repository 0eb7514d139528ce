import { afterEach, expect, it, vi } from 'vitest';
import type { RetryPolicy } from '../../../../src/language/read/read-call-policies.js';
import { Bench, requestOf, settled } from './server.js';

const bench = new Bench();
afterEach(async () => {
  vi.useRealTimers();
  await bench.close();
  bench.seen.length = 0;
});

const policy = (more: Partial<RetryPolicy>): RetryPolicy => ({
  maxAttempts: 1,
  retryOn: [],
  backoff: { kind: 'fixed', baseDelayMs: 0, maxDelayMs: 0, multiplier: 1, jitter: 'none' },
  ...more,
});

it('JL-U19 a circuit breaker opens after too many failures, and closes after a success', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  let status = 500;
  const url = await bench.serve((_, __, response) => response.writeHead(status).end());
  const retry = policy({ circuitBreaker: { failureRateThreshold: 0.5, slidingWindowSize: 4, openTimeoutSec: 30 } });
  const call = bench.activity();
  const ask = async () => {
    const { status: answered, error } = settled(await call(requestOf({ url, retry })));
    return answered ?? error?.message;
  };
  status = 200;
  expect([await ask(), await ask()]).toEqual([200, 200]);
  status = 500;
  expect([await ask(), await ask(), await ask()]).toEqual([500, 500, 'the circuit breaker is open']);
  vi.advanceTimersByTime(31_000);
  expect([await ask(), await ask()]).toEqual([500, 'the circuit breaker is open']);
  vi.advanceTimersByTime(31_000);
  status = 200;
  expect([await ask(), await ask(), await ask()]).toEqual([200, 200, 200]);
  expect(bench.seen).toHaveLength(8);
  const other = await bench.serve((_, __, response) => response.end());
  expect(settled(await call(requestOf({ url: other, retry }))).status).toBe(200);
});

it('JL-U19 a cancelled call does not count for the breaker, even as the trial call', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  let status: number | undefined;
  const url = await bench.serve((_, __, response) => void (status && response.writeHead(status).end()));
  const retry = policy({ circuitBreaker: { failureRateThreshold: 1, slidingWindowSize: 1, openTimeoutSec: 30 } });
  const call = bench.activity();
  const ask = async () => settled(await call(requestOf({ url, retry }))).status;
  const cancelled = async () => {
    const stop = new AbortController();
    const before = bench.seen.length;
    const asked = call(requestOf({ url, retry }), { signal: stop.signal });
    await expect.poll(() => bench.seen.length).toBe(before + 1);
    stop.abort(new Error('cancelled'));
    await expect(asked).rejects.toThrow('cancelled');
  };
  await cancelled();
  status = 500;
  expect([await ask(), await ask()]).toEqual([500, undefined]);
  vi.advanceTimersByTime(31_000);
  status = undefined;
  await cancelled();
  status = 200;
  expect([await ask(), await ask()]).toEqual([200, 200]);
});

it('JL-U19 a bulkhead limits concurrent and queued calls', async () => {
  let most = 0;
  const open: (() => void)[] = [];
  const url = await bench.serve((_, __, response) => {
    open.push(() => response.end());
    most = Math.max(most, open.length);
  });
  const retry = policy({ bulkhead: { maxConcurrent: 2, queueSize: 3 } });
  const call = bench.activity();
  const asked = Array.from({ length: 6 }, () => call(requestOf({ url, retry })).then(settled));
  const sixth = await asked[5]!;
  expect(sixth).toMatchObject({ ok: false, error: { message: 'too many calls wait for this service' } });
  for (let answered = 0; answered < 5; answered++) {
    await expect.poll(() => open.length).toBeGreaterThan(0);
    open.shift()!();
  }
  expect((await Promise.all(asked.slice(0, 5))).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  expect(most).toBe(2);
});

it('a call that is queued too long fails and leaves the queue', async () => {
  const open: (() => void)[] = [];
  const url = await bench.serve((_, __, response) => open.push(() => response.end()));
  const retry = policy({ bulkhead: { maxConcurrent: 1, queueSize: 1 } });
  const call = bench.activity();
  const first = call(requestOf({ url, retry }));
  await expect.poll(() => open.length).toBe(1);
  expect(settled(await call(requestOf({ url, retry, timeoutMs: 30 }))).error?.type).toBe('TIMEOUT');
  const third = call(requestOf({ url, retry }));
  open.shift()!();
  await first;
  await expect.poll(() => open.length).toBe(1);
  open.shift()!();
  expect(settled(await third).status).toBe(200);
});
