import type { Encode } from '../../engine/interpolate.js';
import type { TaskEffect, TaskHost } from '../../engine/task-host.js';
import { pacesAttempts, refusesEmptyPaths } from '../../engine/version.js';
import type { TaskRunner } from '../../engine/vocabulary.js';
import { percentEncoded } from '../../json/percent.js';
import type { Json, JsonObject } from '../../json/value.js';
import { refuse } from '../../problems/problem.js';
import { withAnswer } from './jar.js';
import type { HttpCallTask } from './read.js';
import { type CallRetry, type HttpRequest, type HttpResult, safeMethods } from './request.js';
import { paced, pacedMs } from './retry.js';

/** What an attempt may take beyond its own time (late timers, a hand-over), so that the last one is not cut short. */
const slackMs = 1_000;

/** Calls an HTTP service; what comes back, good or bad, is data in `context.<resultVar>`. */
export const runner: TaskRunner<HttpCallTask> = {
  ask(task, host) {
    const mapped = task.body && 'mapper' in task.body ? host.evaluate(task.body.mapper, 'mapper') : undefined;
    const asked =
      mapped instanceof Promise ? mapped.then((body) => effect(task, body, host)) : effect(task, mapped, host);
    const { sign } = task;
    return sign ? withSignature(sign, asked, host) : asked;
  },
  take(task, answer, host) {
    const { jar, ...result } = answer as unknown as HttpResult;
    if (isUncertain(task, result)) host.mayHaveHappened();
    if (task.mode === 'notify') return undefined;
    if (jar) host.changeCookies((before) => withAnswer(before, jar));
    const seen = jar ? (result as unknown as Json) : answer;
    if (task.resultVar !== undefined) host.setVar(task.resultVar, seen);
    return task.errorMapping && !result.ok ? mapError(task.errorMapping, seen, host) : undefined;
  },
};

/** Whether an unsafe call may have happened although it failed: it broke off, or an earlier attempt may have. */
function isUncertain({ method, retry }: HttpCallTask, { ok, error }: HttpResult): boolean {
  if (ok || safeMethods.has(method)) return false;
  return error !== undefined || retry?.retryOn.includes('NETWORK_ERROR') === true;
}

function effect(task: HttpCallTask, mapped: Json | undefined, host: TaskHost): TaskEffect {
  const headers = requestHeaders(task, host);
  const body = bodyText(task, mapped, headers, host);
  const request = buildRequest(task, headers, body, host);
  const run = task.run ?? host.callMode(task.method, originOf(request.url));
  return {
    name: 'http',
    input: request as unknown as Json,
    about: aboutCall(request),
    safe: safeMethods.has(task.method),
    budgetMs: (task.timeoutMs + slackMs) * (task.retry?.maxAttempts ?? 1) + waitBudget(retryOf(task, host)),
    ...(run && { run }),
    // Headers of the request stay where it is, so the call is made from there.
    ...(host.request?.passes && { request: host.request }),
  };
}

