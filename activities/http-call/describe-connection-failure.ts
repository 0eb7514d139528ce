import type { HttpResult } from '../../src/language/tasks/http-call/request-and-result-types.js';

/** The failure of a call without a usable response; becomes the `error` of its result. */
export class CallFailure extends Error {
  override readonly name = 'CallFailure';
  constructor(
    readonly type: 'TIMEOUT' | 'NETWORK',
    message: string,
    /** The code to log. */
    readonly code: string,
    /** Not retried, because a retry would fail in the same way. */
    readonly nonRetryable = false,
    /** Whether the service may have received the request. */
    readonly sent = true,
  ) {
    super(message);
  }
}

/** The result of a call without a usable response. */
export function failureResult({ type, message, code }: CallFailure): HttpResult {
  const named = /^(SECRET_|EGRESS_REFUSED$)/.test(code) && { code };
  return { ok: false, headers: {}, body: null, error: { type, message, ...named } };
}

/**
 * Converts any error to a failure that can be shown. Messages of libraries are never passed on: they may quote the request, and the text
 * that a journey sees must not depend on a library's wording.
 */
export function toCallFailure(error: unknown): CallFailure {
  if (error instanceof CallFailure) return error;
  const code = errorCode(error);
  if (code === 'EGRESS_REFUSED') {
    return new CallFailure('NETWORK', `refused by the egress policy: ${(error as Error).message}`, code, true, false);
  }
  const sent = !wasNotSent(error, code);
  if (timeouts.has(code))
    return new CallFailure('TIMEOUT', 'the connection could not be opened in time', code, false, sent);
  return new CallFailure('NETWORK', networkMessage(code), code, unsendable.has(code), sent);
}

/** Whether the error proves that no byte of the request was sent: there was no connection. */
function wasNotSent(error: unknown, code: string): boolean {
  const { syscall, errors } = (error ?? {}) as { syscall?: unknown; errors?: readonly unknown[] };
  if (unsendable.has(code) || unconnected.has(code) || syscall === 'connect') return true;
  if (/^(ERR_TLS_CERT|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)/.test(code)) return true;
  // Several addresses were tried, and none answered.
  return Array.isArray(errors) && errors.length > 0 && errors.every((it) => wasNotSent(it, errorCode(it)));
}

/** The error's code, or its class if it has none (most likely our own mistake). */
function errorCode(error: unknown): string {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  return [code, name].find((it): it is string => typeof it === 'string' && /^[A-Z]\w*$/.test(it)) ?? 'UNKNOWN';
}

function networkMessage(code: string): string {
  const known = messages[code];
  if (known !== undefined) return known;
  if (code.startsWith('HPE_') || code === 'HTTPParserError') return 'the answer is not valid HTTP';
  if (/CERT|TLS|SSL|SELF_SIGNED/.test(code)) return `the TLS connection failed (${code})`;
  return `network error (${code})`;
}

const timeouts = new Set(['UND_ERR_CONNECT_TIMEOUT', 'ETIMEDOUT']);

/** Codes of connections that were never opened. */
const unconnected = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

const unsendable = new Set(['UND_ERR_INVALID_ARG', 'UND_ERR_NOT_SUPPORTED']);

const messages: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was closed by the other side',
  UND_ERR_SOCKET: 'the connection was closed by the other side',
  ENOTFOUND: 'the host name is unknown',
  EAI_AGAIN: 'the host name could not be resolved',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  UND_ERR_HEADERS_OVERFLOW: 'the response headers are too large',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the response ended early',
  UND_ERR_INVALID_ARG: 'the request cannot be sent: its method, path or a header is not valid',
  UND_ERR_NOT_SUPPORTED: 'the request cannot be sent: it uses something that is not supported',
};
