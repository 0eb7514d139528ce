import type { CacheLog } from '../../activities/cache/cache.js';
import { type Connections, createConnections } from '../../activities/connections.js';
import type { Config } from '../config/config.js';
import { readSecret, type SecretSource, secretReader } from '../config/secret.js';

const open = new WeakMap<Config['cache'], { connections: Connections; users: number }>();

/**
 * What tasks of this process reach besides HTTP services. A worker and a gateway in one process share it, so that a cache in memory is
 * one; it is closed when the last of them closes it.
 */
export function connectionsOf(config: Config, log: CacheLog): Connections {
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
