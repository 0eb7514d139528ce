import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import type { RetryPolicy } from '../../../../src/language/read/read-call-policies.js';
import type { HttpRequest, HttpResult } from '../../../../src/language/tasks/http-call/request-and-result-types.js';
import {
  backoffDelay,
  retryAfterMs,
  retryCause,
  retryDelay,
  withMinimumDelay,
} from '../../../../src/language/tasks/http-call/retry-policy.js';
import { Bench, requestOf } from './server.js';

const everything: RetryPolicy['retryOn'] = ['NETWORK_ERROR', 'HTTP_5XX', 'HTTP_429'];

function policy(parts: Partial<RetryPolicy['backoff']> = {}, maxAttempts = 3, retryOn = everything): RetryPolicy {
  const backoff = {
    kind: 'fixed' as const,
    baseDelayMs: 1,
    maxDelayMs: 60_000,
    multiplier: 2,
    jitter: 'none' as const,
  };
  return { maxAttempts, retryOn, backoff: { ...backoff, ...parts } };
}

function status(code: number, headers: Record<string, string> = {}): HttpResult {
  return { ok: code < 300, status: code, headers, body: null };
}

const timeout: HttpResult = { ok: false, headers: {}, body: null, error: { type: 'TIMEOUT', message: 'late' } };

describe('the retry policy', () => {
  it.each<[string, HttpResult, string | undefined]>([
    ['a timeout counts as a network error (A21)', timeout, 'NETWORK_ERROR'],
    ['500', status(500), 'HTTP_5XX'],
    ['599', status(599), 'HTTP_5XX'],
    ['429', status(429), 'HTTP_429'],
    ['404', status(404), undefined],
    ['302', status(302), undefined],
    ['200', status(200), undefined],
    ['600 is not a server error', status(600), undefined],
  ])('%s', (_, result, cause) => expect(retryCause(result)).toBe(cause));

  it('exponential delays grow by the multiplier up to the cap', () => {
    const { backoff } = policy({ kind: 'exponential', baseDelayMs: 100, maxDelayMs: 1_500, multiplier: 3 });
    expect([1, 2, 3, 4, 5].map((attempt) => backoffDelay(backoff, attempt))).toEqual([100, 300, 900, 1500, 1500]);
  });

  it.each<[string, Record<string, string>, number | undefined]>([
    ['seconds', { 'retry-after': '7' }, 7_000],
    ['a date against our clock', { 'retry-after': 'Mon, 16 Nov 2026 10:00:05 GMT' }, 5_000],
    [
      "a date against the service's own clock",
      { 'retry-after': 'Mon, 16 Nov 2026 09:00:02 GMT', date: 'Mon, 16 Nov 2026 09:00:00 GMT' },
      2_000,
    ],
    ['a date in the past', { 'retry-after': 'Mon, 16 Nov 2020 10:00:00 GMT' }, 0],
    ['nonsense', { 'retry-after': 'soon' }, undefined],
    ['negative', { 'retry-after': '-3' }, undefined],
    ['none', {}, undefined],
  ])('Retry-After: %s', (_, headers, expected) => {
    expect(retryAfterMs(headers, Date.UTC(2026, 10, 16, 10))).toBe(expected);
  });

  const policies = fc.record({
    maxAttempts: fc.integer({ min: 1, max: 2_000 }),
    retryOn: fc.constant(everything),
    backoff: fc.record({
      kind: fc.constantFrom('fixed' as const, 'exponential' as const),
      baseDelayMs: fc.nat(100_000),
      maxDelayMs: fc.nat(1_000_000),
      multiplier: fc.double({ min: 1, max: 10, noNaN: true }),
      jitter: fc.constantFrom('none' as const, 'full' as const),
    }),
  });
  const unit = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

  it('never waits longer than maxDelayMs, whatever Retry-After says, and does not retry after the last attempt', () => {
    fc.assert(
      fc.property(policies, fc.integer({ min: 1, max: 3_000 }), unit, fc.nat(), (it, attempt, random, seconds) => {
        const answer = status(429, { 'retry-after': String(seconds) });
        const delay = retryDelay(it, attempt, answer, () => random, 0);
        if (attempt >= it.maxAttempts) expect(delay).toBeUndefined();
        else {
          expect(Number.isSafeInteger(delay)).toBe(true);
          expect(delay).toBeGreaterThanOrEqual(0);
          expect(delay).toBeLessThanOrEqual(it.backoff.maxDelayMs);
          expect(delay).toBeGreaterThanOrEqual(Math.min(seconds * 1_000, it.backoff.maxDelayMs));
        }
      }),
    );
  });

  it('a paced policy keeps its delays for ten attempts, then waits at least a second', () => {
    expect(withMinimumDelay(policy({}, 10))).toEqual(policy({}, 10));
    const hasty = withMinimumDelay(policy({ baseDelayMs: 0, maxDelayMs: 0 }, 1_000_000));
    const delays = [1, 9, 10, 11, 999_999].map((attempt) => retryDelay(hasty, attempt, timeout, () => 0, 0));
    expect(delays).toEqual([0, 0, 1_000, 1_000, 1_000]);
    const slow = withMinimumDelay(policy({ kind: 'fixed', baseDelayMs: 5_000, maxDelayMs: 5_000 }, 20));
    expect(retryDelay(slow, 15, timeout, () => 0, 0)).toBe(5_000);
  });

  it('without jitter delays never decrease; full jitter is a fraction of them', () => {
    fc.assert(
      fc.property(policies, fc.integer({ min: 1, max: 1_000 }), unit, (it, attempt, random) => {
        const plain = backoffDelay(it.backoff, attempt);
        expect(backoffDelay(it.backoff, attempt + 1)).toBeGreaterThanOrEqual(plain);
        const patient = { ...it, maxAttempts: 2_000 };
        const jittered = { ...patient, backoff: { ...it.backoff, jitter: 'full' as const } };
        expect(retryDelay(jittered, attempt, timeout, () => random, 0)).toBe(Math.round(plain * random));
      }),
    );
  });
});

