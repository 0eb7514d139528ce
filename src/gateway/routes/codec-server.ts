import type { Request, RequestHandler } from 'express';
import { isObject, type JsonObject } from '../../base/json/value.js';
import { ProblemError, refuse } from '../../base/problems/problem.js';
import { objectBody, readBody } from '../request-body.js';
import type { Route } from '../route.js';

/** A Temporal payload in JSON, with bytes in base64. */
export interface WirePayload {
  readonly metadata?: Readonly<Record<string, string>>;
  readonly data?: string;
}

/** Encrypts and decrypts payloads for Temporal's tools. */
export interface Codec {
  /** Origins of the Web UIs that may use it. */
  readonly origins: readonly string[];
  encode(payloads: WirePayload[]): Promise<WirePayload[]>;
  decode(payloads: WirePayload[]): Promise<WirePayload[]>;
}

const base = '/codec';
/** A request contains whole payloads in base64, each up to 2 MiB; only operators may send them. */
const bodyLimit = 16 * 1024 * 1024;

/**
 * Codec server for Temporal's Web UI and CLI (`--codec-endpoint …/codec`). Decrypting reveals the data of runs, so it requires the role
 * operator. No routes without encryption.
 */
export function codecRoutes({ codec }: { codec?: Codec }): Route[] {
  if (!codec) return [];
  return (['encode', 'decode'] as const).map((direction) => ({
    method: 'post',
    path: `${base}/${direction}`,
    roles: ['operator'],
    origins: codec.origins,
    body: readBody(bodyLimit),
    async answer(request, response) {
      const payloads = await codec[direction](payloadsOf(request)).catch(unreadable);
      response.json({ payloads });
    },
  }));
}

function payloadsOf(request: Request): WirePayload[] {
  // Temporal's CLI leaves an empty list out.
  const { payloads = [] } = objectBody(request);
  if (Array.isArray(payloads) && payloads.every(isWirePayload)) return payloads as WirePayload[];
  return refuse('PAYLOADS_INVALID', undefined, {
    pointer: '/payloads',
    hint: 'Send {"payloads": [{"metadata": {"encoding": "…"}, "data": "…"}]} with bytes in base64.',
  });
}

const base64 = /^[A-Za-z0-9+/_-]*={0,2}$/;

function isWirePayload(value: unknown): boolean {
  if (!isObject(value as JsonObject)) return false;
  const { metadata = {}, data = '' } = value as JsonObject;
  if (typeof data !== 'string' || !isObject(metadata)) return false;
  return [data, ...Object.values(metadata)].every((it) => typeof it === 'string' && base64.test(it));
}

/** Reports invalid payloads as the caller's error. */
function unreadable(error: unknown): never {
  if (error instanceof ProblemError) refuse('PAYLOADS_INVALID', error.message);
  throw error;
}

/** CORS for the configured Web UIs. */
export function codecAccess({ codec }: { codec?: Codec }): RequestHandler {
  const origins = new Set(codec?.origins);
  return (request, response, next) => {
    const { origin } = request.headers;
    if (origin === undefined || !origins.has(origin) || !request.path.startsWith(`${base}/`)) return next();
    response.set({
      'Access-Control-Allow-Origin': origin,
      'Access-Control-Allow-Credentials': 'true',
      Vary: 'Origin',
    });
    if (request.method !== 'OPTIONS') return next();
    response.set({
      'Access-Control-Allow-Methods': 'POST',
      'Access-Control-Allow-Headers': 'Authorization, Content-Type, X-API-Key, X-Namespace',
      'Access-Control-Max-Age': '600',
    });
    response.status(204).end();
  };
}
