/** Rotates 32 bits to the left. */
function rotate(n: number, by: number): number {
  return (n << by) | (n >>> (32 - by));
}

/** The message with its padding: a one bit, zeros, and the length in bits, in blocks of `block` bytes. */
function padded(bytes: Uint8Array, block: 64 | 128, bigEndian: boolean): DataView {
  const lengthSize = block / 8;
  const size = Math.ceil((bytes.length + 1 + lengthSize) / block) * block;
  const out = new Uint8Array(size);
  out.set(bytes);
  out[bytes.length] = 0x80;
  const view = new DataView(out.buffer);
  const [low, high] = [(bytes.length * 8) >>> 0, Math.floor(bytes.length / 0x2000_0000)];
  view.setUint32(size - (bigEndian ? 4 : 8), low, !bigEndian);
  view.setUint32(size - (bigEndian ? 8 : 4), high, !bigEndian);
  return view;
}

function words(values: Iterable<number>, littleEndian: boolean): Uint8Array {
  const all = [...values];
  const view = new DataView(new ArrayBuffer(all.length * 4));
  for (const [i, value] of all.entries()) view.setUint32(i * 4, value, littleEndian);
  return new Uint8Array(view.buffer);
}

const md5Shifts = [7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21];
const md5Sines = Array.from({ length: 64 }, (_, i) => Math.floor(Math.abs(Math.sin(i + 1)) * 0x1_0000_0000) >>> 0);

function md5Round(i: number, b: number, c: number, d: number): [mix: number, at: number] {
  if (i < 16) return [(b & c) | (~b & d), i];
  if (i < 32) return [(d & b) | (~d & c), (5 * i + 1) % 16];
  if (i < 48) return [b ^ c ^ d, (3 * i + 5) % 16];
  return [c ^ (b | ~d), (7 * i) % 16];
}

function md5(bytes: Uint8Array): Uint8Array {
  const view = padded(bytes, 64, false);
  const state = Uint32Array.of(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476);
  for (let block = 0; block < view.byteLength; block += 64) {
    let [a, b, c, d] = state as unknown as [number, number, number, number];
    for (let i = 0; i < 64; i++) {
      const [mix, at] = md5Round(i, b, c, d);
      const sum = (a + mix + md5Sines[i]! + view.getUint32(block + at * 4, true)) | 0;
      [a, d, c, b] = [d, c, b, (b + rotate(sum, md5Shifts[(i >> 4) * 4 + (i % 4)]!)) | 0];
    }
    for (const [i, value] of [a, b, c, d].entries()) state[i] = state[i]! + value;
  }
  return words(state, true);
}

function sha1(bytes: Uint8Array): Uint8Array {
  const view = padded(bytes, 64, true);
  const state = Uint32Array.of(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0);
  const w = new Uint32Array(80);
  for (let block = 0; block < view.byteLength; block += 64) {
    for (let i = 0; i < 80; i++)
      w[i] = i < 16 ? view.getUint32(block + i * 4) : rotate(w[i - 3]! ^ w[i - 8]! ^ w[i - 14]! ^ w[i - 16]!, 1);
    let [a, b, c, d, e] = state as unknown as [number, number, number, number, number];
    for (let i = 0; i < 80; i++) {
      const [mix, constant] =
        i < 20
          ? [(b & c) | (~b & d), 0x5a827999]
          : i < 40
            ? [b ^ c ^ d, 0x6ed9eba1]
            : i < 60
              ? [(b & c) | (b & d) | (c & d), 0x8f1bbcdc]
              : [b ^ c ^ d, 0xca62c1d6];
      const next = (rotate(a, 5) + mix + e + constant + w[i]!) | 0;
      [e, d, c, b, a] = [d, c, rotate(b, 30), a, next];
    }
    for (const [i, value] of [a, b, c, d, e].entries()) state[i] = state[i]! + value;
  }
  return words(state, false);
}

function firstPrimes(count: number): bigint[] {
  const primes: bigint[] = [];
  for (let n = 2n; primes.length < count; n++) if (primes.every((p) => n % p !== 0n)) primes.push(n);
  return primes;
}

/** The largest whole number whose `degree`-th power is at most `n`. */
function root(n: bigint, degree: bigint): bigint {
  let [low, high] = [0n, 1n << (BigInt(n.toString(2).length) / degree + 1n)];
  while (low < high) {
    const middle = (low + high + 1n) >> 1n;
    if (middle ** degree <= n) low = middle;
    else high = middle - 1n;
  }
  return low;
}

/** The first `bits` bits after the point of a root of a prime: what SHA-2 takes its constants from. */
function fraction(prime: bigint, degree: bigint, bits: bigint): bigint {
  return BigInt.asUintN(Number(bits), root(prime << (bits * degree), degree));
}

