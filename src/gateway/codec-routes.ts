import type { Request, RequestHandler } from 'express';
import { isObject, type JsonObject } from '../json/value.js';
import { ProblemError, refuse } from '../problems/problem.js';
import { objectBody, readBody } from './body.js';
import type { Route } from './route.js';

/** A payload of Temporal's in its JSON form: bytes in base64. */
export interface WirePayload {
  readonly metadata?: Readonly<Record<string, string>>;
  readonly data?: string;
}

/** What encrypts and decrypts payloads for Temporal's own tools. */
export interface Codec {
  /** Origins of the Web UIs that may use it. */
  readonly origins: readonly string[];
  encode(payloads: WirePayload[]): Promise<WirePayload[]>;
  decode(payloads: WirePayload[]): Promise<WirePayload[]>;
}

const base = '/codec';
/** A request holds whole payloads in base64, each of up to 2 MiB; only operators send any. */
const bodyLimit = 16 * 1024 * 1024;

/**
 * A codec server as Temporal's Web UI and CLI expect it (`--codec-endpoint …/codec`). Whoever decrypts sees what runs hold, so it is for
 * operators; none where nothing is encrypted.
 */
export function codecRoutes({ codec }: { codec?: Codec }): Route[] {
  if (!codec) return [];
  return (['encode', 'decode'] as const).map((direction) => ({
    method: 'post',
    path: `${base}/${direction}`,
    roles: ['operator'],
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

/** What is wrong with payloads that somebody sends is not the gateway's fault. */
function unreadable(error: unknown): never {
  if (error instanceof ProblemError) refuse('PAYLOADS_INVALID', error.message);
  throw error;
}

/** Lets the pages of Web UIs ask: a browser sends nothing before it has heard that it may. */
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
