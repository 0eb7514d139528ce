import { createHash, scrypt, timingSafeEqual } from 'node:crypto';
import { readScrypt, type ScryptHash, scryptFault } from '../config/scrypt.js';
import { refuse } from '../problems/problem.js';
import { Attempts, tooMany } from './attempts.js';

/** A key, known only by its hash: `sha256:<hex>` or `scrypt:<N>:<r>:<p>:<salt base64url>:<hash base64url>`. */
export interface HashedKey {
  readonly id: string;
  readonly hash: string;
}

/** Finds the configured key that matches a presented one. `address` is where that came from. */
export type ApiKeyCheck<K extends HashedKey = HashedKey> = (
  presented: string,
  address: string,
) => Promise<K | undefined>;

/** Derives a slow hash and compares it. */
export type Matches = (presented: string, hash: ScryptHash) => Promise<boolean>;

const longestKey = 512;
const remembered = 1000;
/** How many keys may wait for their slow hash at a time: any more would wait too long to be of use. */
const waiting = 32;

/**
 * Compares a presented key with every configured hash, in constant time and without stopping at a match. Slow hashes are derived one key at
 * a time, and each verdict is remembered by digest. Known keys, good or bad, never wait for one; and an address may ask for only so many
 * unknown ones, so that bad keys can neither keep the machine busy nor others waiting.
 */
export function apiKeyCheck<K extends HashedKey>(
  keys: readonly K[],
  attempts: Pick<Attempts, 'take' | 'giveBack'> = new Attempts(),
  matches: Matches = matchesScrypt,
): ApiKeyCheck<K> {
  const fast = keys.filter(({ hash }) => hash.startsWith('sha256:'));
  const slow = keys.flatMap((key) => slowHash(key).map((hash) => ({ key, hash })));
  // Kept apart, so that no number of bad keys pushes out a good one.
  const good = new Map<string, K>();
  const bad = new Set<string>();
  const pending = new Map<string, Promise<K | undefined>>();
  let turn: Promise<unknown> = Promise.resolve();

  const derive = async (presented: string, digest: string): Promise<K | undefined> => {
    let match: K | undefined;
    for (const { key, hash } of slow) if (await matches(presented, hash)) match = key;
    if (match) good.set(digest, match);
    else bad.add(digest);
    for (const verdicts of [good, bad]) {
      if (verdicts.size > remembered) verdicts.delete(verdicts.keys().next().value as string);
    }
    return match;
  };

  /** One derivation for all callers that present the same key meanwhile; its attempt is given back if the key is good. */
  const inTurn = (presented: string, digest: string, address: string): Promise<K | undefined> => {
    if (pending.size >= waiting) tooMany(1);
    attempts.take(address);
    const mine = turn.then(() => derive(presented, digest)).finally(() => pending.delete(digest));
    turn = mine.catch(() => undefined);
    pending.set(digest, mine);
    return mine.then((match) => {
      if (match) attempts.giveBack(address);
      return match;
    });
  };

  const isBad = (address: string): undefined => {
    attempts.take(address);
  };

  return async (presented, address) => {
    if (presented.length > longestKey) return isBad(address);
    const bytes = createHash('sha256').update(presented).digest();
    let match: K | undefined;
    for (const key of fast) {
      if (timingSafeEqual(bytes, Buffer.from(key.hash.slice('sha256:'.length), 'hex'))) match = key;
    }
    const digest = bytes.toString('hex');
    const known = match ?? good.get(digest);
    if (known) return known;
    if (slow.length === 0 || bad.has(digest)) return isBad(address);
    const asked = pending.get(digest);
    return asked ? ((await asked) ?? isBad(address)) : await inTurn(presented, digest, address);
  };
}

/** The slow hash of a key, read once, at startup; refuses one that cannot be used. */
function slowHash({ id, hash }: HashedKey): ScryptHash[] {
  const fault = scryptFault(hash);
  if (fault) refuse('CONFIG_VALUE_INVALID', `The hash of the API key "${id}" ${fault.message}.`, { hint: fault.hint });
  return [readScrypt(hash) ?? []].flat();
}

async function matchesScrypt(presented: string, { cost, salt, wanted }: ScryptHash): Promise<boolean> {
  const options = { ...cost, maxmem: 256 * cost.N * cost.r };
  const derived = await new Promise<Buffer>((resolve, reject) => {
    scrypt(presented, salt, wanted.length, options, (error, key) => (error ? reject(error) : resolve(key)));
  });
  return timingSafeEqual(derived, wanted);
}