/** What is signed may depend on the whole request; the signature itself is made where the secret is. */
async function withSignature(
  { over, ...sign }: NonNullable<HttpCallTask['sign']>,
  asked: TaskEffect | Promise<TaskEffect>,
  host: TaskHost,
): Promise<TaskEffect> {
  const effect = await asked;
  const { method, url, headers, body = null } = effect.input as unknown as HttpRequest;
  const request = { method, url, path: url.replace(/^https?:\/\/[^/?#]*/i, ''), headers, body };
  const signed = over && (await host.evaluate(over, 'mapper', { request }));
  if (over && typeof signed !== 'string') refuse('HTTP_SIGN', 'What is signed must be a text.');
  const input = { ...(effect.input as JsonObject), sign: { ...sign, ...(over && { over: signed as string }) } };
  return { ...effect, input };
}

async function mapError(
  { mapper, target }: NonNullable<HttpCallTask['errorMapping']>,
  payload: Json,
  host: TaskHost,
): Promise<void> {
  host.writeTarget(target, await host.evaluate(mapper, 'mapper', { payload }));
}

const longestAddress = 120;

/** The method and the address, without what a query may hold. */
function aboutCall({ method, url }: HttpRequest): string {
  const address = url.replace(/^https?:\/\//i, '').replace(/[?#].*$/s, '');
  return `${method} ${address.length > longestAddress ? `${address.slice(0, longestAddress)}…` : address}`;
}

function originOf(url: string): string {
  return /^https?:\/\/[^/?#]*/i.exec(url)?.[0].toLowerCase() ?? '';
}

/** The policy of a call. A run that began before there was a floor between attempts goes on without it. */
function retryOf({ retry }: HttpCallTask, host: TaskHost): CallRetry | undefined {
  return retry && pacesAttempts(host.interpreter) ? paced(retry) : retry;
}

/** The longest that the policy's delays between attempts can take together. */
function waitBudget(retry: CallRetry | undefined): number {
  if (!retry) return 0;
  return Math.max(retry.backoff.maxDelayMs, retry.paced ? pacedMs : 0) * (retry.maxAttempts - 1);
}

function requestHeaders(task: HttpCallTask, host: TaskHost): Record<string, string> {
  const headers: Record<string, string> = Object.create(null);
  headers.accept = task.accept;
  for (const [name, value] of Object.entries(task.headers)) {
    headers[name.toLowerCase()] = headerValue(host.interpolate(value));
  }
  if (!safeMethods.has(task.method)) headers['idempotency-key'] ??= host.idempotencyKey;
  return headers;
}

function buildRequest(
  task: HttpCallTask,
  headers: Record<string, string>,
  body: string | undefined,
  host: TaskHost,
): HttpRequest {
  const { trace } = host;
  const retry = retryOf(task, host);
  return {
    method: task.method,
    url: buildUrl(task, host),
    headers,
    ...(body === undefined ? {} : { body }),
    timeoutMs: task.timeoutMs,
    mode: task.mode,
    ...(task.operation && { operation: task.operation }),
    ...(retry && { retry }),
    ...(task.authPolicy && { auth: task.authPolicy }),
    ...(host.cookies && { jar: { ...host.cookies, send: task.useJar !== false } }),
    ...(trace && { trace }),
  };
}

function buildUrl(task: HttpCallTask, host: TaskHost): string {
  const path = new Map(Object.entries(task.path));
  const base = host.interpolate(task.url).replace(/\{([^{}]+)\}/g, (slot, name: string) => {
    const template = path.get(name);
    if (template === undefined) return slot;
    const value = host.interpolate(template);
    // Without it, the path is that of something else: all things instead of one.
    if (value === '' && refusesEmptyPaths(host.interpreter))
      refuse('HTTP_PATH_EMPTY', `The parameter "${name}" is an empty text.`);
    return percentEncoded(value);
  });
  if (!/^https?:\/\//i.test(base)) refuse('HTTP_URL', 'The URL of a call must be absolute (http:// or https://).');
  const query = Object.entries(task.query).map(
    ([name, value]) => `${percentEncoded(name)}=${percentEncoded(host.interpolate(value))}`,
  );
  if (query.length === 0) return base;
  // Everything from # on stays with the caller, so a query after it would not reach the service.
  const [address = ''] = base.split('#');
  return `${address}${address.includes('?') ? '&' : '?'}${query.join('&')}`;
}

/** The text of the body, with the content type that goes with it; `mapped` is what its mapper gave. */
function bodyText(
  { body }: HttpCallTask,
  mapped: Json | undefined,
  headers: Record<string, string>,
  host: TaskHost,
): string | undefined {
  if (!body) return undefined;
  if ('text' in body) {
    const json = /\bjson\b/i.test(headers['content-type'] ?? '');
    return host.interpolate(body.text, json ? intoJson(body.text) : undefined);
  }
  const value = 'json' in body ? body.json : mapped;
  headers['content-type'] ??= 'application/json';
  return typeof value === 'string' && !/\bjson\b/i.test(headers['content-type']) ? value : JSON.stringify(value);
}

/**
 * Inside a JSON text a placeholder must not be able to end the string it stands in. Outside a string, a value that is not
 * text goes in as JSON.
 */
function intoJson(template: string): Encode {
  let at = 0;
  let quoted = false;
  return (text, value, offset) => {
    for (; at < offset; at++) {
      if (template[at] === '"') quoted = !quoted;
      else if (template[at] === '\\' && quoted) at++;
    }
    return quoted || typeof value === 'string' ? JSON.stringify(text).slice(1, -1) : text;
  };
}

function headerValue(text: string): string {
  if (/[\r\n\0]/.test(text)) refuse('HTTP_HEADER', 'A header value contains a line break.');
  return text;
}
