import { hkdfSync } from 'node:crypto';
import { keyBytes, seal, unseal } from '../../../src/config/aes-gcm-cipher.js';

/** Encrypts and decrypts texts. */
export interface CookieCipher {
  seal(text: string): Promise<string>;
  /** Rejects if the text was encrypted with another key or was modified. */
  open(sealed: string): Promise<string>;
}

const version = 'c1.';

/** Encrypts with a key that is derived from a secret for this purpose only. */
export function cookieCipher(secret: () => Promise<string>): CookieCipher {
  let key: Promise<Buffer> | undefined;
  const keyOnce = () => {
    key ??= secret().then((value) => Buffer.from(hkdfSync('sha256', value, '', 'journeyman/cookies', keyBytes)));
    key.catch(() => {
      key = undefined;
    });
    return key;
  };
  return {
    seal: async (text) => version + seal(await keyOnce(), Buffer.from(text)).toString('base64url'),
    async open(sealed) {
      if (!sealed.startsWith(version)) throw new Error('this was not sealed here');
      return unseal(await keyOnce(), Buffer.from(sealed.slice(version.length), 'base64url')).toString();
    },
  };
}
