import { randomUUID } from 'node:crypto';
import type { Request, Response } from 'express';
import { refuse } from '../base/problems/problem.js';
import type { Definition } from '../engine/definition/definition.js';
import type { Headers, InboundRequest } from '../service/inbound-request.js';
import { isIdempotencyKey } from '../service/runs-interface.js';
import type { TraceContext } from '../service/tracer-interface.js';
import type { Principal } from './auth/authenticate.js';

/** Facts about a request, set before its handler runs. */
export interface RequestFacts {
  readonly id: string;
  /** Address of the connection's peer, which may be a proxy. */
  readonly address: string;
  principal: Principal;
  /** The caller's certificate as PEM. */
  certificate(): string | undefined;
  /** Trace context for runs that it starts. */
  trace?: TraceContext;
  /** The run that it started or concerns, for the log. */
  run?: string;
  /** The code of the problem in the response, for the log. */
  code?: string;
  /** The path template of its Api, which is not a route of express. */
  route?: string;
  /** The journey that it concerns, which may have its own error envelope. */
  definition?: Definition;
}

/** The facts about a request; set by the first middleware. */
export function factsOf(response: Response): RequestFacts {
  return response.locals as RequestFacts;
}

/** The caller's request id if it is safe in logs and headers, otherwise a new one. */
export function requestId(request: Request): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && /^[A-Za-z0-9._:-]{1,128}$/.test(given) ? given : randomUUID();
}

/** The sender's address. */
export function addressOf(request: Request): string {
  return request.socket.remoteAddress ?? '-';
}

/** The headers that a journey may see: all except those with keys of the gateway. */
export function headersOf(request: Request, principal: Principal): Headers {
  const out = Object.create(null) as Record<string, string>;
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined) out[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  for (const name of principal.consumed ?? []) delete out[name];
  return out;
}

/** The parts of a request besides its body that a journey may see. */
export function inboundOf(request: Request, response: Response): InboundRequest {
  const { principal, certificate } = factsOf(response);
  const pem = certificate();
  return {
    headers: headersOf(request, principal),
    query: queryOf(request),
    ...(pem !== undefined && { certificate: pem }),
  };
}

/** The query of a request; repeated parameters are kept. */
export function queryOf(request: Request): URLSearchParams {
  const at = request.originalUrl.indexOf('?');
  return new URLSearchParams(at < 0 ? '' : request.originalUrl.slice(at + 1));
}

/** The Idempotency-Key header, if present. */
export function idempotencyKey(request: Request): string | undefined {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key === 'string' && isIdempotencyKey(key)) return key;
  return refuse('IDEMPOTENCY_KEY_INVALID', undefined, {
    hint: 'Use 1 to 255 visible ASCII characters without spaces, for example a UUID.',
  });
}