describe('retries inside the activity (T11)', () => {
  const bench = new Bench();
  afterEach(() => {
    bench.seen.length = 0;
    bench.logged.length = 0;
    return bench.close();
  });

  /** A server that responds with each of `codes` in turn and then with 200. */
  function serve(codes: number[], headers = {}) {
    const left = [...codes];
    return bench.serve((_, __, response) => response.writeHead(left.shift() ?? 200, headers).end());
  }

  it.each<[string, number[], RetryPolicy | undefined, number, number]>([
    ['no policy: one attempt', [500], undefined, 500, 1],
    ['until it succeeds', [503, 502], policy(), 200, 3],
    ['the last failure is returned', [500, 500, 502, 500], policy(), 502, 3],
    ['only errors in the policy', [500], policy({}, 3, ['HTTP_429']), 500, 1],
    ['429 if listed', [429], policy({}, 3, ['HTTP_429']), 200, 2],
    ['a client error is not retried', [404], policy(), 404, 1],
    ['at most one attempt', [500], policy({}, 1), 500, 1],
  ])('%s', async (_, codes, retry, expected, count) => {
    const url = await serve(codes);
    expect(await bench.call({ url, ...(retry && { retry }) })).toMatchObject({ status: expected });
    expect(bench.seen).toHaveLength(count);
  });

  it('GAP-2 the run makes each further attempt of a POST, with the same headers and body', async () => {
    const url = await serve([500, 500]);
    const call = bench.activity();
    const parts = { method: 'POST', url, headers: { 'idempotency-key': 'k1' }, body: 'b', retry: policy() };
    const answer = { ok: false, status: 500 };
    for (const attempt of [1, 2])
      expect(await call(requestOf({ ...parts, attempt }))).toMatchObject({
        retryLater: { attempt: attempt + 1, answer },
      });
    expect(await call(requestOf({ ...parts, attempt: 3 }))).toMatchObject({ ok: true, status: 200 });
    expect(bench.seen.map((it) => [it.headers['idempotency-key'], it.body])).toEqual(Array(3).fill(['k1', 'b']));
  });

  it.each<[string, Partial<HttpRequest>, true | undefined]>([
    ['a broken connection', {}, true],
    ['a timeout', { url: 'slow' }, true],
    ['a GET', { method: 'GET' }, undefined],
    ['a refused connection', { url: 'http://127.0.0.1:1/' }, undefined],
    ['an unknown host', { url: 'http://nowhere.invalid/' }, undefined],
    ['a refusal by the egress policy', { url: 'http://10.0.0.1/' }, undefined],
    ['a response after a broken attempt', { url: 'answers', uncertain: true }, true],
    ['a refused connection after a broken attempt', { url: 'http://127.0.0.1:1/', uncertain: true }, true],
  ])('GAP-3 %s: uncertain is %s', async (_, { url: where = 'breaks', ...parts }, uncertain) => {
    const served = await bench.serve((request, _, response) => {
      if (request.url === '/breaks') response.destroy();
      else if (request.url === '/answers') response.writeHead(409).end();
    });
    const url = where.startsWith('http') ? where : `${served.replace(/\/$/, '')}/${where}`;
    const result = await bench.call({ method: 'POST', timeoutMs: 300, ...parts, url });
    expect(result.uncertain).toBe(uncertain);
  });

  it('GAP-3 with onUncertain: fail, an attempt is repeated only if it provably sent nothing', async () => {
    const url = await bench.serve((_, __, response) => response.destroy());
    const parts = { method: 'POST', retry: policy({}, 3, ['NETWORK_ERROR']), onUncertain: 'fail' } as const;
    const call = bench.activity();
    expect(await call(requestOf({ ...parts, url }))).toMatchObject({ ok: false, uncertain: true });
    expect(await call(requestOf({ ...parts, url: 'http://127.0.0.1:1/' }))).toMatchObject({
      retryLater: { attempt: 2 },
    });
  });

  it('network errors and timeouts', async () => {
    let count = 0;
    const url = await bench.serve((_, __, response) => {
      count++;
      if (count === 1) response.destroy();
      else if (count === 3) response.end('done');
    });
    const result = await bench.call({ url, timeoutMs: 1_000, retry: policy({}, 3, ['NETWORK_ERROR']) });
    expect(result).toMatchObject({ ok: true, body: 'done' });
    expect(count).toBe(3);
  });

  it('a delay over 10 s is left to the run, which then makes the next attempt', async () => {
    const url = await serve([500, 500]);
    const call = bench.activity();
    const request: HttpRequest = requestOf({ url, retry: policy({ baseDelayMs: 10_001 }) });
    expect(await call(request)).toEqual({ retryLater: { afterMs: 10_001, attempt: 2 } });
    expect(await call({ ...request, attempt: 3 })).toMatchObject({ status: 500 });
    expect(bench.seen).toHaveLength(2);
  });

  it('Retry-After is respected up to maxDelayMs', async () => {
    const url = await serve([429, 429], { 'retry-after': '30' });
    const call = bench.activity();
    expect(await call(requestOf({ url, retry: policy() }))).toEqual({ retryLater: { afterMs: 30_000, attempt: 2 } });
    const capped = requestOf({ url, retry: policy({ maxDelayMs: 5 }) });
    expect(await call(capped)).toMatchObject({ status: 200 });
  });

  it('no attempt starts after the budget', async () => {
    const url = await serve([500]);
    const request = requestOf({ url, retry: policy({ baseDelayMs: 5_000 }) });
    expect(await bench.activity()(request, { budgetMs: 4_000 })).toMatchObject({ status: 500 });
    expect(bench.seen).toHaveLength(1);
  });

  it('the budget shortens the timeout of an attempt', async () => {
    const url = await bench.serve(() => {});
    const result = await bench.activity()(requestOf({ url, timeoutMs: 60_000 }), { budgetMs: 50 });
    expect(result).toMatchObject({ error: { type: 'TIMEOUT' } });
  });

  it('nothing is sent if no time is left', async () => {
    const url = await serve([]);
    const result = await bench.activity()(requestOf({ url, retry: policy() }), { budgetMs: 0 });
    expect(result).toMatchObject({ error: { type: 'TIMEOUT', message: 'no time is left for the call' } });
    expect(bench.seen).toEqual([]);
  });

  it('a local activity returns to the run for a delay of two seconds or more', async () => {
    const url = await serve([500]);
    const answer = await bench.activity()(requestOf({ url, retry: policy({ baseDelayMs: 3_000 }) }), { isLocal: true });
    expect(answer).toEqual({ retryLater: { afterMs: 3_000, attempt: 2 } });
  });

  it('a local activity reports the timeout of the call itself', async () => {
    const url = await bench.serve(() => {});
    const answer = await bench.activity()(requestOf({ url, timeoutMs: 40 }), { isLocal: true });
    expect(answer).toMatchObject({ error: { type: 'TIMEOUT' } });
  });
});
