import type { CacheLog } from '../../activities/cache/redis-or-memory-cache.js';
import { type Connections, createConnections } from '../../activities/index.js';
import type { Config } from '../config/config-types.js';
import { readSecret, type SecretSource, secretReader } from '../config/read-secret.js';

const open = new WeakMap<Config['cache'], { connections: Connections; users: number }>();

/**
 * Connections of tasks to services other than HTTP. A worker and a gateway in one process share them, and with them the in-memory cache;
 * they close with the last user.
 */
export function taskConnections(config: Config, log: CacheLog): Connections {
  const { cache, kafka, secrets } = config;
  const shared = open.get(cache) ?? {
    connections: createConnections(config, log, {
      secret: secretReader(secrets),
      ...(cache.redisPassword && { redisPassword: revealed('cache.redisPassword', cache.redisPassword) }),
      ...(kafka.connection && { kafkaConnection: revealed('kafka.connection', kafka.connection) }),
    }),
    users: 0,
  };
  shared.users += 1;
  open.set(cache, shared);
  return {
    ...shared.connections,
    close: async () => {
      shared.users -= 1;
      if (shared.users > 0) return;
      open.delete(cache);
      await shared.connections.close();
    },
  };
}

function revealed(name: string, source: SecretSource): () => string {
  return () => readSecret(name, source, process.env).reveal();
}
