import { hmac } from '@noble/hashes/hmac';
import { sha256 } from '@noble/hashes/sha2';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/**
 * The id of a run's journey: derived from the run, so that one run never has two journeys, and formed like every other journey's id,
 * 128 bits as 22 characters of base64url. It cannot be computed without the key.
 */
export function childIdOf(idKey: string, run: string): string {
  const bytes = hmac(sha256, utf8ToBytes(idKey), utf8ToBytes(run)).subarray(0, 16);
  let bits = 0;
  let held = 0;
  let id = '';
  for (const byte of bytes) {
    held = (held << 8) | byte;
    bits += 8;
    while (bits >= 6) {
      bits -= 6;
      id += alphabet[(held >> bits) & 63];
    }
    held &= (1 << bits) - 1;
  }
  return id + alphabet[(held << (6 - bits)) & 63];
}

/**
 * The key of a run: its handler, a digest of its events or time, and the attempt. The same events give the same key, so that a pipeline that
 * was reset finds the child it had started instead of starting a second one.
 */
export function runKey(handler: string, about: readonly string[], attempt: number): string {
  const digest = bytesToHex(sha256(utf8ToBytes(JSON.stringify(about)))).slice(0, 20);
  return `${handler}-${digest}-${attempt}`;
}
