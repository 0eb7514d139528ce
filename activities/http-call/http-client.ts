import { setTimeout as delayFor } from 'node:timers/promises';
import type { HttpConfig } from '../../src/config/config-types.js';
import {
  type HttpRequest,
  type HttpResult,
  safeMethods,
  slowMs,
  withCertainty,
} from '../../src/language/tasks/http-call/request-and-result-types.js';
import {
  mustNotRepeat,
  type RetryLater,
  retryDelay,
  retryLater,
} from '../../src/language/tasks/http-call/retry-policy.js';
import type { Tracer } from '../../src/service/tracer-interface.js';
import { BreakersAndBulkheads } from './breakers-and-bulkheads.js';
import { CallFailure, failureResult, toCallFailure } from './describe-connection-failure.js';
import { CertifiedConnections, createAgent, createEgress, EgressRefused, type ResolveHost } from './egress-policy.js';
import { parseTokenResponse, type TokenResponse } from './oauth-token-cache.js';
import { CallCredentials, type ReadSecret, type RequestToken, signRequest } from './outbound-auth-and-signing.js';
import { type Destination, outgoingRequest, sendRequest, sendUntilStatus, withTimeout } from './send-request.js';

/** The logger methods that calls use, compatible with pino. */
export interface HttpLog {
  warn(fields: object, message: string): void;
  debug(fields: object, message: string): void;
}

export interface HttpClientOptions {
  http: HttpConfig;
  log: HttpLog;
  /** Whether this machine's own addresses may be called without being listed. */
  loopbackAllowed: boolean;
  /** Ports of this machine that belong to Journeyman itself. */
  ownPorts?: () => readonly number[];
  /** Replaces the system's resolver. */
  resolve?: ResolveHost;
  /** Returns a number between 0 and 1, for jitter. */
  random?: () => number;
  /** Records a span for each request if tracing is enabled. */
  tracer?: Tracer;
  /** Reads the secrets of outbound auth policies; if omitted, none can be read. */
  secret?: ReadSecret;
}

/** Options of one call. */
export interface HttpCallOptions {
  /** Aborts the call, which then rejects with the signal's reason. */
  signal?: AbortSignal;
  /** Total time limit of the call, including all attempts and the delays between them. */
  budgetMs?: number;
  /**
   * The call blocks the run. So an origin that is known to be slow is not called, and only retries within two seconds are made here; later
   * ones are left to the run as `retryLater`. A request that was sent keeps its full timeout.
   */
  isLocal?: boolean;
}

/** Makes the calls of journeys. Failures are data; it rejects only when its signal is aborted. */
export interface HttpClient {
  (request: HttpRequest, options?: HttpCallOptions): Promise<HttpResult | RetryLater>;
  /** Waits for calls in flight, then closes all connections. */
  close(): Promise<void>;
}

/** Longer delays become a timer of the run, so that the activity does not wait. */
const longestWaitMs = 10_000;

/** How long a notification waits for a response. */
const notifyMs = 2_000;

