import { randomUUID } from 'node:crypto';
import type { Request, Response } from 'express';
import type { Definition } from '../definition/definition.js';
import { refuse } from '../problems/problem.js';
import type { Headers, InboundRequest } from '../service/inbound.js';
import { isIdempotencyKey } from '../service/runs.js';
import type { TraceContext } from '../service/tracing.js';
import type { Principal } from './auth/authenticate.js';

/** What the gateway knows about a request before its handler runs. */
export interface RequestFacts {
  readonly id: string;
  /** Where it came from: the peer of the connection, which may be a proxy. */
  readonly address: string;
  principal: Principal;
  /** The caller's certificate, as PEM. */
  certificate(): string | undefined;
  /** Where what it starts stands in a trace. */
  trace?: TraceContext;
  /** The run that it started or is about, for the log. */
  run?: string;
  /** The code of the problem it was answered with, for the log. */
  code?: string;
  /** The journey that it is about, which may have an error envelope of its own. */
  definition?: Definition;
}

/** The facts about the request that `response` answers; the first middleware sets them. */
export function factsOf(response: Response): RequestFacts {
  return response.locals as RequestFacts;
}

/** The caller's request id if it is harmless in a log and a header, otherwise a new one. */
export function requestId(request: Request): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && /^[A-Za-z0-9._:-]{1,128}$/.test(given) ? given : randomUUID();
}

/** The sender's address. */
export function addressOf(request: Request): string {
  return request.socket.remoteAddress ?? '-';
}

/** The headers a journey may see: all but those that held keys of the gateway itself. */
export function headersOf(request: Request, principal: Principal): Headers {
  const out = Object.create(null) as Record<string, string>;
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined) out[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  for (const name of principal.consumed ?? []) delete out[name];
  return out;
}

/** What a request brings besides its body, as far as a journey may see it. */
export function inboundOf(request: Request, response: Response): InboundRequest {
  const { principal, certificate } = factsOf(response);
  const pem = certificate();
  return {
    headers: headersOf(request, principal),
    query: queryOf(request),
    ...(pem !== undefined && { certificate: pem }),
  };
}

/** The query of a request; repeated parameters are kept apart. */
export function queryOf(request: Request): URLSearchParams {
  const at = request.originalUrl.indexOf('?');
  return new URLSearchParams(at < 0 ? '' : request.originalUrl.slice(at + 1));
}

/** The Idempotency-Key header, if there is one. */
export function idempotencyKey(request: Request): string | undefined {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key === 'string' && isIdempotencyKey(key)) return key;
  return refuse('IDEMPOTENCY_KEY_INVALID', undefined, {
    hint: 'Use 1 to 255 visible ASCII characters without spaces, for example a UUID.',
  });
}
