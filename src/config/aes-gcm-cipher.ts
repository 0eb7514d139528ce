import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const cipher = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/** The length of a key in bytes. */
export const keyBytes = 32;

/** The bytes that encryption adds to a text. */
export const sealBytes = nonceBytes + tagBytes;

/** Encrypts with AES-256-GCM: a random nonce, the ciphertext, the authentication tag. */
export function seal(key: Uint8Array, text: Uint8Array): Buffer {
  const nonce = randomBytes(nonceBytes);
  const encrypting = createCipheriv(cipher, key, nonce, { authTagLength: tagBytes });
  return Buffer.concat([nonce, encrypting.update(text), encrypting.final(), encrypting.getAuthTag()]);
}

/** Decrypts; throws for another key or a changed text. */
export function unseal(key: Uint8Array, sealed: Uint8Array): Buffer {
  if (sealed.length < sealBytes) throw new Error('It is too short.');
  const nonce = sealed.subarray(0, nonceBytes);
  const decrypting = createDecipheriv(cipher, key, nonce, { authTagLength: tagBytes });
  decrypting.setAuthTag(sealed.subarray(-tagBytes));
  return Buffer.concat([decrypting.update(sealed.subarray(nonceBytes, -tagBytes)), decrypting.final()]);
}
