import { maxPayloadBytes } from '../../src/base/json/size.js';
import { copy, type Json } from '../../src/base/json/value.js';
import type { CacheConfig } from '../../src/config/config-types.js';
import type { CacheRequest } from '../../src/language/tasks/cache.js';
import type { Perform } from '../../src/language/tasks/effect-interface.js';

/** Stores texts for a while. It may drop any of them at any time. */
export interface Cache {
  get(key: string): Promise<string | undefined>;
  put(key: string, text: string, ttlSeconds: number): Promise<void>;
  close(): Promise<void>;
  /** Drops all entries. Only a cache of this process alone can do that. */
  forget?(): void;
}

/** The logger methods that a cache uses, compatible with pino. */
export interface CacheLog {
  warn(fields: object, message: string): void;
}

/** Creates the configured cache: Redis, or this process's memory. `password` reads the password for Redis. */
export function createCache(config: CacheConfig, log: CacheLog, password?: () => string): Cache {
  return config.redis === undefined
    ? new MemoryCache(config.maxEntries, config.maxBytes)
    : new RedisCache(config.redis, config, log, password);
}

/**
 * The effect `cache`. A missing entry is null. So is an entry that cannot be read: an unreachable cache or an unusable value is logged, and
 * does not fail the task.
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

/** Parses a stored text. The store may be shared, so the text can be anything; a value that is too large for a run counts as missing. */
function kept(text: string | undefined): Json {
  if (text === undefined || Buffer.byteLength(text) > maxPayloadBytes) return null;
  return copy(JSON.parse(text) as Json);
}

interface Entry {
  readonly text: string;
  readonly until: number;
  readonly size: number;
}

/** A cache in this process's memory. The least recently used entry is evicted first. */
export class MemoryCache implements Cache {
  /** The most recently used entry is last. */
  private readonly entries = new Map<string, Entry>();
  private bytes = 0;

  constructor(
    private readonly maxEntries: number,
    private readonly maxBytes: number,
    private readonly now: () => number = Date.now,
  ) {}

  async get(key: string): Promise<string | undefined> {
    const entry = this.take(key);
    if (!entry || this.now() >= entry.until) return undefined;
    this.add(key, entry);
    return entry.text;
  }

  async put(key: string, text: string, ttlSeconds: number): Promise<void> {
    this.take(key);
    const size = Buffer.byteLength(key) + Buffer.byteLength(text);
    if (size > this.maxBytes) return;
    this.add(key, { text, until: this.now() + ttlSeconds * 1_000, size });
    for (const oldest of this.entries.keys()) {
      if (this.entries.size <= this.maxEntries && this.bytes <= this.maxBytes) return;
      this.take(oldest);
    }
  }

  async close(): Promise<void> {
    this.forget();
  }

  forget(): void {
    this.entries.clear();
    this.bytes = 0;
  }

  private add(key: string, entry: Entry): void {
    this.entries.set(key, entry);
    this.bytes += entry.size;
  }

  private take(key: string): Entry | undefined {
    const entry = this.entries.get(key);
    if (entry) this.bytes -= entry.size;
    this.entries.delete(key);
    return entry;
  }
}

/** Delay between two attempts to connect to an unreachable server. */
const longestPauseMs = 5_000;

/** A cache in Redis, shared by all workers. It connects on first use, and again when the connection is lost. */
class RedisCache implements Cache {
  private link: Link | undefined;
  /** Loaded only for a cache in Redis, because it has five hundred modules. */
  private readonly library = import('@redis/client');

  constructor(
    private readonly url: string,
    private readonly config: Pick<CacheConfig, 'prefix' | 'timeoutMs'>,
    private readonly log: CacheLog,
    private readonly password?: () => string,
  ) {}

  async get(key: string): Promise<string | undefined> {
    return (await this.within((client) => client.get(this.named(key)))) ?? undefined;
  }

  async put(key: string, text: string, ttlSeconds: number): Promise<void> {
    await this.within((client) => client.set(this.named(key), text, { expiration: { type: 'EX', value: ttlSeconds } }));
  }

  async close(): Promise<void> {
    const { link } = this;
    this.link = undefined;
    link?.client.destroy();
  }

  private named(key: string): string {
    return `${this.config.prefix}${key}`;
  }

  /** Runs a command with a timeout, so that a slow cache does not delay a task. */
  private async within<T>(ask: (client: Client) => Promise<T>): Promise<T> {
    const { timeoutMs } = this.config;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`Redis gave no answer within ${timeoutMs} ms`)), timeoutMs);
    });
    try {
      return await Promise.race([this.connected().then(ask), late]);
    } finally {
      clearTimeout(timer);
    }
  }

  private async connected(): Promise<Client> {
    const { createClient } = await this.library;
    this.link ??= open(createClient, this.url, this.log, this.password);
    const { client, isAway, connecting } = this.link;
    // Waiting for the reconnect would cost every call its full timeout for as long as the server is unreachable.
    if (isAway()) throw new Error('Redis is away');
    await connecting;
    return client;
  }
}

type CreateClient = typeof import('@redis/client').createClient;
type Client = ReturnType<typeof clientOf>;

interface Link {
  readonly client: Client;
  /** Resolves once the first connection is open, after any number of attempts. */
  readonly connecting: Promise<unknown>;
  readonly isAway: () => boolean;
}

function open(createClient: CreateClient, url: string, log: CacheLog, password: (() => string) | undefined): Link {
  const client = clientOf(createClient, url, password);
  let trouble: string | undefined;
  client.on('ready', () => {
    trouble = undefined;
  });
  client.on('error', (error: Error) => {
    const reason = reasonOf(error);
    if (trouble !== reason) log.warn({ code: reason }, 'The connection to Redis is lost');
    trouble = reason;
  });
  const connecting = client.connect();
  connecting.catch(() => undefined);
  return { client, connecting, isAway: () => trouble !== undefined && !client.isReady };
}

/** Credentials for one connection. The password is read each time, so that a rotated one is used; the user name is part of the URL. */
function clientOf(createClient: CreateClient, url: string, password: (() => string) | undefined) {
  const at = new URL(url);
  const username = decodeURIComponent(at.username);
  // If the URL contains credentials, the client uses only those and would log in without the password.
  at.username = '';
  return createClient({
    url: at.href,
    // Without a connection a command fails at once instead of waiting in a queue that grows.
    disableOfflineQueue: true,
    socket: { reconnectStrategy: (tries) => Math.min(100 * 2 ** tries, longestPauseMs) },
    credentialsProvider: {
      type: 'async-credentials-provider',
      credentials: async () => ({
        ...(username && { username }),
        ...(password && { password: password() }),
      }),
    },
  });
}

/** The code of a system error, of Redis (the first word of its message, like WRONGPASS) or of a problem; never a text that could hold a secret. */
function reasonOf(error: Error): string {
  const { code, problem } = error as { code?: unknown; problem?: { code: string } };
  if (problem) return problem.code;
  if (typeof code === 'string') return code;
  return /^[A-Z]{4,}(?= )/.exec(error.message)?.[0] ?? error.constructor.name;
}
