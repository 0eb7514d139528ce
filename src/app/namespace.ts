import type { Config } from '../config/config.js';
import { connect } from '../temporal/connection.js';
import { ensureNamespace } from '../temporal/namespace.js';

/** Gives the namespace what journeys need of it; answers the address of the service. Before any part starts. */
export async function prepareNamespace(config: Config, at?: string): Promise<string> {
  const { connection, close, address } = await connect(config, at === undefined ? {} : { address: at });
  await ensureNamespace(connection, config.temporal.namespace).finally(close);
  return address;
}
