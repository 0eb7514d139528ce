import { createHash, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import type { ApiKeyConfig } from '../../config/config.js';
import { refuse } from '../../problems/problem.js';

/** Finds the configured key that a presented one is. */
export type ApiKeyCheck = (presented: string) => Promise<ApiKeyConfig | undefined>;

const longestKey = 512;
const remembered = 1000;
const shortestHash = 16;

/**
 * Compares a presented key with every configured hash, in constant time and without stopping at a match. A slow hash is computed
 * for one request at a time and its verdict remembered by digest, so that neither good nor bad keys can keep the machine busy.
 */
export function apiKeyCheck(keys: readonly ApiKeyConfig[]): ApiKeyCheck {
  const fast = keys.filter(({ hash }) => hash.startsWith('sha256:'));
  const slow = keys.filter(({ hash }) => hash.startsWith('scrypt:')).map((key) => ({ key, hash: readScrypt(key) }));
  const verdicts = new Map<string, ApiKeyConfig | undefined>();
  let turn: Promise<unknown> = Promise.resolve();

  const checkSlow = async (presented: string, digest: string): Promise<ApiKeyConfig | undefined> => {
    if (verdicts.has(digest)) return verdicts.get(digest);
    let match: ApiKeyConfig | undefined;
    for (const { key, hash } of slow) if (await matchesScrypt(presented, hash)) match = key;
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

interface ScryptHash {
  readonly options: ScryptOptions;
  readonly salt: Buffer;
  readonly wanted: Buffer;
}

/** Parses a hash once, at start; one so short that keys would match by chance is refused. */
function readScrypt({ id, hash }: ApiKeyConfig): ScryptHash {
  const [, N, r, p, salt = '', expected = ''] = hash.split(':');
  const wanted = Buffer.from(expected, 'base64url');
  if (wanted.length < shortestHash) {
    refuse('CONFIG_VALUE_INVALID', `The hash of the API key "${id}" is shorter than ${shortestHash} bytes.`, {
      hint: 'Derive at least 32 bytes.',
    });
  }
  const options = { N: Number(N), r: Number(r), p: Number(p), maxmem: 256 * Number(N) * Number(r) };
  return { options, salt: Buffer.from(salt, 'base64url'), wanted };
}

async function matchesScrypt(presented: string, { options, salt, wanted }: ScryptHash): Promise<boolean> {
  const derived = await new Promise<Buffer>((resolve, reject) => {
    scrypt(presented, salt, wanted.length, options, (error, key) => (error ? reject(error) : resolve(key)));
  });
  return timingSafeEqual(derived, wanted);
}
