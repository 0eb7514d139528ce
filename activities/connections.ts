import type { Config } from '../src/config/config.js';
import type { Perform } from '../src/tasks/effects.js';
import { type CacheLog, createCache } from './cache/cache.js';
import { cacheEffect } from './cache/effect.js';
import type { ReadSecret } from './http-call/client-auth.js';
import { kafkaEffect } from './kafka-publish/effect.js';
import { Publisher } from './kafka-publish/publisher.js';

/** What tasks reach besides HTTP services: the cache and Kafka. */
export interface Connections {
  readonly cache: Perform;
  readonly kafka: Perform;
  /** Empties a cache in memory. */
  forget(): void;
  close(): Promise<void>;
}

/** Secrets of the configuration itself, read where they are needed. */
export interface ConnectionSecrets {
  readonly redisPassword?: () => string;
  readonly kafkaConnection?: () => string;
  /** By reference, for tasks that name one. */
  readonly secret: ReadSecret;
}

/** Nothing is connected before it is used. */
export function createConnections(
  { cache: cacheConfig, kafka: kafkaConfig }: Pick<Config, 'cache' | 'kafka'>,
  log: CacheLog,
  secrets: ConnectionSecrets,
): Connections {
  const cache = createCache(cacheConfig, log, secrets.redisPassword);
  const publisher = new Publisher(
    kafkaConfig,
    (ref) => (ref === undefined ? secrets.kafkaConnection?.() : secrets.secret(ref).reveal()),
    log,
  );
  return {
    cache: cacheEffect(cache, cacheConfig.ttlSeconds, log),
    kafka: kafkaEffect(publisher),
    forget: () => cache.forget?.(),
    close: async () => {
      await Promise.all([cache.close(), publisher.close()]);
    },
  };
}
