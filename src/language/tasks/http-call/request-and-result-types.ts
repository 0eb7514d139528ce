import type { Json } from '../../../base/json/value.js';
import type { CallTrace } from '../../../engine/trace-context-and-run-spans.js';
import type { AuthPolicy, RetryPolicy } from '../../read/read-call-policies.js';
import type { JarAnswer, JarRequest } from './call-with-cookies.js';
import type { Signing } from './read-request-signing.js';

export type {
  AuthPolicy,
  BreakerPolicy,
  BulkheadPolicy,
  OAuthPolicy,
  RetryPolicy,
} from '../../read/read-call-policies.js';

/** A retry policy in the input of a call. */
export type CallRetry = RetryPolicy & {
  /** Attempts after the first ten are at least a second apart. */
  paced?: true;
};

/** An evaluated request. */
export interface HttpRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: string;
  timeoutMs: number;
  mode: 'requestResponse' | 'notify';
  /** `<api>.<operationId>`, where the journey named one. */
  operation?: string;
  retry?: CallRetry;
  /** Outbound authentication: references to secrets, never secrets. */
  auth?: AuthPolicy;
  /** The signature of the call, over the body unless `over` is set. */
  sign?: Signing & { over?: string };
  /** The run's cookie jar, if it has one. */
  jar?: JarRequest;
  /** The position of the call in its run's trace. The author's own `traceparent` takes precedence. */
  trace?: CallTrace;
  /** No further attempt after one that may have taken effect. */
  onUncertain?: 'fail';
  /** The number of the attempt to continue with, from 1; set when the call was handed back to its run. */
  attempt?: number;
  /** An earlier attempt may have taken effect. */
  uncertain?: boolean;
}

/**
 * The input of the effect `http`: a request without its usual values. It is in the history of each call, so it is short. A body that is not a
 * text is sent as JSON.
 */
export interface HttpInput extends Omit<HttpRequest, 'headers' | 'body' | 'timeoutMs' | 'mode'> {
  /** The header `idempotency-key`. */
  key?: string;
  headers?: Record<string, string>;
  body?: Json;
  timeoutMs?: number;
  mode?: HttpRequest['mode'];
}

/** The timeout of calls that set none. */
export const defaultTimeoutMs = 10_000;

const json = 'application/json';
const keyHeader = 'idempotency-key';

/** The request as the input of its effect. Its usual values are left out; `body` is its body if that is JSON. */
export function httpInputOf(
  { headers, body: text, timeoutMs, mode, ...request }: HttpRequest,
  body = text as Json,
): Json {
  const isJson = body !== undefined && typeof body !== 'string';
  const { [keyHeader]: key, ...others } = headers;
  const unusual = Object.entries(others).filter(
    ([name, value]) => value !== json || (name !== 'accept' && !(isJson && name === 'content-type')),
  );
  const input: HttpInput = {
    ...request,
    ...(key !== undefined && { key }),
    ...(unusual.length > 0 && { headers: Object.fromEntries(unusual) }),
    ...(body !== undefined && { body }),
    ...(timeoutMs !== defaultTimeoutMs && { timeoutMs }),
    ...(mode !== 'requestResponse' && { mode }),
  };
  return input as unknown as Json;
}

/** The request of such an input. `passed` are headers of the current request that it forwards, unless it sets them itself. */
export function httpRequestOf(input: Json, passed?: Readonly<Record<string, string>>): HttpRequest {
  const {
    key,
    headers,
    body,
    timeoutMs = defaultTimeoutMs,
    mode = 'requestResponse',
    ...request
  } = input as unknown as HttpInput;
  const isJson = body !== undefined && typeof body !== 'string';
  return {
    ...request,
    headers: {
      ...passed,
      accept: json,
      ...(isJson && { 'content-type': json }),
      ...(key !== undefined && { [keyHeader]: key }),
      ...headers,
    },
    ...(body !== undefined && { body: isJson ? JSON.stringify(body) : body }),
    timeoutMs,
    mode,
  };
}

/** The answer of the effect `http`, and the value of `resultVar`. A failed call is data, not an error. */
export interface HttpResult {
  ok: boolean;
  status?: number;
  headers: Record<string, string>;
  body: Json;
  /** `code` is set if one of our secrets is missing, so that a retry would not help. */
  error?: { type: 'TIMEOUT' | 'NETWORK'; message: string; code?: string };
  /** An unsafe call that was not ok may have taken effect: this attempt has no answer, or an earlier one had none. */
  uncertain?: true;
  /** Changes of the run's cookie jar; the journey does not see them. */
  jar?: JarAnswer;
}

/** Methods without side effects. */
export const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Marks the result of an unsafe call as uncertain or not. `sent` is false if this attempt provably sent nothing. */
export function withCertainty(request: HttpRequest, result: HttpResult, sent = true): HttpResult {
  const unanswered = result.error !== undefined && sent;
  const isUncertain = !result.ok && !safeMethods.has(request.method) && (unanswered || request.uncertain === true);
  return isUncertain ? { ...result, uncertain: true } : result;
}

/** An origin that takes this long counts as slow. For a while it is not called from local activities, because those block their run. */
export const slowMs = 2_000;
