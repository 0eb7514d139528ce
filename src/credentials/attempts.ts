import { isIPv6 } from 'node:net';
import { refuse } from '../problems/problem.js';

/** How many bad credentials an address may send at once, and how long until it may send another. */
const burst = 20;
const refillMs = 3_000;
const rememberedAddresses = 10_000;

interface Bucket {
  left: number;
  at: number;
}

/**
 * Counts the bad credentials of each address. Whoever sends too many must wait. That makes guessing slow and bounds the work that wrong
 * keys cause. It never holds up credentials that are known to be good.
 */
export class Attempts {
  private readonly buckets = new Map<string, Bucket>();

  constructor(private readonly now: () => number = Date.now) {}

  /** Notes bad credentials, or ones that may be bad; refuses with TOO_MANY_ATTEMPTS when there were too many. */
  take(address: string): void {
    const name = network(address);
    const bucket = this.bucketOf(name);
    // The oldest goes first, so that memory is bounded; an address that keeps trying stays.
    this.buckets.delete(name);
    this.buckets.set(name, bucket);
    if (this.buckets.size > rememberedAddresses) this.buckets.delete(this.buckets.keys().next().value as string);
    if (bucket.left < 1) tooMany(Math.ceil(((1 - bucket.left) * refillMs) / 1000));
    bucket.left -= 1;
  }

  /** The credentials were good after all. */
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

/** Counts nothing, where bad credentials are nobody's guess at ours. */
export const unlimited: Pick<Attempts, 'take' | 'giveBack'> = { take: () => undefined, giveBack: () => undefined };

/** Refuses with TOO_MANY_ATTEMPTS, and says when to try again. */
export function tooMany(seconds: number): never {
  return refuse('TOO_MANY_ATTEMPTS', `Try again in ${seconds} s.`, { retryAfterSec: seconds });
}

/** One customer of a provider has a whole /64 of IPv6 addresses. */
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
