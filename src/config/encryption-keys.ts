import { refuse } from '../base/problems/problem.js';
import { keyBytes } from './aes-gcm-cipher.js';
import type { Config } from './config-types.js';
import { readSecret } from './read-secret.js';

/** Encryption keys of payloads by id: the first encrypts, all of them decrypt. */
export type EncryptionKeys = ReadonlyMap<string, Uint8Array>;

/** Reads the configured keys; none if payloads are not encrypted. */
export function encryptionKeys({ encryption }: Pick<Config, 'encryption'>, env = process.env): EncryptionKeys {
  return new Map(
    encryption.keys.map(({ id, key }) => {
      const name = `The encryption key "${id}"`;
      return [id, keyOf(name, readSecret(name, key, env).reveal().trim())];
    }),
  );
}

/** 32 bytes in hex or base64. */
function keyOf(name: string, text: string): Uint8Array {
  const isHex = /^[0-9a-f]{64}$/i.test(text);
  const bytes = Buffer.from(text, isHex ? 'hex' : 'base64');
  if ((isHex || /^[\w+/-]+=*$/.test(text)) && bytes.length === keyBytes) return bytes;
  return refuse('CONFIG_VALUE_INVALID', `${name} is not ${keyBytes} bytes in base64 or hex`, {
    pointer: '/encryption/keys',
    hint: 'Generate one with `openssl rand -base64 32`.',
  });
}
