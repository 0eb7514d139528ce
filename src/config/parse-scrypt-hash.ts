/** A slow hash of the configuration: `scrypt:<N>:<r>:<p>:<salt base64url>:<hash base64url>`. */
export interface ScryptHash {
  readonly cost: { readonly N: number; readonly r: number; readonly p: number };
  readonly salt: Buffer;
  readonly wanted: Buffer;
}

const shortestHash = 16;
/** Upper bound of N·r·p: about a second of CPU and 256 MB of memory, which any caller with an unknown key can cause. */
const dearest = 2 ** 21;

/** The parts of a slow hash; undefined for one of another kind. */
export function readScrypt(hash: string): ScryptHash | undefined {
  const [kind, N, r, p, salt = '', expected = ''] = hash.split(':');
  if (kind !== 'scrypt') return undefined;
  const cost = { N: Number(N), r: Number(r), p: Number(p) };
  return { cost, salt: Buffer.from(salt, 'base64url'), wanted: Buffer.from(expected, 'base64url') };
}

/** Returns why a slow hash is rejected: so short that keys match by chance, not derivable, or too slow. */
export function scryptFault(hash: string): { message: string; hint: string } | undefined {
  const read = readScrypt(hash);
  if (!read) return undefined;
  const { N, r, p } = read.cost;
  if (read.wanted.length < shortestHash)
    return { message: `is shorter than ${shortestHash} bytes`, hint: 'Derive at least 32 bytes.' };
  if (!Number.isInteger(Math.log2(N)) || N < 2 || r < 1 || p < 1)
    return { message: 'cannot be derived', hint: 'N is a power of two, at least 2; r and p are at least 1.' };
  if (N * r * p > dearest)
    return { message: 'takes too long to derive', hint: `N·r·p is at most ${dearest}, as in scrypt:262144:8:1:….` };
  return undefined;
}
