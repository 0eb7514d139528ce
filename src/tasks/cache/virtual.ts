import { copy, type Json } from '../../json/value.js';
import type { VirtualEffect } from '../virtual.js';
import type { CacheRequest } from './run.js';

/** As the real one keeps values when nobody says how long. */
const defaultTtlSeconds = 3_600;

/** A cache of the run's own, empty at its start, on the virtual clock. */
export function virtualCache(): VirtualEffect {
  const entries = new Map<string, { value: Json; until: number }>();
  return async (input, _budgetMs, world) => {
    const request = input as CacheRequest;
    if ('get' in request) {
      const found = entries.get(request.get);
      return found && world.now() < found.until ? copy(found.value) : null;
    }
    const until = world.now() + (request.ttlSeconds ?? defaultTtlSeconds) * 1_000;
    entries.set(request.put, { value: copy(request.value), until });
    return null;
  };
}
