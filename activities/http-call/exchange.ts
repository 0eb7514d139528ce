import type { Dispatcher } from 'undici';
import { jsonBytes, payloadBytes } from '../../src/json/size.js';
import { type HttpRequest, type HttpResult, safeMethods } from '../../src/tasks/http-call/request.js';
import { decodeBody, decompress, readBytes, tooLarge } from './body.js';
import { CallFailure } from './failure.js';

/** Headers that belong to the connection or follow from the URL and the body, so that an author's value would only do harm. */
const transportHeaders = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Bytes of an unwanted response that are read anyway, to keep the connection. */
const discardLimit = 65_536;

/** Node fires a timer beyond this at once. */
const longestTimer = 2 ** 31 - 1;

/** Where a request really goes: after `http.rewrite`, and admitted by the egress policy. */
export interface Destination {
  readonly origin: string;
  readonly path: string;
}

/** One HTTP exchange, from connecting to the last byte of the answer. Throws when there is no usable answer. */
export async function exchange(
  connections: Dispatcher,
  outgoing: Dispatcher.RequestOptions,
  limit: number,
): Promise<HttpResult> {
  const { statusCode, headers: raw, body } = await connections.request(outgoing);
  const headers = flatten(raw);
  const bodiless = outgoing.method === 'HEAD' || statusCode === 204 || statusCode === 304;
  const packed = await readBytes(body, bodiless ? 0 : Number(headers['content-length'] ?? 0), limit);
  const encoding = headers['content-encoding'];
  const bytes = bodiless || encoding === undefined ? packed : await decompress(packed, encoding, limit);
  const decoded = decodeBody(bytes, headers['content-type']);
  // One byte becomes at most six on its way to the run, as `\u0001` does; and `1e20` is written out.
  if (bytes.length * 6 > payloadBytes && jsonBytes(decoded) > payloadBytes) throw tooLarge(payloadBytes);
  return {
    ok: statusCode >= 200 && statusCode < 300,
    status: statusCode,
    headers,
    body: decoded,
  };
}

/** Sends a request and calls back with the status as soon as there is one; the rest of the answer is thrown away. */
export async function dispatch(
  connections: Dispatcher,
  outgoing: Dispatcher.RequestOptions,
  answered: (status: number) => void,
): Promise<void> {
  const { statusCode, body } = await connections.request(outgoing);
  answered(statusCode);
  await body.dump({ limit: discardLimit }).catch(() => {});
}

/** A request as it goes out. */
export function outgoingRequest(
  request: HttpRequest,
  { origin, path }: Destination,
  userAgent: string,
  signal: AbortSignal,
): Dispatcher.RequestOptions {
  const headers: Record<string, string> = Object.create(null);
  headers['user-agent'] = userAgent;
  headers['accept-encoding'] = 'gzip, deflate, br';
  for (const [name, value] of Object.entries(request.headers)) {
    if (!transportHeaders.has(name.toLowerCase())) headers[name.toLowerCase()] = value;
  }
  const body = safeMethods.has(request.method) ? undefined : request.body;
  return {
    origin,
    path,
    method: request.method as Dispatcher.HttpMethod,
    headers,
    body: body ?? null,
    signal,
  };
}

/** Runs `work` with a signal that is aborted after `ms` or together with `outer`. */
export async function withTimeout<T>(
  ms: number,
  outer: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const expire = () => controller.abort(new CallFailure('TIMEOUT', `no complete answer within ${ms} ms`, 'TIMEOUT'));
  const timer = setTimeout(expire, Math.min(ms, longestTimer));
  const follow = () => controller.abort(outer?.reason);
  if (outer?.aborted) follow();
  outer?.addEventListener('abort', follow);
  try {
    return await work(controller.signal);
  } catch (error) {
    throw controller.signal.aborted ? controller.signal.reason : error;
  } finally {
    clearTimeout(timer);
    outer?.removeEventListener('abort', follow);
  }
}

/** One value per name. Cookies may contain commas, so several `set-cookie` are kept apart by line breaks. */
function flatten(raw: Record<string, string | string[] | undefined>): Record<string, string> {
  const headers: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries(raw)) {
    if (value === undefined) continue;
    headers[name] = Array.isArray(value) ? value.join(name === 'set-cookie' ? '\n' : ', ') : value;
  }
  return headers;
}
