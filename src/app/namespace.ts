import type { Config } from '../config/config.js';
import { connect } from '../temporal/connection.js';
import { ensureNamespace } from '../temporal/namespace.js';
import { namespaceSecret } from '../temporal/namespace-secret.js';

/** Gives the namespace what journeys need from it; returns the address of the service. Called before any part starts. */
export async function prepareNamespace(config: Config, at?: string): Promise<string> {
  const { connection, client, close, address } = await connect(config, at === undefined ? {} : { address: at });
  try {
    await ensureNamespace(connection, config.temporal.namespace);
    // Before the first run, so that a namespace that begins with the secret never has to look for older ids.
    await namespaceSecret(client);
  } finally {
    await close();
  }
  return address;
}
