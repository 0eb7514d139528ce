import { canonical, isObject, type Json, own } from '../../src/base/json/value.js';
import type { HttpResult, OAuthPolicy } from '../../src/language/tasks/http-call/request-and-result-types.js';
import { CallFailure } from './describe-connection-failure.js';

/** The token in a response of a token endpoint. */
export interface TokenResponse {
  readonly token: string;
  readonly expiresInSec?: number;
}

/** Parses the response of a token endpoint; throws `CallFailure` if it has no usable token. */
export function parseTokenResponse({ ok, status, body, error }: HttpResult): TokenResponse {
  const token = isObject(body) ? own(body, 'access_token') : undefined;
  if (ok && isObject(body) && typeof token === 'string' && headerSafe.test(token)) {
    const seconds = Number(own(body, 'expires_in') ?? Number.NaN);
    return { token, ...(Number.isFinite(seconds) && seconds >= 0 && { expiresInSec: seconds }) };
  }
  const why = error?.message ?? (ok ? 'its answer has no access_token that could be sent' : `it answered ${status}`);
  throw new CallFailure(
    'NETWORK',
    `the token endpoint gave no token: ${why}`,
    'TOKEN_REFUSED',
    !ok && status !== undefined && status < 500 && !isTemporary(status),
  );
}

/** Characters that are valid in a header. A token with any other would be cached and fail every call until it expires. */
const headerSafe = /^[\x21-\x7e]+$/;

/** Whether a status is temporary, so that the same request may succeed later. */
function isTemporary(status: number): boolean {
  return status === 408 || status === 429;
}

interface CachedToken {
  readonly token: string;
  readonly until: number;
}

/** Tokens are not used shortly before they expire, because they could expire in transit. */
const skewMs = 30_000;
/** How long to cache a token without a known lifetime. */
const defaultLifetimeMs = 60_000;

/** Caches access tokens for all runs of this process, one per policy. Concurrent requests for the same token share one call. */
export class AccessTokens {
  private readonly cached = new Map<string, CachedToken>();
  private readonly pending = new Map<string, Promise<string>>();

  async get(policy: OAuthPolicy, fetch: () => Promise<TokenResponse>): Promise<string> {
    const key = cacheKeyOf(policy);
    const kept = this.cached.get(key);
    if (kept && kept.until > Date.now()) return kept.token;
    let asking = this.pending.get(key);
    if (!asking) {
      asking = fetch()
        .then((answer) => this.cache(key, answer))
        .finally(() => this.pending.delete(key));
      this.pending.set(key, asking);
    }
    return await asking;
  }

  /** Removes a rejected token from the cache, unless a newer one has replaced it. */
  invalidate(policy: OAuthPolicy, token: string): void {
    const key = cacheKeyOf(policy);
    if (this.cached.get(key)?.token === token) this.cached.delete(key);
  }

  private cache(key: string, { token, expiresInSec }: TokenResponse): string {
    const lifeMs = expiresInSec === undefined ? remainingJwtLifetime(token) : expiresInSec * 1000;
    const usableMs = lifeMs === undefined ? defaultLifetimeMs : lifeMs - Math.min(skewMs, lifeMs / 5);
    this.cached.set(key, { token, until: Date.now() + usableMs });
    return token;
  }
}

function cacheKeyOf(policy: OAuthPolicy): string {
  return canonical(policy as unknown as Json);
}

/** The remaining lifetime of a JWT by its `exp`; undefined for other tokens. */
function remainingJwtLifetime(token: string): number | undefined {
  try {
    const { exp } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { exp?: unknown };
    return typeof exp === 'number' ? Math.max(exp * 1000 - Date.now(), 0) : undefined;
  } catch {
    return undefined;
  }
}
