import { findServer } from '../../../src/temporal/server/find-or-install-server.js';

/** The `temporal` executable of the tests' server. */
export async function temporalCli(): Promise<string> {
  const found = await findServer();
  if (found.kind !== 'executable') throw new Error('there is no temporal executable');
  return found.path;
}
