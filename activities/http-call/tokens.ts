import { canonical, isObject, type Json, own } from '../../src/json/value.js';
import type { HttpResult, OAuthPolicy } from '../../src/tasks/http-call/request.js';
import { CallFailure } from './failure.js';

/** What a token endpoint gave. */
export interface TokenAnswer {
  readonly token: string;
  readonly expiresInSec?: number;
}

/** Reads what a token endpoint answered. */
export function tokenOf({ ok, status, body, error }: HttpResult): TokenAnswer {
  const token = isObject(body) ? own(body, 'access_token') : undefined;
  if (ok && isObject(body) && typeof token === 'string' && sendable.test(token)) {
    const seconds = Number(own(body, 'expires_in') ?? Number.NaN);
    return { token, ...(Number.isFinite(seconds) && seconds >= 0 && { expiresInSec: seconds }) };
  }
  const why = error?.message ?? (ok ? 'its answer has no access_token that could be sent' : `it answered ${status}`);
  throw new CallFailure(
    'NETWORK',
    `the token endpoint gave no token: ${why}`,
    'TOKEN_REFUSED',
    !ok && status !== undefined && status < 500 && !isMomentary(status),
  );
}

/** What a header can carry. Anything else would be kept and fail every call until its time is over. */
const sendable = /^[\x21-\x7e]+$/;

/** Whether a refusal says that the moment was wrong, and not the question. */
function isMomentary(status: number): boolean {
  return status === 408 || status === 429;
}

interface Kept {
  readonly token: string;
  readonly until: number;
}

/** A token is not used in the last moments of its life: it may not live to arrive. */
const skewMs = 30_000;
/** How long a token is kept whose lifetime nobody tells. */
const unknownMs = 60_000;

/** Access tokens, shared by all runs of this process: one for each way of asking, and one question at a time. */
export class Tokens {
  private readonly kept = new Map<string, Kept>();
  private readonly asked = new Map<string, Promise<string>>();

  async get(policy: OAuthPolicy, fetch: () => Promise<TokenAnswer>): Promise<string> {
    const key = keyOf(policy);
    const kept = this.kept.get(key);
    if (kept && kept.until > Date.now()) return kept.token;
    let asking = this.asked.get(key);
    if (!asking) {
      asking = fetch()
        .then((answer) => this.keep(key, answer))
        .finally(() => this.asked.delete(key));
      this.asked.set(key, asking);
    }
    return await asking;
  }

  /** Forgets a token that was not taken; a newer one stays. */
  drop(policy: OAuthPolicy, token: string): void {
    const key = keyOf(policy);
    if (this.kept.get(key)?.token === token) this.kept.delete(key);
  }

  private keep(key: string, { token, expiresInSec }: TokenAnswer): string {
    const lifeMs = expiresInSec === undefined ? lifeOfJwt(token) : expiresInSec * 1000;
    const usableMs = lifeMs === undefined ? unknownMs : lifeMs - Math.min(skewMs, lifeMs / 5);
    this.kept.set(key, { token, until: Date.now() + usableMs });
    return token;
  }
}

function keyOf(policy: OAuthPolicy): string {
  return canonical(policy as unknown as Json);
}

/** What is left of a JWT's life by its `exp`; undefined where it is none. */
function lifeOfJwt(token: string): number | undefined {
  try {
    const { exp } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { exp?: unknown };
    return typeof exp === 'number' ? Math.max(exp * 1000 - Date.now(), 0) : undefined;
  } catch {
    return undefined;
  }
}
