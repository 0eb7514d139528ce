import type { IncomingHttpHeaders } from 'node:http';
import type { Logger } from 'pino';
import type { AuthConfig, Role } from '../../config/config.js';
import { hasAuthentication } from '../../config/rules.js';
import { Attempts } from '../../credentials/attempts.js';
import { apiKeyCheck } from '../../credentials/hashed-keys.js';
import { refuse } from '../../problems/problem.js';
import { jwtCheck } from './jwt.js';

/** Who calls, and what they may do. */
export interface Principal {
  /** Stable name of the caller, to which idempotency keys belong. */
  readonly id: string;
  readonly roles: readonly Role[];
  /** The header that held one of the gateway's own keys, which no journey may see. */
  readonly consumed?: 'authorization' | 'x-api-key';
}

/** The caller while no authentication is configured: whoever is on this machine, with every role. */
export const anonymous: Principal = { id: 'anonymous', roles: ['client', 'operator', 'channel'] };

/** The caller of a request before anyone has asked who it is. */
export const nobody: Principal = { id: '-', roles: [] };

/** Says who sent these headers from this address, or refuses with UNAUTHENTICATED or TOO_MANY_ATTEMPTS. */
export type Authenticate = (headers: IncomingHttpHeaders, address: string) => Promise<Principal>;

/** API keys as `Authorization: Bearer jm_…` or `X-API-Key`, an identity provider's tokens as `Authorization: Bearer …`. */
export function authenticator(auth: AuthConfig, log: Logger): Authenticate {
  if (!hasAuthentication(auth)) return async () => anonymous;
  const attempts = new Attempts();
  const findKey = apiKeyCheck(auth.apiKeys, attempts);
  const checkToken = auth.jwt && jwtCheck(auth.jwt, log);

  const byKey = async (
    key: string,
    address: string,
    consumed: NonNullable<Principal['consumed']>,
  ): Promise<Principal> => {
    const found = await findKey(key, address);
    return found ? { id: `key:${found.id}`, roles: found.roles, consumed } : refused('The API key is not valid.');
  };

  return async (headers, address) => {
    const bearer = /^bearer +([^\s]+)$/i.exec(headers.authorization ?? '')?.[1];
    if (bearer !== undefined) {
      if (bearer.startsWith('jm_') || checkToken === undefined) return await byKey(bearer, address, 'authorization');
      const claims = await checkToken(bearer);
      if (claims) return { id: `sub:${claims.subject}`, roles: claims.roles };
      attempts.take(address);
      return refused('The token is not valid.');
    }
    const key = headers['x-api-key'];
    if (typeof key === 'string' && key !== '') return await byKey(key, address, 'x-api-key');
    return refused('There are no credentials.');
  };
}

function refused(detail: string): never {
  return refuse('UNAUTHENTICATED', detail, { hint: 'Send Authorization: Bearer … or X-API-Key.' });
}

/** Refuses a caller that has none of `roles`. */
export function authorise(principal: Principal, roles: readonly Role[]): void {
  if (roles.some((role) => principal.roles.includes(role))) return;
  refuse('FORBIDDEN', `This needs the role ${roles.join(' or ')}.`);
}
