import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const cipher = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/** Bytes that a key has. */
export const keyBytes = 32;

/** What sealing adds to a text, in bytes. */
export const sealBytes = nonceBytes + tagBytes;

/** Encrypts with AES-256-GCM: a random nonce, the encrypted text, the tag by which a change would be noticed. */
export function seal(key: Uint8Array, text: Uint8Array): Buffer {
  const nonce = randomBytes(nonceBytes);
  const encrypting = createCipheriv(cipher, key, nonce, { authTagLength: tagBytes });
  return Buffer.concat([nonce, encrypting.update(text), encrypting.final(), encrypting.getAuthTag()]);
}

/** What was sealed; throws if the key is another, or anything was changed. */
export function unseal(key: Uint8Array, sealed: Uint8Array): Buffer {
  if (sealed.length < sealBytes) throw new Error('It is too short.');
  const nonce = sealed.subarray(0, nonceBytes);
  const decrypting = createDecipheriv(cipher, key, nonce, { authTagLength: tagBytes });
  decrypting.setAuthTag(sealed.subarray(-tagBytes));
  return Buffer.concat([decrypting.update(sealed.subarray(nonceBytes, -tagBytes)), decrypting.final()]);
}
