import { setTimeout as delayFor } from 'node:timers/promises';
import type { HttpConfig } from '../../src/config/config.js';
import type { HttpRequest, HttpResult } from '../../src/tasks/http-call/request.js';
import { type RetryLater, retryDelay } from '../../src/tasks/http-call/retry.js';
import { createConnections, type ResolveHost } from './connections.js';
import { createEgress, EgressRefused } from './egress.js';
import { type Destination, dispatch, exchange, outgoingRequest, withTimeout } from './exchange.js';
import { CallFailure, callFailure, failed } from './failure.js';

/** The part of a logger that calls need; pino's shape. */
export interface HttpLog {
  warn(fields: object, message: string): void;
  debug(fields: object, message: string): void;
}

export interface HttpActivityOptions {
  http: HttpConfig;
  log: HttpLog;
  /** Whether this machine's own addresses may be called without being listed. */
  loopbackAllowed: boolean;
  /** Stands in for the system's resolver. */
  resolve?: ResolveHost;
  /** Between 0 and 1, for jitter. */
  random?: () => number;
}

/** What surrounds one call. */
export interface HttpCallOptions {
  /** Aborting it ends the call; the call then rejects with the signal's reason. */
  signal?: AbortSignal;
  /** Called every 2 s while the call lasts. */
  heartbeat?: () => void;
  /** The time the call may take in all, attempts and waiting together. */
  budgetMs?: number;
  /** After this time whoever runs the call wants it back: what is unfinished is answered as `retryLater`. */
  handOverAfterMs?: number;
}

/** Makes the calls of journeys. What goes wrong is data; it rejects only when its signal is aborted. */
export interface HttpActivity {
  (request: HttpRequest, options?: HttpCallOptions): Promise<HttpResult | RetryLater>;
  /** Lets calls in flight finish, then closes all connections. */
  close(): Promise<void>;
}

const heartbeatMs = 2_000;

/** A wait longer than this is the run's own timer, not a busy activity. */
const longestWaitMs = 10_000;

/** How long a notification waits for signs of its arrival. */
const notifyMs = 2_000;

/** The effect half of `httpCall:v1`, for a Temporal worker and for the gateway's own process alike. */
export function createHttpActivity({ http, log, loopbackAllowed, ...rest }: HttpActivityOptions): HttpActivity {
  const { random = Math.random, resolve } = rest;
  const egress = createEgress(http, loopbackAllowed);
  const connections = createConnections(egress, http.responseLimit, resolve);
  const rewrite = new Map(Object.entries(http.rewrite).map(([from, to]) => [new URL(from).origin, new URL(to).origin]));

  async function call(request: HttpRequest, options: HttpCallOptions = {}): Promise<HttpResult | RetryLater> {
    const { signal, heartbeat } = options;
    signal?.throwIfAborted();
    const beat = heartbeat && setInterval(heartbeat, heartbeatMs);
    try {
      const to = destination(request);
      return await (request.mode === 'notify' ? notify(request, to, options) : attempts(request, to, options));
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      return report(request, callFailure(error));
    } finally {
      clearInterval(beat);
    }
  }

  function destination({ url }: HttpRequest): Destination {
    if (!URL.canParse(url)) throw new CallFailure('NETWORK', 'the URL is not valid', 'HTTP_URL', true);
    const asked = new URL(url);
    const target = new URL(rewrite.get(asked.origin) ?? asked);
    const refusal = egress.refusesUrl(asked, target);
    if (refusal !== undefined) throw new EgressRefused(refusal);
    return { origin: target.origin, path: asked.pathname + asked.search };
  }

  async function attempts(request: HttpRequest, to: Destination, options: HttpCallOptions) {
    const { signal, budgetMs = Number.POSITIVE_INFINITY, handOverAfterMs = Number.POSITIVE_INFINITY } = options;
    const begun = performance.now();
    const left = (ms: number) => Math.floor(begun + ms - performance.now());
    for (let attempt = request.attempt ?? 1; ; attempt++) {
      const allowed = Math.min(request.timeoutMs, left(budgetMs));
      const mine = left(handOverAfterMs);
      if (mine <= 0 && allowed > 0) return later(0, attempt);
      const { answer, failure } = await once(request, to, Math.min(allowed, mine), signal);
      if (failure?.type === 'TIMEOUT' && mine < allowed) return later(0, attempt);
      if (failure) report(request, failure, attempt);
      const delay = failure?.final ? undefined : retryDelay(request.retry, attempt, answer, random, Date.now());
      if (delay === undefined || delay >= left(budgetMs)) return answer;
      log.debug({ ...about(request), attempt, status: answer.status, delayMs: delay }, 'A call is tried again');
      if (delay > longestWaitMs || delay >= left(handOverAfterMs)) return later(delay, attempt + 1);
      await delayFor(delay, undefined, signal && { signal });
    }
  }

  async function once(
    request: HttpRequest,
    to: Destination,
    timeoutMs: number,
    signal: AbortSignal | undefined,
  ): Promise<{ answer: HttpResult; failure?: CallFailure }> {
    try {
      if (timeoutMs <= 0) throw new CallFailure('TIMEOUT', 'no time is left for the call', 'TIMEOUT', true);
      const answer = await withTimeout(timeoutMs, signal, (inner) =>
        exchange(connections, outgoingRequest(request, to, http.userAgent, inner), http.responseLimit),
      );
      return { answer };
    } catch (error) {
      if (signal?.aborted) throw error;
      const failure = callFailure(error);
      return { answer: failed(failure), failure };
    }
  }

  /** The exchange goes on behind the answer, cut off from `signal`, so that a slow service still gets the whole request. */
  function notify(request: HttpRequest, to: Destination, { signal, budgetMs }: HttpCallOptions): Promise<HttpResult> {
    const stop = new AbortController();
    const follow = () => stop.abort(signal?.reason);
    signal?.addEventListener('abort', follow);
    let bound: NodeJS.Timeout;
    return new Promise<HttpResult>((resolve, reject) => {
      bound = setTimeout(() => resolve({ ok: true, headers: {}, body: null }), notifyMs);
      withTimeout(Math.min(request.timeoutMs, budgetMs ?? request.timeoutMs), stop.signal, (inner) =>
        dispatch(connections, outgoingRequest(request, to, http.userAgent, inner), (status) => {
          const ok = status >= 200 && status < 300;
          if (!ok) log.warn({ ...about(request), status }, 'A notification was not accepted');
          resolve({ ok, status, headers: {}, body: null });
        }),
      ).catch((error) => {
        if (stop.signal.aborted) reject(error);
        else resolve(report(request, callFailure(error)));
      });
    }).finally(() => {
      clearTimeout(bound);
      signal?.removeEventListener('abort', follow);
    });
  }

  /** Says in the log what the journey gets as data; never a path, a header or a body, which may hold secrets. */
  function report(request: HttpRequest, failure: CallFailure, attempt?: number): HttpResult {
    const fields = { ...about(request), code: failure.code, ...(attempt === undefined ? {} : { attempt }) };
    log.warn(fields, `A call has no answer: ${failure.message}`);
    return failed(failure);
  }

  return Object.assign(call, { close: () => connections.close() });
}

function later(afterMs: number, attempt: number): RetryLater {
  return { retryLater: { afterMs, attempt } };
}

/** What a log line says of a call. */
function about({ method, url, operation }: HttpRequest): object {
  const origin = URL.canParse(url) ? new URL(url).origin : undefined;
  return { method, origin, ...(operation === undefined ? {} : { operation }) };
}
