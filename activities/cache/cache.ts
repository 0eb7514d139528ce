import type { CacheConfig } from '../../src/config/config.js';
import { MemoryCache } from './memory.js';
import { RedisCache } from './redis.js';

/** Keeps texts for a while. It may forget any of them at any time. */
export interface Cache {
  get(key: string): Promise<string | undefined>;
  put(key: string, text: string, ttlSeconds: number): Promise<void>;
  close(): Promise<void>;
  /** Forgets all of them. Only a cache that belongs to this process alone can do that. */
  forget?(): void;
}

/** The part of a logger that a cache needs; pino's shape. */
export interface CacheLog {
  warn(fields: object, message: string): void;
}

/** The cache that the configuration names: Redis, or this process's own memory. `password` reads the one of Redis. */
export function createCache(config: CacheConfig, log: CacheLog, password?: () => string): Cache {
  return config.redis === undefined
    ? new MemoryCache(config.maxEntries, config.maxBytes)
    : new RedisCache(config.redis, config, log, password);
}
