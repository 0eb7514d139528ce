import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Cache,
  cacheEffect,
  createCache,
  MemoryCache,
} from '../../../../activities/cache/redis-or-memory-cache.js';
import type { Json } from '../../../../src/base/json/value.js';
import { loadConfig } from '../../../../src/config/load-config.js';
import { hasRedis, type Service, startRedis } from '../../../support/services.js';

const { cache: defaults } = loadConfig({ env: {} });
const { signal } = new AbortController();

describe('in-memory cache', () => {
  it('evicts expired entries, and the least recently used one when it is full', async () => {
    let now = 0;
    const cache = new MemoryCache(2, 1_000, () => now);
    await cache.put('a', '1', 10);
    await cache.put('b', '2', 20);
    expect(await cache.get('a')).toBe('1');
    await cache.put('c', '3', 20);
    expect(await Promise.all(['a', 'b', 'c'].map((key) => cache.get(key)))).toEqual(['1', undefined, '3']);
    now = 10_000;
    expect(await Promise.all(['a', 'c'].map((key) => cache.get(key)))).toEqual([undefined, '3']);
  });

  it('is bounded in bytes, and rejects values that exceed the bound', async () => {
    const cache = new MemoryCache(100, 20);
    await cache.put('a', 'x'.repeat(10), 60);
    await cache.put('b', 'y'.repeat(10), 60);
    expect(await cache.get('a')).toBeUndefined();
    await cache.put('b', 'z'.repeat(30), 60);
    expect(await cache.get('b')).toBeUndefined();
  });
});

describe('cache:v1 effect', () => {
  it('returns null and logs a warning if the cache is unavailable or holds invalid JSON', async () => {
    const logged: string[] = [];
    const broken: Cache = {
      get: async (key) => (key === 'garbage' ? '{' : Promise.reject(new Error('away'))),
      put: () => Promise.reject(new Error('away')),
      close: async () => undefined,
    };
    const effect = cacheEffect(broken, 60, { warn: (_, message) => logged.push(message) });
    const ask = (input: Json) => effect(input, { signal });
    expect(await ask({ get: 'k' })).toBeNull();
    expect(await ask({ get: 'garbage' })).toBeNull();
    expect(await ask({ put: 'k', value: 1 })).toBeNull();
    expect(logged).toHaveLength(3);
  });
});

describe.skipIf(!hasRedis)('cache in a real Redis', () => {
  let redis: Service;
  const logged: string[] = [];
  const log = { warn: (_: object, message: string) => logged.push(message) };
  let cache: Cache;
  beforeAll(async () => {
    redis = await startRedis();
    cache = createCache({ ...defaults, redis: `redis://${redis.address}`, timeoutMs: 20_000 }, log);
  });
  afterAll(async () => {
    await cache.close();
    await redis.stop();
  });

  it('is shared by all processes, stores JSON and expires entries', async () => {
    const other = createCache({ ...defaults, redis: `redis://${redis.address}`, timeoutMs: 20_000 }, log);
    const value = { name: 'Ada', list: [1, null, '\u2603'] };
    await cacheEffect(cache, 60, log)({ put: 'user/1', value }, { signal });
    expect(await cacheEffect(other, 60, log)({ get: 'user/1' }, { signal })).toEqual(value);
    expect(await cacheEffect(other, 60, log)({ get: 'user/2' }, { signal })).toBeNull();
    await cache.put('short', '1', 1);
    await expect.poll(() => other.get('short'), { timeout: 20_000, interval: 100 }).toBeUndefined();
    await other.close();
    expect(logged).toEqual([]);
  });

  it('rejects calls while Redis is down, and recovers with it', async () => {
    const effect = cacheEffect(cache, 60, log);
    const port = Number(redis.address.split(':')[1]);
    await redis.stop();
    await expect.poll(() => effect({ get: 'user/1' }, { signal })).toBeNull();
    expect(logged).not.toEqual([]);
    redis = await startRedis(port);
    await expect
      .poll(
        async () => {
          await effect({ put: 'back', value: 7 }, { signal });
          return await effect({ get: 'back' }, { signal });
        },
        { timeout: 30_000, interval: 200 },
      )
      .toBe(7);
  });

  it('reads the password for each connection, so a rotated one is used, with the user from the URL', async () => {
    const user = (password: string) => [
      '--user',
      'default',
      'off',
      '--user',
      'app',
      'on',
      `>${password}`,
      '~*',
      '+@all',
    ];
    let guarded = await startRedis(undefined, user('old'));
    const port = Number(guarded.address.split(':')[1]);
    let password = 'old';
    const warnings: object[] = [];
    const mine = createCache(
      { ...defaults, redis: `redis://app@${guarded.address}`, timeoutMs: 20_000 },
      { warn: (fields) => warnings.push(fields) },
      () => password,
    );
    await mine.put('k', '1', 60);
    expect(await mine.get('k')).toBe('1');
    await guarded.stop();
    guarded = await startRedis(port, user('new'));
    await expect.poll(() => warnings, { timeout: 30_000 }).toContainEqual({ code: 'WRONGPASS' });
    // A server that rejects our login does not block callers.
    await expect(mine.get('k')).rejects.toThrow('Redis is away');
    password = 'new';
    await expect.poll(() => mine.get('k').catch(() => 'away'), { timeout: 30_000, interval: 200 }).toBeUndefined();
    expect(JSON.stringify(warnings)).not.toContain('old');
    await mine.close();
    await guarded.stop();
  });
});
