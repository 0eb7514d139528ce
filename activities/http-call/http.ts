import { setTimeout as delayFor } from 'node:timers/promises';
import type { HttpConfig } from '../../src/config/config.js';
import type { Tracer } from '../../src/service/tracing.js';
import { type HttpRequest, type HttpResult, slowMs } from '../../src/tasks/http-call/request.js';
import { type RetryLater, retryDelay } from '../../src/tasks/http-call/retry.js';
import { CertifiedConnections } from './certified-connections.js';
import { type AskForToken, ClientAuth, type ReadSecret } from './client-auth.js';
import { createConnections, type ResolveHost } from './connections.js';
import { createEgress, EgressRefused } from './egress.js';
import { type Destination, dispatch, exchange, outgoingRequest, withTimeout } from './exchange.js';
import { CallFailure, callFailure, failed } from './failure.js';
import { Guards } from './guards.js';
import { type Attempted, endWithin, InFlight, type Sent } from './in-flight.js';
import { signed } from './sign.js';
import { SlowOrigins } from './slow-origins.js';
import { type TokenAnswer, tokenOf } from './tokens.js';
import { traced } from './traced.js';

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
  /** How long a request that was handed over waits to be adopted. */
  adoptWithinMs?: number;
  /** Records a span for each request, where there is one. */
  tracer?: Tracer;
  /** Where outbound auth policies find their secrets; without it there are none. */
  secret?: ReadSecret;
}

/** What surrounds one call. */
export interface HttpCallOptions {
  /** Aborting it ends the call; the call then rejects with the signal's reason. */
  signal?: AbortSignal;
  /** The time the call may take in all, attempts and waiting together. */
  budgetMs?: number;
  /**
   * After this time whoever runs the call wants it back: what is unfinished is answered as `retryLater`. A request that was sent
   * stays in flight for the call that brings its ticket; nothing at all is sent to an origin that is known to be slow.
   */
  handOverAfterMs?: number;
}

/** Makes the calls of journeys. What goes wrong is data; it rejects only when its signal is aborted. */
export interface HttpActivity {
  (request: HttpRequest, options?: HttpCallOptions): Promise<HttpResult | RetryLater>;
  /** Lets calls in flight finish, aborts requests that nobody adopted, then closes all connections. */
  close(): Promise<void>;
}

/** A wait longer than this is the run's own timer, not a busy activity. */
const longestWaitMs = 10_000;

/** How long a notification waits for signs of its arrival. */
const notifyMs = 2_000;

