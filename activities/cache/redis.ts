import { createClient } from '@redis/client';
import type { CacheConfig } from '../../src/config/config.js';
import type { Cache, CacheLog } from './cache.js';

/** Between two attempts to reach a server that is away. */
const longestPauseMs = 5_000;

/** A cache in Redis, shared by all workers. It connects on first use, and again when the connection is lost. */
export class RedisCache implements Cache {
  private client: Client | undefined;
  private connecting: Promise<unknown> | undefined;

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
    const { client } = this;
    this.client = undefined;
    this.connecting = undefined;
    client?.destroy();
  }

  private named(key: string): string {
    return `${this.config.prefix}${key}`;
  }

  /** Nobody waits for a cache: after its time, the answer is given up. */
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
    this.client ??= open(this.url, this.log, this.password?.());
    const { client } = this;
    this.connecting ??= client.connect().catch((error) => {
      this.connecting = undefined;
      throw error;
    });
    await this.connecting;
    return client;
  }
}

type Client = ReturnType<typeof open>;

function open(url: string, log: CacheLog, password: string | undefined) {
  const client = createClient({
    url,
    // Without a connection a command fails at once instead of waiting in a queue that grows.
    disableOfflineQueue: true,
    socket: { reconnectStrategy: (tries) => Math.min(100 * 2 ** tries, longestPauseMs) },
    ...(password !== undefined && { password }),
  });
  let isAway = false;
  client.on('ready', () => {
    isAway = false;
  });
  client.on('error', (error: Error) => {
    if (!isAway) log.warn({ code: (error as { code?: string }).code }, 'The connection to Redis is lost');
    isAway = true;
  });
  return client;
}
