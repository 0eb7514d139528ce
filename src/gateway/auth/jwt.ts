import type { JWTPayload } from 'jose';
import type { Logger } from 'pino';
import type { JwtConfig, Role } from '../../config/config.js';
import { BadCredential } from '../../credentials/bad-credential.js';
import { KeysUnavailable, tokenVerifier } from '../../credentials/tokens.js';
import type { Json } from '../../json/value.js';
import { own } from '../../json/value.js';
import { refuse } from '../../problems/problem.js';
import { type Access, actions } from '../../service/access.js';

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
