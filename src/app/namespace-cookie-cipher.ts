import type { Client } from '@temporalio/client';
import { type CookieCipher, cookieCipher } from '../../activities/http-call/cookies/cookie-cipher.js';
import { namespaceSecret } from '../temporal/namespace-secret.js';

/** Encrypts cookies with the secret of the namespace, which every worker and gateway has and no history contains. */
export function cookieSealing(client: Client): CookieCipher {
  return cookieCipher(() => namespaceSecret(client));
}
