import type { Env, Limits } from '../expressions/expression.js';
import type { Json, JsonObject } from '../json/value.js';

/**
 * Everything a journey needs from the outside. Temporal is one host, virtual time another, the gateway's process a third;
 * the same journey ends the same way on each.
 */
export interface Host {
  /** Milliseconds since the epoch. */
  now(): number;
  uuid(): string;
  random(): number;
  limits: Limits;
  timezone?: string;
}

export type { Env, Json, JsonObject };