/** Creates the HTTP client of `httpCall:v1`, for workers and gateways. */
export function createHttpClient({ http, log, loopbackAllowed, ownPorts, ...rest }: HttpClientOptions): HttpClient {
  const { random = Math.random, resolve, secret = noSecret, tracer } = rest;
  const slow = new SlowOrigins();
  const guards = new BreakersAndBulkheads();
  const egress = createEgress(http, loopbackAllowed, ownPorts);
  const connections = createAgent(egress, http.responseLimit, resolve);
  const certified = new CertifiedConnections((tls) => createAgent(egress, http.responseLimit, resolve, tls));
  const auth = new CallCredentials(secret, askForToken);
  const rewrite = new Map(Object.entries(http.rewrite).map(([from, to]) => [new URL(from).origin, new URL(to).origin]));

  async function call(request: HttpRequest, options: HttpCallOptions = {}): Promise<HttpResult | RetryLater> {
    const { signal } = options;
    signal?.throwIfAborted();
    try {
      const to = destination(request);
      const whole = signRequest(request, (ref) => auth.reveal(ref));
      return await (request.mode === 'notify' ? notified(whole, to, options) : attempts(whole, to, options));
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      return report(request, toCallFailure(error));
    }
  }

  function destination({ url }: HttpRequest): Destination {
    if (!URL.canParse(url)) throw new CallFailure('NETWORK', 'the URL is not valid', 'HTTP_URL', true, false);
    if (climbs(url)) throw new CallFailure('NETWORK', 'the path has a segment of dots', 'HTTP_URL', true, false);
    const asked = new URL(url);
    const target = new URL(rewrite.get(asked.origin) ?? asked);
    const refusal = egress.refusesUrl(asked, target);
    if (refusal !== undefined) throw new EgressRefused(refusal);
    return { origin: target.origin, path: asked.pathname + asked.search };
  }

  /** Makes the attempts of a call, or a single one of an unsafe call. Each attempt is one request with its full timeout. */
  async function attempts(
    request: HttpRequest,
    to: Destination,
    { signal, budgetMs = Number.POSITIVE_INFINITY, isLocal = false }: HttpCallOptions,
  ): Promise<HttpResult | RetryLater> {
    const begun = performance.now();
    const elapsed = () => performance.now() - begun;
    const first = request.attempt ?? 1;
    if (isLocal && slow.has(to.origin)) return retryLater(request, 0, first);
    for (let attempt = first; ; attempt++) {
      const sent = performance.now();
      const left = Math.round(budgetMs - elapsed());
      const { answer, failure } = await once(request, to, Math.min(request.timeoutMs, left), signal);
      if (performance.now() - sent >= slowMs) slow.add(to.origin);
      if (failure) report(request, failure, attempt);
      const isFinal = failure?.nonRetryable || mustNotRepeat(request, answer);
      const delay = isFinal ? undefined : retryDelay(request.retry, attempt, answer, random, Date.now());
      if (delay === undefined || delay >= budgetMs - elapsed()) return answer;
      log.debug({ ...about(request), attempt, status: answer.status, delayMs: delay }, 'Retrying a call');
      const isLong = delay > longestWaitMs || (isLocal && elapsed() + delay >= slowMs);
      if (isLong || !safeMethods.has(request.method)) return retryLater(request, delay, attempt + 1, answer);
      await delayFor(delay, undefined, signal && { signal });
    }
  }

  async function once(
    asked: HttpRequest,
    to: Destination,
    timeoutMs: number,
    signal: AbortSignal | undefined,
  ): Promise<{ answer: HttpResult; failure?: CallFailure }> {
    const { request, end } = withTraceHeaders(asked, to, tracer);
    try {
      if (timeoutMs <= 0) throw new CallFailure('TIMEOUT', 'no time is left for the call', 'TIMEOUT', true, false);
      const answer = await withTimeout(timeoutMs, signal, (inner) =>
        guards.run(request.retry, to.origin, inner, () => authenticated(request, to, inner)),
      );
      end(answer);
      return { answer: withCertainty(request, answer) };
    } catch (error) {
      if (signal?.aborted) throw error;
      const failure = toCallFailure(error);
      end(failureResult(failure));
      return { answer: withCertainty(request, failureResult(failure), failure.sent), failure };
    }
  }

  /** One exchange with the credentials of its policy; a rejected token is replaced once. */
  async function authenticated(request: HttpRequest, to: Destination, signal: AbortSignal): Promise<HttpResult> {
    const { auth: policy } = request;
    if (!policy) return await sendRequest(connections, outgoing(request, to, signal), http.responseLimit);
    const attempt = async () => {
      const credentials = await auth.credentials(policy, signal).catch(notSent);
      const through = credentials.tls ? certified.with(credentials.tls) : connections;
      const answer = await sendRequest(through, outgoing(request, to, signal, credentials.headers), http.responseLimit);
      return { answer, again: auth.rejected(policy, answer.status, credentials) };
    };
    const first = await attempt();
    return first.again ? (await attempt()).answer : first.answer;
  }

  function outgoing(request: HttpRequest, to: Destination, signal: AbortSignal, more: Record<string, string> = {}) {
    const headers = { ...request.headers, ...more };
    return outgoingRequest({ ...request, headers }, to, http.userAgent, signal);
  }

  /** Token requests follow the rules of all calls: rewritten, and subject to the egress policy. */
  async function askForToken(...[url, form, { headers, tls }]: Parameters<RequestToken>): Promise<TokenResponse> {
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
      parseTokenResponse(await sendRequest(through, outgoing(request, to, signal), http.responseLimit)),
    );
  }

  /** The exchange continues after the answer, detached from `signal`, so that a slow service still receives the whole request. */
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
        else resolve(report(request, toCallFailure(error)));
      });
    }).finally(() => {
      clearTimeout(bound);
      signal?.removeEventListener('abort', follow);
    });
  }

  async function notified(asked: HttpRequest, to: Destination, options: HttpCallOptions): Promise<HttpResult> {
    const { request, end } = withTraceHeaders(asked, to, tracer);
    const result = await notify(request, to, options);
    end(result);
    return result;
  }

  async function handOver(request: HttpRequest, to: Destination, signal: AbortSignal, heard: (status: number) => void) {
    const credentials = request.auth ? await auth.credentials(request.auth, signal).catch(notSent) : undefined;
    const through = credentials?.tls ? certified.with(credentials.tls) : connections;
    await sendUntilStatus(through, outgoing(request, to, signal, credentials?.headers), heard);
  }

  /** Logs a failure, without path, headers or body, which may contain secrets. */
  function report(request: HttpRequest, failure: CallFailure, attempt?: number): HttpResult {
    const fields = { ...about(request), code: failure.code, ...(attempt === undefined ? {} : { attempt }) };
    log.warn(fields, `A call has no answer: ${failure.message}`);
    return withCertainty(request, failureResult(failure), failure.sent);
  }

  return Object.assign(call, {
    close: async () => {
      await Promise.all([connections.close(), certified.close()]);
    },
  });
}

