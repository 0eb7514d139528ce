import type { Config } from '../config/config-types.js';
import { connect } from '../temporal/connection.js';
import { ensureNamespace } from '../temporal/inspect-and-set-up-namespace.js';
import { namespaceSecret } from '../temporal/namespace-secret.js';

/** Prepares the namespace for journeys before any part starts; returns the address of the service. */
export async function prepareNamespace(config: Config, at?: string): Promise<string> {
  const { connection, client, close, address } = await connect(config, at === undefined ? {} : { address: at });
  try {
    await ensureNamespace(connection, config.temporal.namespace);
    await namespaceSecret(client);
  } finally {
    await close();
  }
  return address;
}
