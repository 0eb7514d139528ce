import { createClient } from '@redis/client';
import type { CacheConfig } from '../../src/config/config.js';
import type { Cache, CacheLog } from './cache.js';

/** Between two attempts to reach a server that is away. */
const longestPauseMs = 5_000;

/** A cache in Redis, shared by all workers. It connects on first use, and again when the connection is lost. */
export class RedisCache implements Cache {
  private link: Link | undefined;

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
    this.link ??= open(this.url, this.log, this.password);
    const { client, isAway, connecting } = this.link;
    // Whoever waited for it would wait as long as the server is away, which costs every call its whole time.
    if (isAway()) throw new Error('Redis is away');
    await connecting;
    return client;
  }
}

type Client = ReturnType<typeof clientOf>;

interface Link {
  readonly client: Client;
  /** The first connection, however many attempts it takes. */
  readonly connecting: Promise<unknown>;
  readonly isAway: () => boolean;
}

function open(url: string, log: CacheLog, password: (() => string) | undefined): Link {
  const client = clientOf(url, password);
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

/** The password is read for each connection, so that a rotated one is seen; the user's name stands in the URL. */
function clientOf(url: string, password: (() => string) | undefined) {
  const at = new URL(url);
  const username = decodeURIComponent(at.username);
  // The client would take what the URL says for everything there is to say, and log in without a password.
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

/** The code of the system, of Redis (the first word of what it says, like WRONGPASS), or of a secret; never a text that could hold one. */
function reasonOf(error: Error): string {
  const { code, problem } = error as { code?: unknown; problem?: { code: string } };
  if (problem) return problem.code;
  if (typeof code === 'string') return code;
  return /^[A-Z]{4,}(?= )/.exec(error.message)?.[0] ?? error.constructor.name;
}