const noSecret: ReadSecret = () => {
  throw new Error('this process has no secrets');
};

/** Throws a failure that occurred before the request was sent. */
function notSent(error: unknown): never {
  const { type, message, code, nonRetryable: final } = toCallFailure(error);
  throw new CallFailure(type, message, code, final, false);
}

/** Log fields of a call. */
function about({ method, url, operation }: HttpRequest): object {
  const origin = URL.canParse(url) ? new URL(url).origin : undefined;
  return { method, origin, ...(operation === undefined ? {} : { operation }) };
}

/** Whether a path contains a dot segment (`.` or `..`), which could come from a caller's value. */
function climbs(url: string): boolean {
  const path = url.replace(/[\t\n\r]/g, '').replace(/[?#].*$/s, '');
  return path.split(/[/\\]/).some((segment) => /^(\.|%2e){1,2}$/i.test(segment));
}

/**
 * Adds the trace context to the headers of a request, unless the author has set one. If tracing is enabled, starts a span that lasts until
 * `end` and contains the method, the host and the status, never a path or a value.
 */
export function withTraceHeaders(
  request: HttpRequest,
  { origin }: Destination,
  tracer: Tracer | undefined,
): { request: HttpRequest; end(result: HttpResult): void } {
  const { trace, method, operation } = request;
  if (!trace) return { request, end: () => undefined };
  const span = trace.run === undefined ? undefined : tracer?.calls(trace);
  const context = span?.context ?? trace;
  const headers = {
    ...(context.parent !== undefined && { traceparent: context.parent }),
    ...(context.state !== undefined && { tracestate: context.state }),
  };
  const kept = request.headers.traceparent === undefined ? { ...headers, ...request.headers } : request.headers;
  return {
    request: { ...request, headers: kept },
    end: ({ status, error }) => {
      const { hostname, port, protocol } = new URL(origin);
      span?.end({
        name: operation === undefined ? method : `${method} ${operation}`,
        attributes: {
          'http.request.method': method,
          'server.address': hostname,
          'server.port': Number(port || (protocol === 'https:' ? 443 : 80)),
          ...(trace.at !== undefined && { 'journey.state': trace.at }),
          ...(trace.run !== undefined && { 'journey.id': trace.run }),
        },
        ...(status !== undefined && { status }),
        ...(error && { error: error.type }),
      });
    },
  };
}

const rememberMs = 60_000;
const mostOrigins = 1_000;

/** Origins that were slow recently, which local activities do not call. */
export class SlowOrigins {
  /** Origin → time until which it counts as slow; the most recent one is last. */
  private readonly until = new Map<string, number>();

  constructor(private readonly now: () => number = () => performance.now()) {}

  add(origin: string): void {
    this.until.delete(origin);
    this.until.set(origin, this.now() + rememberMs);
    if (this.until.size > mostOrigins) this.until.delete(this.until.keys().next().value!);
  }

  has(origin: string): boolean {
    const until = this.until.get(origin);
    if (until === undefined) return false;
    if (this.now() < until) return true;
    this.until.delete(origin);
    return false;
  }
}
