import { copy, type Json } from '../../../base/json/value.js';
import type { Reply, ScriptedCall, TaskEffectForm, VirtualWorld } from '../task-kind.js';
import { callWithCookies } from './call-with-cookies.js';
import {
  type HttpRequest,
  type HttpResult,
  httpRequestOf,
  safeMethods,
  withCertainty,
} from './request-and-result-types.js';
import { mustNotRepeat, type RetryLater, retryDelay, retryLater } from './retry-policy.js';

/** The time that a notification waits for a response, as in the real effect. */
const notifyMs = 2_000;

/** The effect `http` in scenarios. Virtual time applies timeouts, budget and retry policy as the real effect does. */
export const virtualHttpEffect: TaskEffectForm = {
  name: 'http',
  virtual: () => async (input, budgetMs, world) => {
    const request = httpRequestOf(input);
    const result = await callWithCookies(request, world.jars, (it) =>
      it.mode === 'notify' ? notify(it, budgetMs, world) : attempts(it, budgetMs, world),
    );
    return copy(result as unknown as Json);
  },
  recorded,
  summary(input, answer) {
    const { method, url } = input as unknown as HttpRequest;
    const { status, body, error } = answer as unknown as HttpResult;
    const request = `${method} ${url}`;
    return error ? { request, result: error.type } : { request, result: String(status ?? 'sent'), body };
  },
};

async function attempts(request: HttpRequest, budgetMs: number, world: VirtualWorld): Promise<HttpResult | RetryLater> {
  const until = world.now() + budgetMs;
  const left = () => until - world.now();
  for (let attempt = request.attempt ?? 1; ; attempt++) {
    const result = withCertainty(request, await once(request, Math.min(request.timeoutMs, left()), world));
    const delay = retryDelay(request.retry, attempt, result, () => world.random(), world.now());
    if (delay === undefined || delay >= left() || mustNotRepeat(request, result)) return result;
    if (!safeMethods.has(request.method)) return retryLater(request, delay, attempt + 1, result);
    await world.wait(delay);
  }
}

async function once(request: HttpRequest, timeoutMs: number, world: VirtualWorld): Promise<HttpResult> {
  if (timeoutMs <= 0) return failed('TIMEOUT', 'no time is left for the call');
  const reply = await world.call(request);
  if (reply.fail === 'timeout' || reply.afterMs > timeoutMs) {
    await world.wait(timeoutMs);
    return failed('TIMEOUT', `no complete answer within ${timeoutMs} ms`);
  }
  if (reply.afterMs > 0) await world.wait(reply.afterMs);
  return reply.fail === 'network' ? failed('NETWORK', 'the connection was closed by the other side') : resultOf(reply);
}

async function notify(request: HttpRequest, budgetMs: number, world: VirtualWorld): Promise<HttpResult> {
  const reply = await world.call(request);
  const patience = Math.min(notifyMs, request.timeoutMs, budgetMs);
  const arrives = reply.fail === 'timeout' ? Number.POSITIVE_INFINITY : reply.afterMs;
  if (arrives > 0) await world.wait(Math.min(arrives, patience));
  if (reply.fail === 'network')
    return withCertainty(request, failed('NETWORK', 'the connection was closed by the other side'));
  if (arrives > patience) return { ok: true, headers: {}, body: null };
  return { ok: isOk(reply.status), status: reply.status, headers: {}, body: null };
}

function failed(type: 'TIMEOUT' | 'NETWORK', message: string): HttpResult {
  return { ok: false, headers: {}, body: null, error: { type, message } };
}

function resultOf({ status, headers, body }: Reply): HttpResult {
  const text = typeof body === 'string';
  const type = headers['content-type'] ?? (body === undefined ? undefined : text ? 'text/plain' : 'application/json');
  return {
    ok: isOk(status),
    status,
    headers: { ...headers, ...(type !== undefined && { 'content-type': type }) },
    body: text && isJson(type) ? parsed(body) : body === undefined || body === '' ? null : body,
  };
}

function isOk(status: number): boolean {
  return status >= 200 && status <= 299;
}

function isJson(type = ''): boolean {
  return /^(application|text)\/json$|\+json$/i.test(type.split(';')[0]!.trim());
}

function parsed(text: string): Json {
  if (text === '') return null;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

/** The call of a recorded run. Without an answer it timed out. */
function recorded(input: Json, answer: Json | undefined, ms: number): ScriptedCall {
  const { method, url, operation } = input as unknown as HttpRequest;
  const call = { method, url, ...(operation !== undefined && { operation }) };
  if (answer === undefined) return { call, reply: { status: 200, headers: {}, afterMs: 0, fail: 'timeout' } };
  const { status = 200, headers, body, error } = answer as unknown as Partial<HttpResult>;
  const reply: Reply = {
    status,
    headers: Object.fromEntries(Object.entries(headers ?? {}).filter(([name]) => !transport.test(name))),
    ...(body !== undefined && body !== null && { body }),
    afterMs: ms,
    ...(error && { fail: error.type === 'TIMEOUT' ? ('timeout' as const) : ('network' as const) }),
  };
  return { call, reply };
}

/** Headers about the transport rather than the answer. */
const transport =
  /^(date|connection|keep-alive|content-length|transfer-encoding|server|set-cookie|content-type|etag|x-powered-by|vary)$/i;
