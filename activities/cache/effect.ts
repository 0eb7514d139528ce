import { payloadBytes } from '../../src/json/size.js';
import { copy, type Json } from '../../src/json/value.js';
import type { CacheRequest } from '../../src/tasks/cache/run.js';
import type { Perform } from '../../src/tasks/effects.js';
import type { Cache, CacheLog } from './cache.js';

/**
 * The effect `cache`. What a cache does not have is null, and so is what it cannot say: that it is away, or that what it has is of no
 * use, is for the log.
 */
export function cacheEffect(cache: Cache, defaultTtlSeconds: number, log: CacheLog): Perform {
  return async (input) => {
    const request = input as CacheRequest;
    try {
      if ('get' in request) return kept(await cache.get(request.get));
      await cache.put(request.put, JSON.stringify(request.value), request.ttlSeconds ?? defaultTtlSeconds);
    } catch (error) {
      log.warn(
        { operation: 'get' in request ? 'get' : 'put' },
        `The cache did not answer: ${(error as Error).message}`,
      );
    }
    return null;
  };
}

/** Whoever shares the store may have put anything there; what is too large for a run counts as absent. */
function kept(text: string | undefined): Json {
  if (text === undefined || Buffer.byteLength(text) > payloadBytes) return null;
  return copy(JSON.parse(text) as Json);
}
