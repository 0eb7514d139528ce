import type { IncomingHttpHeaders } from 'node:http';
import type { Logger } from 'pino';
import type { AuthConfig, Role } from '../../config/config.js';
import { hasAuthentication } from '../../config/rules.js';
import { Attempts, unlimited } from '../../credentials/attempts.js';
import { apiKeyCheck } from '../../credentials/hashed-keys.js';
import { refuse } from '../../problems/problem.js';
import { type Access, type Action, actions, everything } from '../../service/access.js';
import { jwtCheck } from './jwt.js';

/** The headers that can hold a key. */
type KeyHeader = 'authorization' | 'x-api-key';

/** Who calls, and what they may do. */
export interface Principal {
  /** Stable name of the caller, to which idempotency keys belong. */
  readonly id: string;
  readonly roles: readonly Role[];
  /** What it may do with journeys. */
  readonly access: Access;
  /** The headers that held keys of the gateway itself, which no journey may see. */
  readonly consumed?: readonly KeyHeader[];
}

/** The caller while no authentication is configured: whoever is on this machine, with every role. */
export const anonymous: Principal = {
  id: 'anonymous',
  roles: ['client', 'operator', 'channel'],
  access: everything('anonymous'),
};

/** The caller of a request before anyone has asked who it is. */
export const nobody: Principal = { id: '-', roles: [], access: accessOf('-', [], { journeys: [], actions: [] }) };

/** What somebody may do with journeys. Limits are for clients: an operator reaches everything. */
export function accessOf(caller: string, roles: readonly Role[], limits: Partial<Omit<Access, 'caller'>>): Access {
  if (roles.includes('operator')) return everything(caller);
  const { runs = 'own', journeys = ['*'], actions: allowed = actions } = limits;
  return { caller, runs, journeys, actions: allowed };
}

/** Tells callers by what they send. */
export interface Authenticator {
  /** Says who sent these headers from this address, or refuses with UNAUTHENTICATED or TOO_MANY_ATTEMPTS. */
  identify(headers: IncomingHttpHeaders, address: string): Promise<Principal>;
  /** The headers that hold keys of the gateway, for a request that was admitted by something else. */
  keysIn(headers: IncomingHttpHeaders): Promise<KeyHeader[]>;
}

/** API keys as `Authorization: Bearer jm_…` or `X-API-Key`, an identity provider's tokens as `Authorization: Bearer …`. */
export function authenticator(auth: AuthConfig, log: Logger): Authenticator {
  if (!hasAuthentication(auth)) return { identify: async () => anonymous, keysIn: async () => [] };
  const attempts = new Attempts();
  const findKey = apiKeyCheck(auth.apiKeys, attempts);
  const checkToken = auth.jwt && jwtCheck(auth.jwt, log);
  // Whoever is admitted may well send keys that are not ours, for the journey: nobody is slowed down for them.
  const findUnneeded = apiKeyCheck(auth.apiKeys, unlimited);

  /** A key that was not needed is one all the same. */
  const isKey = async (text: string | undefined) =>
    text !== undefined && (text.startsWith('jm_') || (await findUnneeded(text, '')) !== undefined);

  const besideBearer = async (headers: IncomingHttpHeaders): Promise<KeyHeader[]> =>
    (await isKey(headerKeyOf(headers))) ? ['x-api-key'] : [];
  // Also where more follows than a header of this kind may hold.
  const besideKey = async ({ authorization = '' }: IncomingHttpHeaders): Promise<KeyHeader[]> =>
    (await isKey(/^bearer +(\S+)/i.exec(authorization)?.[1])) ? ['authorization'] : [];

  const byKey = async (key: string, address: string, consumed: () => Promise<KeyHeader[]>): Promise<Principal> => {
    const found = await findKey(key, address);
    if (!found) return refused('The API key is not valid.');
    const id = `key:${found.caller ?? found.id}`;
    return { id, roles: found.roles, access: accessOf(id, found.roles, found), consumed: await consumed() };
  };

  return {
    identify: async (headers, address) => {
      const bearer = bearerOf(headers);
      const key = headerKeyOf(headers);
      if (bearer !== undefined) {
        if (bearer.startsWith('jm_') || checkToken === undefined)
          return await byKey(bearer, address, async () => ['authorization', ...(await besideBearer(headers))]);
        const claims = await checkToken(bearer);
        if (claims) {
          const id = `sub:${claims.subject}`;
          const access = accessOf(id, claims.roles, claims.limits);
          return { id, roles: claims.roles, access, consumed: await besideBearer(headers) };
        }
        attempts.take(address);
        return refused('The token is not valid.');
      }
      if (key !== undefined) return await byKey(key, address, async () => ['x-api-key', ...(await besideKey(headers))]);
      return refused('There are no credentials.');
    },
    keysIn: async (headers) => [...(await besideBearer(headers)), ...(await besideKey(headers))],
  };
}

function bearerOf({ authorization }: IncomingHttpHeaders): string | undefined {
  return /^bearer +([^\s]+)$/i.exec(authorization ?? '')?.[1];
}

function headerKeyOf({ 'x-api-key': key }: IncomingHttpHeaders): string | undefined {
  return typeof key === 'string' && key !== '' ? key : undefined;
}

function refused(detail: string): never {
  return refuse('UNAUTHENTICATED', detail, { hint: 'Send Authorization: Bearer … or X-API-Key.' });
}

/** Refuses a caller that has none of `roles`. */
export function authorise(principal: Principal, roles: readonly Role[]): void {
  if (roles.some((role) => principal.roles.includes(role))) return;
  refuse('FORBIDDEN', `This needs the role ${roles.join(' or ')}.`);
}

/** Refuses what a caller may not do with any run; it says nothing about the one that was meant. */
export function permit({ access }: Principal, action: Action): void {
  if (access.actions.includes(action)) return;
  refuse('FORBIDDEN', `The caller may not ${action}.`);
}
