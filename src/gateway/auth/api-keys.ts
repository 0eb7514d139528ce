import { createHash, scrypt, timingSafeEqual } from 'node:crypto';
import type { ApiKeyConfig } from '../../config/config.js';

/** Finds the configured key that a presented one is. */
export type ApiKeyCheck = (presented: string) => Promise<ApiKeyConfig | undefined>;

const longestKey = 512;
const remembered = 1000;

/**
 * Compares a presented key with every configured hash, in constant time and without stopping at a match. A slow hash is computed
 * for one request at a time and its verdict remembered by digest, so that neither good nor bad keys can keep the machine busy.
 */
export function apiKeyCheck(keys: readonly ApiKeyConfig[]): ApiKeyCheck {
  const fast = keys.filter(({ hash }) => hash.startsWith('sha256:'));
  const slow = keys.filter(({ hash }) => hash.startsWith('scrypt:'));
  const verdicts = new Map<string, ApiKeyConfig | undefined>();
  let turn: Promise<unknown> = Promise.resolve();

  const checkSlow = async (presented: string, digest: string): Promise<ApiKeyConfig | undefined> => {
    if (verdicts.has(digest)) return verdicts.get(digest);
    let match: ApiKeyConfig | undefined;
    for (const key of slow) if (await matchesScrypt(presented, key.hash)) match = key;
    verdicts.set(digest, match);
    if (verdicts.size > remembered) verdicts.delete(verdicts.keys().next().value as string);
    return match;
  };

  return async (presented) => {
    if (presented.length > longestKey) return undefined;
    const digest = createHash('sha256').update(presented).digest();
    let match: ApiKeyConfig | undefined;
    for (const key of fast) {
      if (timingSafeEqual(digest, Buffer.from(key.hash.slice('sha256:'.length), 'hex'))) match = key;
    }
    if (match !== undefined || slow.length === 0) return match;
    const mine = turn.then(() => checkSlow(presented, digest.toString('hex')));
    turn = mine.catch(() => undefined);
    return await mine;
  };
}

async function matchesScrypt(presented: string, hash: string): Promise<boolean> {
  const [, N, r, p, salt = '', expected = ''] = hash.split(':');
  const options = { N: Number(N), r: Number(r), p: Number(p), maxmem: 256 * Number(N) * Number(r) };
  const wanted = Buffer.from(expected, 'base64url');
  const derived = await new Promise<Buffer>((resolve, reject) => {
    scrypt(presented, Buffer.from(salt, 'base64url'), wanted.length, options, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
  return timingSafeEqual(derived, wanted);
}
