import type { Client } from '@temporalio/client';
import { writeSecret } from '../../../src/temporal/namespace-secret.js';

/** The secret of every namespace that tests use, so that they can name a schedule before it is there. */
export const testSecret = 'the secret of the tests';

/** Gives a namespace the tests' secret before anybody gives it another. */
export async function useTestSecret(client: Client): Promise<void> {
  await writeSecret(client, testSecret);
}
