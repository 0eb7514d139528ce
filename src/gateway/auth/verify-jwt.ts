import {
  type CryptoKey,
  createLocalJWKSet,
  createRemoteJWKSet,
  errors,
  type JSONWebKeySet,
  type JWTVerifyResult,
  jwtVerify,
  type KeyObject,
} from 'jose';
import type { JsonObject } from '../../base/json/value.js';
import type { Code } from '../../base/problems/registry.js';
import { BadCredential } from './bad-credential.js';

/** Accepted algorithms: asymmetric only, because with a shared secret every verifier could issue tokens. */
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
/** Tolerated clock skew in seconds. */
export const clockTolerance = 30;

/** Rules for accepted tokens. */
export interface TokenRules {
  readonly issuer?: string;
  readonly audience?: string | readonly string[];
  /** Either this or `keys`. */
  readonly jwksUri?: string;
  /** Public keys as JWKs. */
  readonly keys?: readonly JsonObject[];
  readonly clockSkewSec?: number;
  readonly requiredClaims?: readonly string[];
}

/** The keys cannot be fetched or are invalid; `cause` has the reason. */
export class KeysUnavailable extends Error {
  override readonly name = 'KeysUnavailable';
}

/** Verifies a token; throws BadCredential or KeysUnavailable. */
export type VerifyToken = (token: string, now?: Date) => Promise<JWTVerifyResult>;

/** Creates a verifier. A key set is fetched on first use, and again when a token names an unknown key. */
export function tokenVerifier(rules: TokenRules): VerifyToken {
  const keys =
    rules.jwksUri === undefined
      ? createLocalJWKSet({ keys: rules.keys ?? [] } as unknown as JSONWebKeySet)
      : createRemoteJWKSet(new URL(rules.jwksUri), { timeoutDuration: 5000, cooldownDuration: 10_000 });
  return async (token, now) => {
    const options = {
      ...(rules.issuer !== undefined && { issuer: rules.issuer }),
      ...(rules.audience !== undefined && {
        audience: typeof rules.audience === 'string' ? rules.audience : [...rules.audience],
      }),
      algorithms,
      clockTolerance: rules.clockSkewSec ?? clockTolerance,
      requiredClaims: [...(rules.requiredClaims ?? [])],
      ...(now && { currentDate: now }),
    };
    try {
      return await jwtVerify(token, keys, options).catch((error) =>
        error instanceof errors.JWKSMultipleMatchingKeys
          ? verifyWithAnyKey(error, (key) => jwtVerify(token, key, options))
          : Promise.reject(error),
      );
    } catch (error) {
      throw toCredentialError(error);
    }
  };
}

/** Tries all keys, for a token without a key id. */
async function verifyWithAnyKey(
  several: errors.JWKSMultipleMatchingKeys,
  verify: (key: CryptoKey | KeyObject) => Promise<JWTVerifyResult>,
): Promise<JWTVerifyResult> {
  for await (const key of several) {
    try {
      return await verify(key);
    } catch (error) {
      if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw error;
    }
  }
  throw new errors.JWSSignatureVerificationFailed();
}

const codeOfClaim: Readonly<Record<string, Code>> = {
  nbf: 'JWT_NOT_YET_VALID',
  aud: 'JWT_AUDIENCE_MISMATCH',
  iss: 'JWT_ISSUER_MISMATCH',
};

function toCredentialError(error: unknown): Error {
  if (error instanceof errors.JWTExpired) return new BadCredential('JWT_EXPIRED');
  if (error instanceof errors.JWTClaimValidationFailed)
    return new BadCredential(
      Object.hasOwn(codeOfClaim, error.claim) ? (codeOfClaim[error.claim] as Code) : 'JWT_CLAIMS_INVALID',
    );
  if (error instanceof errors.JWKSNoMatchingKey) return new BadCredential('JWT_KID_NOT_FOUND');
  if (error instanceof errors.JWSSignatureVerificationFailed || error instanceof errors.JOSEAlgNotAllowed)
    return new BadCredential('JWT_SIG_INVALID');
  if (error instanceof errors.JWSInvalid || error instanceof errors.JWTInvalid)
    return new BadCredential('JWT_TOKEN_MALFORMED');
  // A failed fetch of the key set throws the base class; a failed check throws a subclass.
  const fetching = error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid;
  if (!fetching && error instanceof errors.JOSEError && error.code !== 'ERR_JOSE_GENERIC')
    return new BadCredential('JWT_TOKEN_MALFORMED');
  return new KeysUnavailable(causeOf(error), { cause: error });
}

/** The messages of an error and its causes, which explain a failed fetch. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause, code } = error as Error & { code?: unknown };
  const message = [error.message, ...(typeof code === 'string' && !error.message.includes(code) ? [code] : [])].join(
    ' ',
  );
  return cause === undefined ? message : `${message}: ${causeOf(cause)}`;
}
