import { isIPv6 } from 'node:net';
import { refuse } from '../../base/problems/problem.js';

/** Token bucket per address: number of bad credentials allowed, and the time to regain one. */
const burst = 20;
const refillMs = 3_000;
const rememberedAddresses = 10_000;

interface Bucket {
  left: number;
  at: number;
}

/**
 * Rate limit for bad credentials per address. It slows down guessing and bounds the work that wrong keys cause. Known good credentials
 * are never delayed.
 */
export class FailedAttempts {
  private readonly buckets = new Map<string, Bucket>();

  constructor(private readonly now: () => number = Date.now) {}

  /** Counts a failed or possibly failed attempt; throws TOO_MANY_ATTEMPTS above the limit. */
  take(address: string): void {
    const name = network(address);
    const bucket = this.bucketOf(name);
    // Evicts the least recently used address to bound memory.
    this.buckets.delete(name);
    this.buckets.set(name, bucket);
    if (this.buckets.size > rememberedAddresses) this.buckets.delete(this.buckets.keys().next().value as string);
    if (bucket.left < 1) refuseTooManyAttempts(Math.ceil(((1 - bucket.left) * refillMs) / 1000));
    bucket.left -= 1;
  }

  /** Undoes `take` for credentials that turned out to be good. */
  giveBack(address: string): void {
    const bucket = this.buckets.get(network(address));
    if (bucket) bucket.left = Math.min(burst, bucket.left + 1);
  }

  private bucketOf(name: string): Bucket {
    const now = this.now();
    const bucket = this.buckets.get(name);
    if (!bucket) return { left: burst, at: now };
    return { left: Math.min(burst, bucket.left + Math.max(0, now - bucket.at) / refillMs), at: now };
  }
}

/** No limit, for credentials that are not the gateway's own. */
export const noAttemptLimit: Pick<FailedAttempts, 'take' | 'giveBack'> = {
  take: () => undefined,
  giveBack: () => undefined,
};

/** Throws TOO_MANY_ATTEMPTS with the time to wait. */
export function refuseTooManyAttempts(seconds: number): never {
  return refuse('TOO_MANY_ATTEMPTS', `Try again in ${seconds} s.`, { retryAfterSec: seconds });
}

/** The network of an address: one customer usually owns a whole IPv6 /64. */
function network(address: string): string {
  const bare = address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '');
  if (!isIPv6(bare)) return bare;
  const [head = '', tail] = bare.split('::');
  const groups = head === '' ? [] : head.split(':');
  const rest = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros =
    tail === undefined ? [] : Array.from({ length: Math.max(0, 8 - groups.length - rest.length) }, () => '0');
  return [...groups, ...zeros, ...rest].slice(0, 4).join(':');
}
