import { createLocalJWKSet, createRemoteJWKSet, errors, type JSONWebKeySet, type JWTPayload, jwtVerify } from 'jose';
import type { Logger } from 'pino';
import type { JwtConfig, Role } from '../../config/config.js';
import type { Json } from '../../json/value.js';
import { own } from '../../json/value.js';
import { refuse } from '../../problems/problem.js';
import { type Access, actions } from '../../service/access.js';

/** Signatures that are made with a private key; a shared secret would let every verifier issue tokens. */
export const algorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];
/** Seconds by which clocks may differ. */
export const clockTolerance = 30;

export interface TokenClaims {
  readonly subject: string;
  readonly roles: readonly Role[];
  /** What the token says about journeys, where the configuration names claims for it. */
  readonly limits: Partial<Omit<Access, 'caller'>>;
}

/** Checks a bearer token; undefined if it is not valid. Refuses with AUTH_UNAVAILABLE if the keys cannot be fetched. */
export type JwtCheck = (token: string) => Promise<TokenClaims | undefined>;

/** Checks tokens as the configuration says; logs to `log` why keys could not be fetched. */
export function jwtCheck(config: JwtConfig, log: Pick<Logger, 'warn'>): JwtCheck {
  const keys =
    config.jwksUri === undefined
      ? createLocalJWKSet({ keys: config.keys ?? [] } as unknown as JSONWebKeySet)
      : createRemoteJWKSet(new URL(config.jwksUri), { timeoutDuration: 5000, cooldownDuration: 10_000 });
  return async (token) => {
    try {
      const { payload } = await jwtVerify(token, keys, {
        issuer: config.issuer,
        audience: config.audience,
        algorithms,
        clockTolerance,
        requiredClaims: ['exp', 'sub'],
      });
      if (typeof payload.sub !== 'string' || payload.sub === '') return undefined;
      return { subject: payload.sub, roles: rolesOf(payload, config), limits: limitsOf(payload, config) };
    } catch (error) {
      if (isCallersFault(error)) return undefined;
      log.warn({ jwksUri: config.jwksUri, reason: causeOf(error) }, 'The identity provider’s keys cannot be fetched');
      return refuse('AUTH_UNAVAILABLE', 'The identity provider’s keys cannot be fetched.');
    }
  };
}

function isCallersFault(error: unknown): boolean {
  if (error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid) return false;
  // The bare class is what a failed fetch of the key set throws; a failed check throws a subclass.
  return error instanceof errors.JOSEError && error.code !== 'ERR_JOSE_GENERIC';
}

/** Everything an error says: the cause of a failed fetch is one or two levels down. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause, code } = error as Error & { code?: unknown };
  const said = [error.message, ...(typeof code === 'string' && !error.message.includes(code) ? [code] : [])].join(' ');
  return cause === undefined ? said : `${said}: ${causeOf(cause)}`;
}

const known: readonly string[] = ['client', 'operator', 'channel'] satisfies Role[];

function rolesOf(payload: JWTPayload, { rolesClaim, roleMap }: JwtConfig): Role[] {
  const roles = textsOf(payload, rolesClaim).flatMap((value) => {
    const role = Object.hasOwn(roleMap, value) ? roleMap[value] : value;
    return known.includes(role as string) ? [role as Role] : [];
  });
  return [...new Set(roles)];
}

/** A token without a claim that is named allows nothing of it, and no text that we do not know widens anything. */
function limitsOf(payload: JWTPayload, { journeysClaim, actionsClaim, runsClaim }: JwtConfig): TokenClaims['limits'] {
  return {
    ...(journeysClaim !== undefined && { journeys: textsOf(payload, journeysClaim) }),
    ...(actionsClaim !== undefined && {
      actions: actions.filter((it) => textsOf(payload, actionsClaim).includes(it)),
    }),
    ...(runsClaim !== undefined && textsOf(payload, runsClaim).includes('all') && { runs: 'all' }),
  };
}

/** The texts of a claim: a list, or words with spaces between them. Dots in its name go into objects. */
function textsOf(payload: JWTPayload, name: string): string[] {
  const claims = payload as Json;
  const path = own(claims, name) === undefined ? name.split('.') : [name];
  const claim = path.reduce<Json | undefined>((value, key) => own(value, key), claims);
  const values = typeof claim === 'string' ? claim.split(' ') : Array.isArray(claim) ? claim : [];
  return values.filter((value) => typeof value === 'string');
}