/** The effect half of `httpCall:v1`, for a Temporal worker and for the gateway's own process alike. */
export function createHttpActivity({ http, log, loopbackAllowed, ...rest }: HttpActivityOptions): HttpActivity {
  const { random = Math.random, resolve, adoptWithinMs, secret = noSecret, tracer } = rest;
  const inFlight = new InFlight(adoptWithinMs);
  const slow = new SlowOrigins();
  const guards = new Guards();
  const egress = createEgress(http, loopbackAllowed);
  const connections = createConnections(egress, http.responseLimit, resolve);
  const certified = new CertifiedConnections((tls) => createConnections(egress, http.responseLimit, resolve, tls));
  const auth = new ClientAuth(secret, askForToken);
  const rewrite = new Map(Object.entries(http.rewrite).map(([from, to]) => [new URL(from).origin, new URL(to).origin]));

  async function call(request: HttpRequest, options: HttpCallOptions = {}): Promise<HttpResult | RetryLater> {
    const { signal } = options;
    signal?.throwIfAborted();
    try {
      const to = destination(request);
      const whole = signed(request, (ref) => auth.reveal(ref));
      return await (request.mode === 'notify' ? notified(whole, to, options) : attempts(whole, to, options));
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      return report(request, callFailure(error));
    }
  }

  function destination({ url }: HttpRequest): Destination {
    if (!URL.canParse(url)) throw new CallFailure('NETWORK', 'the URL is not valid', 'HTTP_URL', true);
    if (climbs(url)) throw new CallFailure('NETWORK', 'the path has a segment of dots', 'HTTP_URL', true);
    const asked = new URL(url);
    const target = new URL(rewrite.get(asked.origin) ?? asked);
    const refusal = egress.refusesUrl(asked, target);
    if (refusal !== undefined) throw new EgressRefused(refusal);
    return { origin: target.origin, path: asked.pathname + asked.search };
  }

  /** One attempt is one request with its whole time, even when the call changes hands while the request is on its way. */
  async function attempts(request: HttpRequest, to: Destination, options: HttpCallOptions) {
    const { signal, budgetMs = Number.POSITIVE_INFINITY, handOverAfterMs } = options;
    let sent = request.inFlight === undefined ? undefined : inFlight.adopt(request.inFlight);
    const begun = sent?.at ?? performance.now();
    const left = (ms: number) => Math.round(begun + ms - performance.now());
    for (let attempt = request.attempt ?? 1; ; attempt++, sent = undefined) {
      const budget = left(budgetMs);
      const mine = handOverAfterMs === undefined ? Number.POSITIVE_INFINITY : left(handOverAfterMs);
      const busy = mine <= 0 || (handOverAfterMs !== undefined && slow.has(to.origin));
      if (busy && budget > 0) return later(0, attempt, { budgetMs: budget });
      sent ??= send(request, to, Math.min(request.timeoutMs, budget));
      const ended = await endWithin(mine, sent, signal);
      if (ended === undefined || performance.now() - sent.at >= slowMs) slow.add(to.origin);
      if (ended === undefined) return later(0, attempt, { budgetMs: budget, inFlight: inFlight.leave(sent) });
      const { answer, failure } = ended;
      if (failure) report(request, failure, attempt);
      const delay = failure?.final ? undefined : retryDelay(request.retry, attempt, answer, random, Date.now());
      if (delay === undefined || delay >= left(budgetMs)) return answer;
      log.debug({ ...about(request), attempt, status: answer.status, delayMs: delay }, 'A call is tried again');
      if (delay > longestWaitMs || delay >= left(handOverAfterMs ?? Number.POSITIVE_INFINITY)) {
        return later(delay, attempt + 1);
      }
      await delayFor(delay, undefined, signal && { signal });
    }
  }

  function send(request: HttpRequest, to: Destination, timeoutMs: number): Sent {
    const stop = new AbortController();
    const ended = once(request, to, timeoutMs, stop.signal);
    // Nobody waits for it between two owners.
    ended.catch(() => undefined);
    return { ended, at: performance.now(), stop };
  }

  async function once(asked: HttpRequest, to: Destination, timeoutMs: number, signal: AbortSignal): Promise<Attempted> {
    const { request, end } = traced(asked, to, tracer);
    try {
      if (timeoutMs <= 0) throw new CallFailure('TIMEOUT', 'no time is left for the call', 'TIMEOUT', true);
      const answer = await withTimeout(timeoutMs, signal, (inner) =>
        guards.run(request.retry, to.origin, inner, () => authenticated(request, to, inner)),
      );
      end(answer);
      return { answer };
    } catch (error) {
      if (signal.aborted) throw error;
      const failure = callFailure(error);
      end(failed(failure));
      return { answer: failed(failure), failure };
    }
  }

  /** One exchange with the credentials its policy asks for; a token that is not taken is replaced once. */
  async function authenticated(request: HttpRequest, to: Destination, signal: AbortSignal): Promise<HttpResult> {
    const { auth: policy } = request;
    if (!policy) return await exchange(connections, outgoing(request, to, signal), http.responseLimit);
    const attempt = async () => {
      const credentials = await auth.credentials(policy, signal);
      const through = credentials.tls ? certified.with(credentials.tls) : connections;
      const answer = await exchange(through, outgoing(request, to, signal, credentials.headers), http.responseLimit);
      return { answer, again: auth.rejected(policy, answer.status, credentials) };
    };
    const first = await attempt();
    return first.again ? (await attempt()).answer : first.answer;
  }

  function outgoing(request: HttpRequest, to: Destination, signal: AbortSignal, more: Record<string, string> = {}) {
    const headers = { ...request.headers, ...more };
    return outgoingRequest({ ...request, headers }, to, http.userAgent, signal);
  }

  /** Tokens go the way of all calls: rewritten, and only where the egress policy allows. */
  async function askForToken(...[url, form, { headers, tls }]: Parameters<AskForToken>): Promise<TokenAnswer> {
    const request: HttpRequest = {
      method: 'POST',
      url,
      headers: { ...headers, accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
      body: form.toString(),
      timeoutMs: http.timeoutMs,
      mode: 'requestResponse',
    };
    const through = tls ? certified.with(tls) : connections;
    const to = destination(request);
    return await withTimeout(http.timeoutMs, undefined, async (signal) =>
      tokenOf(await exchange(through, outgoing(request, to, signal), http.responseLimit)),
    );
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
        handOver(request, to, inner, (status) => {
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

  async function notified(asked: HttpRequest, to: Destination, options: HttpCallOptions): Promise<HttpResult> {
    const { request, end } = traced(asked, to, tracer);
    const result = await notify(request, to, options);
    end(result);
    return result;
  }

  async function handOver(request: HttpRequest, to: Destination, signal: AbortSignal, heard: (status: number) => void) {
    const credentials = request.auth ? await auth.credentials(request.auth, signal) : undefined;
    const through = credentials?.tls ? certified.with(credentials.tls) : connections;
    await dispatch(through, outgoing(request, to, signal, credentials?.headers), heard);
  }

  /** Logs what the journey gets as data; never a path, a header or a body, which may hold secrets. */
  function report(request: HttpRequest, failure: CallFailure, attempt?: number): HttpResult {
    const fields = { ...about(request), code: failure.code, ...(attempt === undefined ? {} : { attempt }) };
    log.warn(fields, `A call has no answer: ${failure.message}`);
    return failed(failure);
  }

  return Object.assign(call, {
    close: async () => {
      inFlight.close();
      await Promise.all([connections.close(), certified.close()]);
    },
  });
}

const noSecret: ReadSecret = () => {
  throw new Error('this process has no secrets');
};

function later(
  afterMs: number,
  attempt: number,
  { budgetMs, ...handed }: { budgetMs?: number; inFlight?: string } = {},
): RetryLater {
  const bounded = budgetMs !== undefined && Number.isFinite(budgetMs);
  return { retryLater: { afterMs, attempt, ...(bounded && { budgetMs }), ...handed } };
}

/** What the log says about a call. */
function about({ method, url, operation }: HttpRequest): object {
  const origin = URL.canParse(url) ? new URL(url).origin : undefined;
  return { method, origin, ...(operation === undefined ? {} : { operation }) };
}

/** Whether a path has a segment that leads out of the one before it, as a value could that a caller gave. */
function climbs(url: string): boolean {
  const path = url.replace(/[\t\n\r]/g, '').replace(/[?#].*$/s, '');
  return path.split(/[/\\]/).some((segment) => /^(\.|%2e){1,2}$/i.test(segment));
}
