import type { IncomingHttpHeaders } from 'node:http';
import type { JWTPayload } from 'jose';
import type { Logger } from 'pino';
import { type Json, own } from '../../base/json/value.js';
import { refuse } from '../../base/problems/problem.js';
import { hasAuthentication } from '../../config/config-rules.js';
import type { AuthConfig, JwtConfig, Role } from '../../config/config-types.js';
import { type Access, type AccessAction, actions, fullAccess } from '../../service/access.js';
import { BadCredential } from './bad-credential.js';
import { FailedAttempts, noAttemptLimit } from './bad-credential-rate-limit.js';
import { apiKeyCheck } from './check-api-key.js';
import { KeysUnavailable, tokenVerifier } from './verify-jwt.js';

interface TokenClaims {
  readonly subject: string;
  readonly roles: readonly Role[];
  /** Access limits from the configured claims. */
  readonly limits: Partial<Omit<Access, 'caller'>>;
}

/** Verifies a bearer token; undefined if it is not valid. Throws AUTH_UNAVAILABLE if the keys cannot be fetched. */
type JwtCheck = (token: string) => Promise<TokenClaims | undefined>;

/** Creates the check for tokens of the configured identity provider. Logs why keys cannot be fetched. */
function jwtCheck(config: JwtConfig, log: Pick<Logger, 'warn'>): JwtCheck {
  const verify = tokenVerifier({ ...config, requiredClaims: ['exp', 'sub'] });
  return async (token) => {
    try {
      const { payload } = await verify(token);
      if (typeof payload.sub !== 'string' || payload.sub === '') return undefined;
      return { subject: payload.sub, roles: rolesOf(payload, config), limits: limitsOf(payload, config) };
    } catch (error) {
      if (error instanceof BadCredential) return undefined;
      if (!(error instanceof KeysUnavailable)) throw error;
      log.warn({ jwksUri: config.jwksUri, reason: error.message }, 'The identity provider’s keys cannot be fetched');
      return refuse('AUTH_UNAVAILABLE', 'The identity provider’s keys cannot be fetched.');
    }
  };
}

const known: readonly string[] = ['client', 'operator', 'channel'] satisfies Role[];

function rolesOf(payload: JWTPayload, { rolesClaim, roleMap }: JwtConfig): Role[] {
  const roles = textsOf(payload, rolesClaim).flatMap((value) => {
    const role = Object.hasOwn(roleMap, value) ? roleMap[value] : value;
    return known.includes(role as string) ? [role as Role] : [];
  });
  return [...new Set(roles)];
}

/** A configured claim that is missing grants nothing, and unknown values are ignored. */
function limitsOf(payload: JWTPayload, { journeysClaim, actionsClaim, runsClaim }: JwtConfig): TokenClaims['limits'] {
  return {
    ...(journeysClaim !== undefined && { journeys: textsOf(payload, journeysClaim) }),
    ...(actionsClaim !== undefined && {
      actions: actions.filter((it) => textsOf(payload, actionsClaim).includes(it)),
    }),
    ...(runsClaim !== undefined && textsOf(payload, runsClaim).includes('all') && { runs: 'all' }),
  };
}

/** The values of a claim: an array, or words separated by spaces. Dots in its name address nested objects. */
function textsOf(payload: JWTPayload, name: string): string[] {
  const claims = payload as Json;
  const path = own(claims, name) === undefined ? name.split('.') : [name];
  const claim = path.reduce<Json | undefined>((value, key) => own(value, key), claims);
  const values = typeof claim === 'string' ? claim.split(' ') : Array.isArray(claim) ? claim : [];
  return values.filter((value) => typeof value === 'string');
}

/** Headers that can contain a key. */
type KeyHeader = 'authorization' | 'x-api-key';

/** An authenticated caller. */
export interface Principal {
  /** Stable name of the caller; scope of idempotency keys. */
  readonly id: string;
  readonly roles: readonly Role[];
  /** Its access to journeys. */
  readonly access: Access;
  /** Headers that contained keys of the gateway, which journeys must not see. */
  readonly consumed?: readonly KeyHeader[];
}

/** The caller if no authentication is configured: any local user, with every role. */
export const anonymous: Principal = {
  id: 'anonymous',
  roles: ['client', 'operator', 'channel'],
  access: fullAccess('anonymous'),
};

