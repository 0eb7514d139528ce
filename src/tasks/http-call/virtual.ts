import { copy, type Json } from '../../json/value.js';
import type { Reply, VirtualEffect, VirtualWorld } from '../virtual.js';
import { throughJar } from './jar.js';
import type { HttpRequest, HttpResult } from './request.js';
import { retryDelay } from './retry.js';

/** How long a notification waits for signs of its arrival, as in the real effect. */
const notifyMs = 2_000;

/** The effect `http` against scripted services: timeouts, budget and retry policy as the real one applies them. */
export const http: VirtualEffect = async (input, budgetMs, world) => {
  const request = input as unknown as HttpRequest;
  const result = await throughJar(request, world.jars, (it) =>
    it.mode === 'notify' ? notify(it, budgetMs, world) : attempts(it, budgetMs, world),
  );
  return copy(result as unknown as Json);
};

async function attempts(request: HttpRequest, budgetMs: number, world: VirtualWorld): Promise<HttpResult> {
  const until = world.now() + budgetMs;
  const left = () => until - world.now();
  for (let attempt = request.attempt ?? 1; ; attempt++) {
    const result = await once(request, Math.min(request.timeoutMs, left()), world);
    const delay = retryDelay(request.retry, attempt, result, () => world.random(), world.now());
    if (delay === undefined || delay >= left()) return result;
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
  if (reply.fail === 'network') return failed('NETWORK', 'the connection was closed by the other side');
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
