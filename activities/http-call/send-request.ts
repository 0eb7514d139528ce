import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { hasHugeNumber, isNestedDeeperThan, maxDepth } from '../../src/base/json/depth-and-number-limits.js';
import { jsonBytes, maxPayloadBytes } from '../../src/base/json/size.js';
import { copy, type Json } from '../../src/base/json/value.js';
import {
  type HttpRequest,
  type HttpResult,
  safeMethods,
} from '../../src/language/tasks/http-call/request-and-result-types.js';
import { CallFailure } from './describe-connection-failure.js';

/** Headers that authors cannot set: those of the connection, and those derived from the URL and the body. */
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

/** Bytes of a discarded response that are still read, so that the connection can be reused. */
const discardLimit = 65_536;

/** Node's maximum timer delay; a longer one fires immediately. */
const longestTimer = 2 ** 31 - 1;

/** The real destination of a request: after `http.rewrite`, and allowed by the egress policy. */
export interface Destination {
  readonly origin: string;
  readonly path: string;
}

/** Sends a request and reads the whole response. Throws if there is no usable response. */
export async function sendRequest(
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
  // JSON encoding can make a byte up to six times longer (`\u0001`), and `1e20` is written in full.
  if (bytes.length * 6 > maxPayloadBytes && jsonBytes(decoded) > maxPayloadBytes) throw tooLarge(maxPayloadBytes);
  return {
    ok: statusCode >= 200 && statusCode < 300,
    status: statusCode,
    headers,
    body: decoded,
  };
}

/** Sends a request and calls back with the status as soon as it arrives; the rest of the response is discarded. */
export async function sendUntilStatus(
  connections: Dispatcher,
  outgoing: Dispatcher.RequestOptions,
  answered: (status: number) => void,
): Promise<void> {
  const { statusCode, body } = await connections.request(outgoing);
  answered(statusCode);
  await body.dump({ limit: discardLimit }).catch(() => {});
}

/** Builds the request as it is sent. */
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

/** Joins headers to one value per name. Cookies may contain commas, so several `set-cookie` are separated by line breaks. */
function flatten(raw: Record<string, string | string[] | undefined>): Record<string, string> {
  const headers: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries(raw)) {
    if (value === undefined) continue;
    headers[name] = Array.isArray(value) ? value.join(name === 'set-cookie' ? '\n' : ', ') : value;
  }
  return headers;
}

/** Maximum number of compression layers that are decoded. */
const maxEncodings = 3;

const unzip = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  br: promisify(brotliDecompress),
  deflate: async (bytes: Buffer, options: { maxOutputLength: number }): Promise<Buffer> =>
    // Servers implement `deflate` with or without a zlib header.
    ((bytes[0] as number) & 0x0f) === 8 ? promisify(inflate)(bytes, options) : promisify(inflateRaw)(bytes, options),
};

/** Reads a response to its end; closes the connection if it exceeds the limit. */
async function readBytes(body: Dispatcher.ResponseData['body'], announced: number, limit: number): Promise<Buffer> {
  if (announced > limit) {
    body.on('error', () => {}).destroy();
    throw tooLarge(limit);
  }
  try {
    return Buffer.from(await body.arrayBuffer());
  } catch (error) {
    throw (error as { code?: string }).code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE' ? tooLarge(limit) : error;
  }
}

/** Decodes a body for a journey: JSON if its content type is JSON and it parses, otherwise text; null if it is empty. */
function decodeBody(bytes: Buffer, contentType = ''): Json {
  if (bytes.length === 0) return null;
  const [media = ''] = contentType.split(';');
  if (!/^(application|text)\/json$|\+json$/i.test(media.trim())) return decodeText(bytes, contentType);
  const text = new TextDecoder().decode(bytes);
  try {
    const value = JSON.parse(text) as Json;
    // Returned as text, so that later code need not handle it.
    if (isNestedDeeperThan(value, maxDepth)) return text;
    if (hasHugeNumber(value))
      throw new CallFailure('NETWORK', 'the response has a number that is too large', 'NUMBER_TOO_LARGE', true);
    return copy(value);
  } catch (error) {
    if (error instanceof CallFailure) throw error;
    return text;
  }
}

/** Decodes the layers of compression that the content encoding lists. */
async function decompress(raw: Buffer, encoding: string, limit: number): Promise<Buffer> {
  const layers = encoding
    .toLowerCase()
    .split(',')
    .map((layer) => layer.trim())
    .filter((layer) => layer !== '' && layer !== 'identity');
  if (raw.length === 0 || layers.length === 0) return raw;
  if (layers.length > maxEncodings || !layers.every((layer) => Object.hasOwn(unzip, layer))) {
    throw new CallFailure('NETWORK', 'the response is compressed in an unknown way', 'CONTENT_ENCODING', true);
  }
  let bytes = raw;
  for (const layer of layers.reverse()) {
    if (bytes.length === 0) break;
    bytes = await unzip[layer as keyof typeof unzip](bytes, { maxOutputLength: limit }).catch((error: unknown) => {
      if ((error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(limit);
      throw new CallFailure('NETWORK', 'the response cannot be decompressed', 'CONTENT_ENCODING');
    });
  }
  return bytes;
}

function decodeText(bytes: Buffer, contentType: string): string {
  const [, quoted, plain] = /;\s*charset=(?:"([^"]+)"|([^\s;"]+))/i.exec(contentType) ?? [];
  try {
    return new TextDecoder(quoted ?? plain ?? 'utf-8').decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

/** The failure of a call whose answer has more bytes than `limit`. */
function tooLarge(limit: number): CallFailure {
  return new CallFailure('NETWORK', `the response is larger than ${limit} bytes`, 'RESPONSE_TOO_LARGE', true);
}
