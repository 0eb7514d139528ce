import type { Client } from '@temporalio/client';
import { writeSecret } from '../../../src/temporal/namespace-secret.js';

/** The secret of every namespace that tests use, so that they can compute the id of a schedule before it exists. */
export const testSecret = 'the secret of the tests';

/** Sets the tests' secret in a namespace before another one is created. */
export async function useTestSecret(client: Client): Promise<void> {
  await writeSecret(client, testSecret);
}
