import { createHash, scrypt, timingSafeEqual } from 'node:crypto';
import { refuse } from '../../base/problems/problem.js';
import { readScrypt, type ScryptHash, scryptFault } from '../../config/parse-scrypt-hash.js';
import { FailedAttempts, refuseTooManyAttempts } from './bad-credential-rate-limit.js';

/** A key stored as a hash: `sha256:<hex>` or `scrypt:<N>:<r>:<p>:<salt base64url>:<hash base64url>`. */
export interface HashedKey {
  readonly id: string;
  readonly hash: string;
}

/** Finds the configured key that matches a presented one. */
export interface ApiKeyCheck<K extends HashedKey = HashedKey> {
  /** Derives slow hashes if necessary, and counts bad keys of `address`. */
  (presented: string, address: string): Promise<K | undefined>;
  /** Never derives a slow hash: finds a key that has one only if it was found before. */
  known(presented: string): K | undefined;
}

/** Derives a slow hash and compares it. */
export type Matches = (presented: string, hash: ScryptHash) => Promise<boolean>;

const longestKey = 512;
const remembered = 1000;
/** Maximum number of pending slow hashes; more would wait too long. */
const waiting = 32;

/**
 * Compares a presented key with every configured hash in constant time, without stopping at a match. Slow hashes are derived one at a time,
 * and verdicts are cached by digest, so that known keys never wait. The number of unknown keys per address is limited: bad keys must neither
 * keep the machine busy nor delay other callers.
 */
export function apiKeyCheck<K extends HashedKey>(
  keys: readonly K[],
  attempts: Pick<FailedAttempts, 'take' | 'giveBack'> = new FailedAttempts(),
  matches: Matches = matchesScrypt,
): ApiKeyCheck<K> {
  const fast = keys.filter(({ hash }) => hash.startsWith('sha256:'));
  const slow = keys.flatMap((key) => slowHash(key).map((hash) => ({ key, hash })));
  // Separate caches, so that bad keys do not evict good ones.
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

  /** One derivation for all callers with the same key; the attempt is undone if the key is good. */
  const inTurn = (presented: string, digest: string, address: string): Promise<K | undefined> => {
    if (pending.size >= waiting) refuseTooManyAttempts(1);
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

  const known = (presented: string): K | undefined => {
    const bytes = digestOf(presented);
    let match: K | undefined;
    for (const key of fast) {
      if (timingSafeEqual(bytes, Buffer.from(key.hash.slice('sha256:'.length), 'hex'))) match = key;
    }
    return match ?? good.get(bytes.toString('hex'));
  };

  const check = async (presented: string, address: string): Promise<K | undefined> => {
    if (presented.length > longestKey) return isBad(address);
    const found = known(presented);
    if (found) return found;
    const digest = digestOf(presented).toString('hex');
    if (slow.length === 0 || bad.has(digest)) return isBad(address);
    const asked = pending.get(digest);
    return asked ? ((await asked) ?? isBad(address)) : await inTurn(presented, digest, address);
  };
  return Object.assign(check, { known });
}

function digestOf(presented: string): Buffer {
  return createHash('sha256').update(presented).digest();
}

/** Parses the slow hash of a key at startup; rejects an invalid one. */
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
