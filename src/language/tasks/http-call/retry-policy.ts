import type { RetryPolicy } from '../../read/read-call-policies.js';
import { type CallRetry, type HttpRequest, type HttpResult, safeMethods } from './request-and-result-types.js';

/**
 * Answer of the `http` activity that leaves the next attempt to the run: it is too far away to wait for, must not hold up the run, or is
 * that of an unsafe call, about which the run decides. Sleep, then call again with `attempt` set.
 */
export interface RetryLater {
  retryLater: {
    afterMs: number;
    attempt: number;
    /** The answer of this attempt, which counts if the run makes no further one. */
    answer?: HttpResult;
  };
}

export function isRetryLater(answer: HttpResult | RetryLater): answer is RetryLater {
  return 'retryLater' in answer;
}

/** The number of attempts without a minimum delay. */
const quickAttempts = 10;

/** The shortest time between later attempts, regardless of the backoff. */
export const minimumDelayMs = 1_000;

/** Adds the minimum delay to a policy with more than `quickAttempts`. */
export function withMinimumDelay(policy: RetryPolicy): CallRetry {
  return policy.maxAttempts > quickAttempts ? { ...policy, paced: true } : policy;
}

type RetryCause = RetryPolicy['retryOn'][number];

/** The cause by which a policy retries this result; undefined for results that no policy retries. */
export function retryCause({ error, status = 0 }: HttpResult): RetryCause | undefined {
  if (error) return 'NETWORK_ERROR';
  if (status === 429) return 'HTTP_429';
  return status >= 500 && status <= 599 ? 'HTTP_5XX' : undefined;
}

/** Whether a result is final because the call must not be made twice. */
export function mustNotRepeat({ onUncertain }: HttpRequest, { uncertain }: HttpResult): boolean {
  return onUncertain === 'fail' && uncertain === true;
}

/** The answer that leaves attempt number `attempt` to the run. */
export function retryLater({ method }: HttpRequest, afterMs: number, attempt: number, answer?: HttpResult): RetryLater {
  return { retryLater: { afterMs, attempt, ...(answer && !safeMethods.has(method) && { answer }) } };
}

/**
 * The delay after attempt number `attempt` (from 1) returned `result`; undefined if the policy allows no further attempt. `Retry-After` is
 * respected up to the policy's `maxDelayMs`. A paced policy has a minimum delay after its first attempts.
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
  return Math.round(policy.paced && attempt >= quickAttempts ? Math.max(wanted, minimumDelayMs) : wanted);
}

/** The delay after attempt number `attempt` before jitter. */
export function backoffDelay(backoff: RetryPolicy['backoff'], attempt: number): number {
  const { kind, baseDelayMs, maxDelayMs, multiplier } = backoff;
  if (baseDelayMs <= 0) return 0;
  const factor = kind === 'fixed' ? 1 : multiplier ** (attempt - 1);
  return Math.min(maxDelayMs, baseDelayMs * factor);
}

/** The delay that `Retry-After` requests, in seconds or as a date (relative to the service's own `Date`, if it sent one). */
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
