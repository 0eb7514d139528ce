import type { HttpCallTask } from '../../definition/definition.js';
import type { Encode } from '../../engine/interpolate.js';
import type { TaskEffect, TaskSite } from '../../engine/task-host.js';
import type { Json } from '../../json/value.js';
import { refuse } from '../../problems/problem.js';
import type { TaskExecutor } from '../executors.js';
import { type HttpRequest, type HttpResult, safeMethods } from './request.js';

/** Calls an HTTP service; what comes back, good or bad, is data in `context.<resultVar>`. */
export const httpCall: TaskExecutor<HttpCallTask> = {
  kind: 'httpCall:v1',
  ask(task, site) {
    const mapped = task.body && 'mapper' in task.body ? site.evaluate(task.body.mapper, 'mapper') : undefined;
    return mapped instanceof Promise ? mapped.then((body) => effect(task, body, site)) : effect(task, mapped, site);
  },
  take(task, answer, site) {
    if (task.mode === 'notify') return undefined;
    if (task.resultVar !== undefined) site.setVar(task.resultVar, answer);
    const { ok } = answer as unknown as HttpResult;
    return task.errorMapping && !ok ? mapError(task.errorMapping, answer, site) : undefined;
  },
};

function effect(task: HttpCallTask, mapped: Json | undefined, site: TaskSite): TaskEffect {
  const headers = requestHeaders(task, site);
  const body = bodyText(task, mapped, headers, site);
  const request = buildRequest(task, headers, body, site);
  const run = task.run ?? site.callMode(task.method, originOf(request.url));
  return {
    name: 'http',
    input: request as unknown as Json,
    safe: safeMethods.has(task.method),
    budgetMs: task.timeoutMs * (task.retry?.maxAttempts ?? 1) + waitBudget(task),
    ...(run && { run }),
  };
}

async function mapError(
  { mapper, target }: NonNullable<HttpCallTask['errorMapping']>,
  payload: Json,
  site: TaskSite,
): Promise<void> {
  site.writeTarget(target, await site.evaluate(mapper, 'mapper', { payload }));
}

function originOf(url: string): string {
  return /^https?:\/\/[^/?#]*/i.exec(url)?.[0].toLowerCase() ?? '';
}

/** The longest that the policy's delays between attempts can take together. */
function waitBudget({ retry }: HttpCallTask): number {
  return retry ? retry.backoff.maxDelayMs * (retry.maxAttempts - 1) : 0;
}

function requestHeaders(task: HttpCallTask, site: TaskSite): Record<string, string> {
  const headers: Record<string, string> = Object.create(null);
  headers.accept = task.accept;
  for (const [name, value] of Object.entries(task.headers)) {
    headers[name.toLowerCase()] = headerValue(site.interpolate(value));
  }
  if (!safeMethods.has(task.method)) headers['idempotency-key'] ??= site.idempotencyKey;
  return headers;
}

function buildRequest(
  task: HttpCallTask,
  headers: Record<string, string>,
  body: string | undefined,
  site: TaskSite,
): HttpRequest {
  return {
    method: task.method,
    url: buildUrl(task, site),
    headers,
    ...(body === undefined ? {} : { body }),
    timeoutMs: task.timeoutMs,
    mode: task.mode,
    ...(task.operation && { operation: task.operation }),
    ...(task.retry && { retry: task.retry }),
  };
}

function buildUrl(task: HttpCallTask, site: TaskSite): string {
  const path = new Map(Object.entries(task.path));
  const base = site.interpolate(task.url).replace(/\{([^{}]+)\}/g, (slot, name: string) => {
    const template = path.get(name);
    return template === undefined ? slot : percentEncoded(site.interpolate(template));
  });
  if (!/^https?:\/\//i.test(base)) refuse('HTTP_URL', 'The URL of a call must be absolute (http:// or https://).');
  const query = Object.entries(task.query).map(
    ([name, value]) => `${percentEncoded(name)}=${percentEncoded(site.interpolate(value))}`,
  );
  if (query.length === 0) return base;
  // Everything from # on stays with the caller, so a query behind it would not reach the service.
  const [address = ''] = base.split('#');
  return `${address}${address.includes('?') ? '&' : '?'}${query.join('&')}`;
}

/** A part of a URL. Half of a surrogate pair, which has no encoding, is replaced as it is everywhere else on the way out. */
function percentEncoded(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd'));
}

/** The text of the body, with the content type that goes with it; `mapped` is what its mapper gave. */
function bodyText(
  { body }: HttpCallTask,
  mapped: Json | undefined,
  headers: Record<string, string>,
  site: TaskSite,
): string | undefined {
  if (!body) return undefined;
  if ('text' in body) {
    const json = /\bjson\b/i.test(headers['content-type'] ?? '');
    return site.interpolate(body.text, json ? intoJson(body.text) : undefined);
  }
  const value = 'json' in body ? body.json : mapped;
  headers['content-type'] ??= 'application/json';
  return typeof value === 'string' && !/\bjson\b/i.test(headers['content-type']) ? value : JSON.stringify(value);
}

/**
 * Inside a JSON text a placeholder must not be able to end the string it stands in. Outside of a string, a value that is no text
 * stands there as the JSON it is.
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
