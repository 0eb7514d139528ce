import { percentEncoded } from '../../../base/json/percent-encode.js';
import type { Json, JsonObject } from '../../../base/json/value.js';
import { refuse } from '../../../base/problems/problem.js';
import type { Encode } from '../../../engine/evaluate-expressions.js';
import { maxLocalActivityMs } from '../../../engine/host.js';
import type { TaskRunner } from '../../../engine/runner-interfaces.js';
import type { TaskEffect, TaskHost } from '../../../engine/task-host.js';
import { mergeAnswer } from './call-with-cookies.js';
import type { HttpCallTask } from './http-call.js';
import {
  type CallRetry,
  type HttpRequest,
  type HttpResult,
  httpInputOf,
  httpRequestOf,
  safeMethods,
} from './request-and-result-types.js';
import { minimumDelayMs, withMinimumDelay } from './retry-policy.js';

/** Time allowed for an attempt beyond its own timeout, so that late timers do not cut the last attempt short. */
const slackMs = 1_000;

/** Calls an HTTP service; the result, good or bad, is data in `context.<resultVar>`. */
export const executeHttpCall: TaskRunner<HttpCallTask> = {
  buildRequest(task, host) {
    const mapped = task.body && 'mapper' in task.body ? host.evaluate(task.body.mapper, 'mapper') : undefined;
    const asked =
      mapped instanceof Promise ? mapped.then((body) => effect(task, body, host)) : effect(task, mapped, host);
    const { sign } = task;
    return sign ? withSignature(sign, asked, host) : asked;
  },
  handleResult(task, answer, host) {
    const { jar, ...result } = answer as unknown as HttpResult;
    if (result.uncertain) host.noteUncertain(interruption(result));
    if (task.mode === 'notify') return undefined;
    if (jar) host.changeCookies((before) => mergeAnswer(before, jar));
    const seen = jar ? (result as unknown as Json) : answer;
    if (task.resultVar !== undefined) host.setVar(task.resultVar, seen);
    return task.errorMapping && !result.ok ? mapError(task.errorMapping, seen, host) : undefined;
  },
};

/** The answer of a call whose worker was lost. */
const lost: HttpResult = {
  ok: false,
  headers: {},
  body: null,
  error: { type: 'NETWORK', message: 'the worker that made the call was lost' },
  uncertain: true,
};

/** The error that interrupted a call, or the answer to its last attempt after an interrupted one. */
function interruption({ error, status }: HttpResult): string {
  return error ? `${error.code ?? error.type}: ${error.message}` : `status ${status}, after an interrupted attempt`;
}

function effect(task: HttpCallTask, mapped: Json | undefined, host: TaskHost): TaskEffect {
  const headers = requestHeaders(task, host);
  const body = bodyOf(task, mapped, headers, host);
  const request = buildRequest(task, headers, host);
  const isSafe = safeMethods.has(task.method);
  const { onUncertain } = task;
  const input = httpInputOf(request, body) as JsonObject;
  // A local activity that was lost is repeated with its workflow task, which nobody sees.
  const isOrdinary = task.timeoutMs > maxLocalActivityMs || onUncertain === 'fail';
  const run = isOrdinary ? 'activity' : (task.run ?? host.callMode(task.method, originOf(request.url)));
  return {
    name: 'http',
    // Headers that the task sets, even to their usual values, take precedence over forwarded ones.
    input: host.request?.passes ? { ...input, headers } : input,
    about: aboutCall(request),
    safe: isSafe,
    ...(!isSafe && { lost: lost as unknown as Json }),
    budgetMs: (task.timeoutMs + slackMs) * (task.retry?.maxAttempts ?? 1) + waitBudget(retryOf(task)),
    ...(run && { run }),
    // Forwarded headers stay in the process that holds the request, so that process makes the call.
    ...(host.request?.passes && { request: host.request }),
  };
}

