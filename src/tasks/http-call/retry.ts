import type { RetryPolicy } from '../../reading/policies.js';
import type { CallRetry, HttpResult } from './request.js';

/**
 * What the `http` activity answers when the next attempt is too far away to wait for, or the call should go on elsewhere: sleep, then
 * call again with `attempt` set.
 */
export interface RetryLater {
  retryLater: {
    afterMs: number;
    attempt: number;
    /** What was left of the budget when that attempt began. */
    budgetMs?: number;
    /** The attempt's request is on its way already; the next call brings this ticket. */
    inFlight?: string;
  };
}

export function isRetryLater(answer: HttpResult | RetryLater): answer is RetryLater {
  return 'retryLater' in answer;
}

/** So many attempts come as fast as their policy says; a service that is still failing then needs other things than more of them. */
const quickAttempts = 10;

/** The least time between later attempts, whatever the backoff says. */
export const pacedMs = 1_000;

/** The policy with the floor between its later attempts, if it has such. */
export function paced(policy: RetryPolicy): CallRetry {
  return policy.maxAttempts > quickAttempts ? { ...policy, paced: true } : policy;
}

type RetryCause = RetryPolicy['retryOn'][number];

/** What a policy may name to have this result retried; undefined for results that no policy retries. */
export function retryCause({ error, status = 0 }: HttpResult): RetryCause | undefined {
  if (error) return 'NETWORK_ERROR';
  if (status === 429) return 'HTTP_429';
  return status >= 500 && status <= 599 ? 'HTTP_5XX' : undefined;
}

/**
 * How long to wait after attempt number `attempt` (from 1) gave `result`; undefined when the policy wants no further try.
 * A service's `Retry-After` is waited for, but never beyond the policy's `maxDelayMs`. A paced policy has a floor after its first attempts.
 */
export function retryDelay(
  policy: CallRetry | undefined,
  attempt: number,
  result: HttpResult,
  random: () => number,
  now: number,
): number | undefined {
  const cause = retryCause(result);
  if (policy === undefined || cause === undefined) return undefined;
  if (attempt >= policy.maxAttempts || !policy.retryOn.includes(cause)) return undefined;
  const full = backoffDelay(policy.backoff, attempt);
  const own = policy.backoff.jitter === 'full' ? full * random() : full;
  const wanted = Math.min(policy.backoff.maxDelayMs, Math.max(own, retryAfterMs(result.headers, now) ?? 0));
  return Math.round(policy.paced && attempt >= quickAttempts ? Math.max(wanted, pacedMs) : wanted);
}

/** The delay after attempt number `attempt` before jitter. */
export function backoffDelay(backoff: RetryPolicy['backoff'], attempt: number): number {
  const { kind, baseDelayMs, maxDelayMs, multiplier } = backoff;
  if (baseDelayMs <= 0) return 0;
  const factor = kind === 'fixed' ? 1 : multiplier ** (attempt - 1);
  return Math.min(maxDelayMs, baseDelayMs * factor);
}

/** What `Retry-After` asks for, in seconds or as a date (read against the service's own `Date` where it sent one). */
export function retryAfterMs(headers: Readonly<Record<string, string>>, now: number): number | undefined {
  const value = headers['retry-after']?.trim();
  if (value === undefined) return undefined;
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const until = httpDate(value);
  if (until === undefined) return undefined;
  return Math.max(0, until - (httpDate(headers.date ?? '') ?? now));
}

function httpDate(text: string): number | undefined {
  if (!/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text)) return undefined;
  const instant = Date.parse(text);
  return Number.isNaN(instant) ? undefined : instant;
}
