import { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { asActivities } from '../../../../activities/effects-as-activities.js';
import { httpEffect } from '../../../../activities/http-call/http-effect.js';
import type { RetryPolicy } from '../../../../src/language/read/read-call-policies.js';
import type { HttpRequest } from '../../../../src/language/tasks/http-call/request-and-result-types.js';
import { Bench, requestOf } from './server.js';

const bench = new Bench();
afterEach(() => {
  bench.seen.length = 0;
  bench.logged.length = 0;
  return bench.close();
});

describe('mode: notify (T2)', () => {
  const mode = 'notify' as const;

  it('returns once the request is sent, without waiting for the body', async () => {
    const url = await bench.serve((_, __, response) => response.writeHead(202).write('begun'));
    const call = bench.activity();
    expect(await call(requestOf({ method: 'POST', url, mode, body: 'audit', timeoutMs: 200 }))).toEqual({
      ok: true,
      status: 202,
      headers: {},
      body: null,
    });
    expect(bench.seen).toMatchObject([{ method: 'POST', body: 'audit' }]);
  });

  it('a failing service only causes a log line', async () => {
    const url = await bench.serve((_, __, response) => response.writeHead(500).end());
    expect(await bench.call({ url, mode })).toMatchObject({ status: 500 });
    expect(bench.logged).toMatchObject([{ fields: { status: 500 } }]);
  });

  it('a failed connection only causes a log line', async () => {
    const url = await bench.serve(() => {});
    await bench.close();
    expect(await bench.call({ url, mode })).toMatchObject({ error: { message: 'connection refused' } });
    expect(bench.logged).toMatchObject([{ fields: { code: 'ECONNREFUSED' } }]);
  });

  it('the egress policy applies', async () => {
    const result = await bench.call({ url: 'http://10.0.0.1/', mode });
    expect(result.error?.message).toContain('refused by the egress policy');
  });

  it('a slow service does not delay the run, and its connection is not closed', async () => {
    let answer = () => {};
    const answered = new Promise<boolean>((resolve) => {
      answer = () => resolve(true);
    });
    const url = await bench.serve((_, request, response) => {
      request.socket.on('close', () => answer());
      setTimeout(() => {
        expect(request.socket.destroyed).toBe(false);
        response.end(() => answer());
      }, 2_300);
    });
    const controller = new AbortController();
    const call = bench.activity();
    expect(await call(requestOf({ url, mode }), { signal: controller.signal })).toEqual({
      ok: true,
      headers: {},
      body: null,
    });
    controller.abort();
    expect(await answered).toBe(true);
  });

  it('cancellation before the request is sent rejects', async () => {
    const controller = new AbortController();
    const reason = new Error('cancelled');
    const url = await bench.serve(() => controller.abort(reason));
    await expect(bench.activity()(requestOf({ url, mode }), { signal: controller.signal })).rejects.toBe(reason);
  });
});

describe('an HTTP call as a Temporal activity', () => {
  it('returns the result', async () => {
    const url = await bench.serve((_, __, response) => response.end('x'));
    const http = asActivities({ http: httpEffect(bench.activity()) }).http as unknown as (
      request: HttpRequest,
      budgetMs?: number,
    ) => Promise<unknown>;
    expect(await new MockActivityEnvironment().run(http, requestOf({ url }))).toMatchObject({ ok: true, body: 'x' });
  });

  it("aborts the call when it is cancelled and fails with Temporal's own failure", async () => {
    const env = new MockActivityEnvironment();
    const url = await bench.serve(() => env.cancel());
    const http = asActivities({ http: httpEffect(bench.activity()) }).http as unknown as (
      request: HttpRequest,
      budgetMs?: number,
    ) => Promise<unknown>;
    await expect(env.run(http, requestOf({ url }))).rejects.toMatchObject({ name: 'CancelledFailure' });
  });

  it('heartbeats during the call', async () => {
    const env = new MockActivityEnvironment({ heartbeatTimeoutMs: 6_000 });
    let beats = 0;
    const url = await bench.serve((_, __, response) => {
      env.on('heartbeat', () => {
        beats++;
        response.end();
      });
    });
    const http = asActivities({ http: httpEffect(bench.activity()) }).http as unknown as (
      request: HttpRequest,
      budgetMs?: number,
    ) => Promise<unknown>;
    expect(await env.run(http, requestOf({ url }))).toMatchObject({ ok: true });
    expect(beats).toBe(1);
  });

  it('has its whole budget again after its worker died', async () => {
    const env = new MockActivityEnvironment({ scheduledTimestampMs: 1_000, currentAttemptScheduledTimestampMs: 7_000 });
    const url = await bench.serve((_, __, response) => response.end());
    const http = asActivities({ http: httpEffect(bench.activity()) }).http as unknown as (
      request: HttpRequest,
      budgetMs?: number,
    ) => Promise<unknown>;
    expect(await env.run(http, requestOf({ url }), 5_000)).toMatchObject({ ok: true });
  });

  it('knows that it runs as a local activity', async () => {
    const url = await bench.serve((_, __, response) => response.writeHead(503).end());
    const http = asActivities({ http: httpEffect(bench.activity()) }).http as unknown as (
      request: HttpRequest,
      budgetMs?: number,
    ) => Promise<unknown>;
    const backoff = { kind: 'fixed', baseDelayMs: 3_000, maxDelayMs: 3_000, multiplier: 1, jitter: 'none' } as const;
    const retry: RetryPolicy = { maxAttempts: 2, retryOn: ['HTTP_5XX'], backoff };
    const answer = await new MockActivityEnvironment({ isLocal: true }).run(http, requestOf({ url, retry }));
    expect(answer).toEqual({ retryLater: { afterMs: 3_000, attempt: 2 } });
  });
});
