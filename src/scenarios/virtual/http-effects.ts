import type { Effect } from '../../engine/host.js';
import type { StopSignal } from '../../engine/local-scope.js';
import { copy, type Json } from '../../json/value.js';
import { refuse } from '../../problems/problem.js';
import type { HttpRequest, HttpResult } from '../../tasks/http-call/request.js';
import { retryDelay } from '../../tasks/http-call/retry.js';
import type { Reply, ScriptedBackend } from '../backend.js';
import { Chance } from './chance.js';
import type { VirtualClock } from './clock.js';
import type { Effects } from './host.js';

/** How long a notification waits for signs of its arrival, as in the real activity. */
const notifyMs = 2_000;

/**
 * The `http` effect against a scripted backend: timeouts, budget and retry policy as the real activity applies them. A `schedule` is
 * made and that is all: what it starts later are other runs, not part of this one.
 */
export class HttpEffects implements Effects {
  private readonly startedAt: number;
  private readonly chance = new Chance(7);

  constructor(
    private readonly clock: VirtualClock,
    private readonly backend: ScriptedBackend,
  ) {
    this.startedAt = clock.now();
  }

  async perform(effect: Effect, stop: StopSignal): Promise<Json> {
    if (effect.name === 'schedule') return { scheduleId: 'virtual-schedule' };
    if (effect.name !== 'http') refuse('NOT_YET_SUPPORTED', `'${effect.name}' cannot be simulated yet.`);
    const request = effect.input as unknown as HttpRequest;
    const wait = (ms: number) => new Promise<void>((resolve) => stop(this.clock.at(this.clock.now() + ms, resolve)));
    const result = await (request.mode === 'notify'
      ? this.notify(request, effect.budgetMs, wait)
      : this.attempts(request, effect.budgetMs, wait));
    return copy(result as unknown as Json);
  }

  private async attempts(request: HttpRequest, budgetMs: number, wait: Wait): Promise<HttpResult> {
    const until = this.clock.now() + budgetMs;
    const left = () => until - this.clock.now();
    for (let attempt = request.attempt ?? 1; ; attempt++) {
      const result = await this.once(request, Math.min(request.timeoutMs, left()), wait);
      const delay = retryDelay(request.retry, attempt, result, () => this.chance.random(), this.clock.now());
      if (delay === undefined || delay >= left()) return result;
      await wait(delay);
    }
  }

  private async once(request: HttpRequest, timeoutMs: number, wait: Wait): Promise<HttpResult> {
    if (timeoutMs <= 0) return failed('TIMEOUT', 'no time is left for the call');
    const reply = this.backend.answer(request, this.clock.now() - this.startedAt);
    if (reply.fail === 'timeout' || reply.afterMs > timeoutMs) {
      await wait(timeoutMs);
      return failed('TIMEOUT', `no complete answer within ${timeoutMs} ms`);
    }
    if (reply.afterMs > 0) await wait(reply.afterMs);
    return reply.fail === 'network' ? failed('NETWORK', 'the connection was closed by the other side') : result(reply);
  }

  private async notify(request: HttpRequest, budgetMs: number, wait: Wait): Promise<HttpResult> {
    const reply = this.backend.answer(request, this.clock.now() - this.startedAt);
    const patience = Math.min(notifyMs, request.timeoutMs, budgetMs);
    const arrives = reply.fail === 'timeout' ? Number.POSITIVE_INFINITY : reply.afterMs;
    if (arrives > 0) await wait(Math.min(arrives, patience));
    if (reply.fail === 'network') return failed('NETWORK', 'the connection was closed by the other side');
    if (arrives > patience) return { ok: true, headers: {}, body: null };
    return { ok: isOk(reply.status), status: reply.status, headers: {}, body: null };
  }
}

type Wait = (ms: number) => Promise<void>;

function failed(type: 'TIMEOUT' | 'NETWORK', message: string): HttpResult {
  return { ok: false, headers: {}, body: null, error: { type, message } };
}

function result({ status, headers, body }: Reply): HttpResult {
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