/** The caller of a request before authentication. */
export const unauthenticated: Principal = {
  id: '-',
  roles: [],
  access: accessOf('-', [], { journeys: [], actions: [] }),
};

/** The access of a caller. Limits apply to clients; operators have full access. */
export function accessOf(caller: string, roles: readonly Role[], limits: Partial<Omit<Access, 'caller'>>): Access {
  if (roles.includes('operator')) return fullAccess(caller);
  const { runs = 'own', journeys = ['*'], actions: allowed = actions } = limits;
  return { caller, runs, journeys, actions: allowed };
}

/** Identifies callers by their credentials. */
export interface Authenticator {
  /** Identifies the caller, or throws UNAUTHENTICATED or TOO_MANY_ATTEMPTS. */
  identify(headers: IncomingHttpHeaders, address: string): Promise<Principal>;
  /**
   * The headers with keys of the gateway, for a request that needs none: it has a callback token, or a signature that is not checked yet.
   * Strangers can send such requests, so they never cause slow hashes: a key that has one is recognised by its prefix, or once a caller used it.
   */
  keysIn(headers: IncomingHttpHeaders): KeyHeader[];
}

/** Accepts API keys as `Authorization: Bearer jm_…` or `X-API-Key`, and tokens of an identity provider as `Authorization: Bearer …`. */
export function authenticator(auth: AuthConfig, log: Logger): Authenticator {
  if (!hasAuthentication(auth)) return { identify: async () => anonymous, keysIn: () => [] };
  const attempts = new FailedAttempts();
  const findKey = apiKeyCheck(auth.apiKeys, attempts);
  const checkToken = auth.jwt && jwtCheck(auth.jwt, log);
  // An authenticated caller may send keys for the journey; they do not count as failed attempts.
  const findUnneeded = apiKeyCheck(auth.apiKeys, noAttemptLimit);

  const isKnown = (text: string | undefined) =>
    text !== undefined && (text.startsWith('jm_') || (findKey.known(text) ?? findUnneeded.known(text)) !== undefined);
  /** Detects a key of the gateway even if it was not needed. */
  const isKey = async (text: string | undefined) =>
    text !== undefined && (isKnown(text) || (await findUnneeded(text, '')) !== undefined);

  const besideBearer = async (headers: IncomingHttpHeaders): Promise<KeyHeader[]> =>
    (await isKey(headerKeyOf(headers))) ? ['x-api-key'] : [];
  const besideKey = async (headers: IncomingHttpHeaders): Promise<KeyHeader[]> =>
    (await isKey(bearerWordOf(headers))) ? ['authorization'] : [];

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
      return refused('Credentials are missing.');
    },
    keysIn: (headers) => [
      ...(isKnown(headerKeyOf(headers)) ? (['x-api-key'] as const) : []),
      ...(isKnown(bearerWordOf(headers)) ? (['authorization'] as const) : []),
    ],
  };
}

function bearerOf({ authorization }: IncomingHttpHeaders): string | undefined {
  return /^bearer +([^\s]+)$/i.exec(authorization ?? '')?.[1];
}

/** The word after `Bearer`, also if more text follows than the header allows. */
function bearerWordOf({ authorization = '' }: IncomingHttpHeaders): string | undefined {
  return /^bearer +(\S+)/i.exec(authorization)?.[1];
}

function headerKeyOf({ 'x-api-key': key }: IncomingHttpHeaders): string | undefined {
  return typeof key === 'string' && key !== '' ? key : undefined;
}

function refused(detail: string): never {
  return refuse('UNAUTHENTICATED', detail, { hint: 'Send Authorization: Bearer … or X-API-Key.' });
}

/** Rejects a caller without one of `roles`. */
export function authorise(principal: Principal, roles: readonly Role[]): void {
  if (roles.some((role) => principal.roles.includes(role))) return;
  refuse('FORBIDDEN', `This needs the role ${roles.join(' or ')}.`);
}

/** Rejects an action that the caller may not perform on any run. Does not reveal whether the run exists. */
export function permit({ access }: Principal, action: AccessAction): void {
  if (access.actions.includes(action)) return;
  refuse('FORBIDDEN', `The caller may not ${action}.`);
}