/** The signed text may depend on the whole request; the process that has the secret creates the signature. */
async function withSignature(
  { over, ...sign }: NonNullable<HttpCallTask['sign']>,
  asked: TaskEffect | Promise<TaskEffect>,
  host: TaskHost,
): Promise<TaskEffect> {
  const effect = await asked;
  const { method, url, headers, body = null } = httpRequestOf(effect.input);
  const request = { method, url, path: url.replace(/^https?:\/\/[^/?#]*/i, ''), headers, body };
  const signed = over && (await host.evaluate(over, 'mapper', { request }));
  if (over && typeof signed !== 'string') refuse('HTTP_SIGN', 'The result of sign.over must be a text.');
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

/** The method and the address, without the query. */
function aboutCall({ method, url }: HttpRequest): string {
  const address = url.replace(/^https?:\/\//i, '').replace(/[?#].*$/s, '');
  return `${method} ${address.length > longestAddress ? `${address.slice(0, longestAddress)}…` : address}`;
}

function originOf(url: string): string {
  return /^https?:\/\/[^/?#]*/i.exec(url)?.[0].toLowerCase() ?? '';
}

function retryOf({ retry }: HttpCallTask): CallRetry | undefined {
  return retry && withMinimumDelay(retry);
}

/** The longest total delay between the attempts of a policy. */
function waitBudget(retry: CallRetry | undefined): number {
  if (!retry) return 0;
  return Math.max(retry.backoff.maxDelayMs, retry.paced ? minimumDelayMs : 0) * (retry.maxAttempts - 1);
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

function buildRequest(task: HttpCallTask, headers: Record<string, string>, host: TaskHost): HttpRequest {
  const { trace } = host;
  const retry = retryOf(task);
  return {
    method: task.method,
    url: buildUrl(task, host),
    headers,
    timeoutMs: task.timeoutMs,
    mode: task.mode,
    ...(task.operation && { operation: task.operation }),
    ...(retry && { retry }),
    ...(task.onUncertain && { onUncertain: task.onUncertain }),
    ...(task.authPolicy && { auth: task.authPolicy }),
    ...(host.cookies && { jar: { ...host.cookies, send: task.useJar !== false } }),
    ...(trace && { trace }),
  };
}

function buildUrl(task: HttpCallTask, host: TaskHost): string {
  const path = new Map(Object.entries(task.path));
  const base = host.interpolate(task.url, intoUrl(task.url)).replace(/\{([^{}]+)\}/g, (slot, name: string) => {
    const template = path.get(name);
    if (template === undefined) return slot;
    const value = host.interpolate(template);
    // An empty value would address another resource: usually the collection instead of one item.
    if (value === '') refuse('HTTP_PATH_EMPTY', `The parameter "${name}" is an empty text.`);
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

/**
 * Percent-encodes placeholders of a URL, so that none can leave its path segment or query value. A placeholder that begins the URL is
 * (the beginning of) an address and stays verbatim; one in the host accepts only a name and a port.
 */
function intoUrl(template: string): Encode {
  return (text, _, offset) => {
    const before = template.slice(0, offset);
    const after = template.slice(template.indexOf('}', offset) + 1);
    // A base URL may end with the slash that the path begins with.
    if (offset === 0) return after.startsWith('/') ? text.replace(/\/+$/, '') : text;
    if (/^(https?|\$\{[^}]*\}):\/\/[^/?#]*$/i.test(before)) {
      if (!/^[\p{L}\p{N}._:[\]-]*$/u.test(text)) refuse('HTTP_URL', 'A value in the host of a URL is not a host name.');
      return text;
    }
    if (text === '' && /^[^?#]*\/$/.test(before) && /^([/?#]|$)/.test(after))
      refuse('HTTP_PATH_EMPTY', 'A path segment of the URL is an empty text.');
    return percentEncoded(text);
  };
}

/** Returns the body, a text unless it is sent as JSON, and sets its content type; `mapped` is the result of its mapper. */
function bodyOf(
  { body }: HttpCallTask,
  mapped: Json | undefined,
  headers: Record<string, string>,
  host: TaskHost,
): Json | undefined {
  if (!body) return undefined;
  if ('text' in body) {
    const json = /\bjson\b/i.test(headers['content-type'] ?? '');
    return host.interpolate(body.text, json ? intoJson(body.text) : undefined);
  }
  const value = 'json' in body ? body.json : mapped;
  headers['content-type'] ??= 'application/json';
  if (typeof value !== 'string') return value;
  return /\bjson\b/i.test(headers['content-type']) ? JSON.stringify(value) : value;
}

/**
 * Escapes placeholders of a JSON text, so that a value cannot end the string literal that contains it. Outside a string literal, a value
 * that is not a text is inserted as JSON.
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
