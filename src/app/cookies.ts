import type { Client } from '@temporalio/client';
import { type Sealing, sealing } from '../cookies/seal.js';
import { namespaceSecret } from '../temporal/namespace-secret.js';

/** Seals cookies with the secret of the namespace: every worker and gateway has it, and no history. */
export function sealingOf(client: Client): Sealing {
  return sealing(async () => (await namespaceSecret(client)).value);
}
