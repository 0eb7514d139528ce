import type { HttpResult } from '../../src/tasks/http-call/request.js';

/** Why a call has no usable answer; becomes the `error` of its result. */
export class CallFailure extends Error {
  override readonly name = 'CallFailure';
  constructor(
    readonly type: 'TIMEOUT' | 'NETWORK',
    message: string,
    /** What an operator finds in the log. */
    readonly code: string,
    /** A repetition would end the same way, so no policy gets one. */
    readonly final = false,
  ) {
    super(message);
  }
}

/** The result of a call that has no usable answer. */
export function failed({ type, message, code }: CallFailure): HttpResult {
  const named = code.startsWith('SECRET_') && { code };
  return { ok: false, headers: {}, body: null, error: { type, message, ...named } };
}

/**
 * Any error as a failure that can be shown. Messages of the libraries below are never passed on: they may quote what was
 * sent, and what a journey sees should not depend on a library's wording.
 */
export function callFailure(error: unknown): CallFailure {
  if (error instanceof CallFailure) return error;
  const code = errorCode(error);
  if (code === 'EGRESS_REFUSED') {
    return new CallFailure('NETWORK', `refused by the egress policy: ${(error as Error).message}`, code, true);
  }
  if (timeouts.has(code)) return new CallFailure('TIMEOUT', 'the connection could not be opened in time', code);
  return new CallFailure('NETWORK', networkMessage(code), code, unsendable.has(code));
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