/** SHA-2 in words of 32 or 64 bits. */
class Sha2 {
  private readonly constants: bigint[];
  constructor(
    private readonly bits: 32 | 64,
    private readonly turns: readonly number[],
  ) {
    const rounds = bits === 32 ? 64 : 80;
    this.constants = firstPrimes(rounds).map((p) => fraction(p, 3n, BigInt(bits)));
  }

  private turned(n: bigint, by: number): bigint {
    return BigInt.asUintN(this.bits, (n >> BigInt(by)) | (n << BigInt(this.bits - by)));
  }

  private mixed(n: bigint, at: number, shift: boolean): bigint {
    const [a, b, c] = this.turns.slice(at, at + 3) as [number, number, number];
    return this.turned(n, a) ^ this.turned(n, b) ^ (shift ? n >> BigInt(c) : this.turned(n, c));
  }

  digest(bytes: Uint8Array, start: readonly bigint[], size: number): Uint8Array {
    const width = this.bits / 8;
    const view = padded(bytes, this.bits === 32 ? 64 : 128, true);
    const cut = (n: bigint) => BigInt.asUintN(this.bits, n);
    const state = [...start];
    for (let block = 0; block < view.byteLength; block += 16 * width) {
      const w: bigint[] = [];
      for (let i = 0; i < this.constants.length; i++) {
        if (i < 16) w.push(width === 4 ? BigInt(view.getUint32(block + i * 4)) : view.getBigUint64(block + i * 8));
        else w.push(cut(w[i - 16]! + this.mixed(w[i - 15]!, 0, true) + w[i - 7]! + this.mixed(w[i - 2]!, 3, true)));
      }
      let [a, b, c, d, e, f, g, h] = state as [bigint, bigint, bigint, bigint, bigint, bigint, bigint, bigint];
      for (const [i, constant] of this.constants.entries()) {
        const first = cut(h + this.mixed(e, 9, false) + ((e & f) ^ (~e & g)) + constant + w[i]!);
        const second = cut(this.mixed(a, 6, false) + ((a & b) ^ (a & c) ^ (b & c)));
        [h, g, f, e, d, c, b, a] = [g, f, e, cut(d + first), c, b, a, cut(first + second)];
      }
      for (const [i, value] of [a, b, c, d, e, f, g, h].entries()) state[i] = cut(state[i]! + value);
    }
    const out = new DataView(new ArrayBuffer(8 * width));
    for (const [i, value] of state.entries())
      if (width === 4) out.setUint32(i * 4, Number(value));
      else out.setBigUint64(i * 8, value);
    return new Uint8Array(out.buffer).slice(0, size);
  }
}

/** A way to hash: the digest, and the size of the blocks it works in. */
export interface Digest {
  readonly block: 64 | 128;
  readonly hash: (bytes: Uint8Array) => Uint8Array;
}

function lazily<X>(make: () => X): () => X {
  let made: X | undefined;
  return () => (made ??= make());
}

const sha2Short = lazily(() => new Sha2(32, [7, 18, 3, 17, 19, 10, 2, 13, 22, 6, 11, 25]));
const sha2Long = lazily(() => new Sha2(64, [1, 8, 7, 19, 61, 6, 28, 34, 39, 14, 18, 41]));
const startShort = lazily(() => firstPrimes(8).map((p) => fraction(p, 2n, 32n)));
const startLong = lazily(() => firstPrimes(8).map((p) => fraction(p, 2n, 64n)));
const laterLong = lazily(() =>
  firstPrimes(16)
    .slice(8)
    .map((p) => fraction(p, 2n, 64n)),
);
const laterShort = lazily(() => laterLong().map((n) => BigInt.asUintN(32, n)));

/** The digests by their names without dashes, in capitals. */
export const digests: ReadonlyMap<string, Digest> = new Map<string, Digest>([
  ['MD5', { block: 64, hash: md5 }],
  ['SHA1', { block: 64, hash: sha1 }],
  ['SHA224', { block: 64, hash: (it) => sha2Short().digest(it, laterShort(), 28) }],
  ['SHA256', { block: 64, hash: (it) => sha2Short().digest(it, startShort(), 32) }],
  ['SHA384', { block: 128, hash: (it) => sha2Long().digest(it, laterLong(), 48) }],
  ['SHA512', { block: 128, hash: (it) => sha2Long().digest(it, startLong(), 64) }],
]);

/** The keyed digest of a message (RFC 2104). */
export function hmac(digest: Digest, key: Uint8Array, message: Uint8Array): Uint8Array {
  const short = key.length > digest.block ? digest.hash(key) : key;
  const filled = new Uint8Array(digest.block);
  filled.set(short);
  const joined = (pad: number, rest: Uint8Array) => Uint8Array.from([...filled.map((it) => it ^ pad), ...rest]);
  return digest.hash(joined(0x5c, digest.hash(joined(0x36, message))));
}
