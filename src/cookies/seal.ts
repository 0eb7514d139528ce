import { hkdfSync } from 'node:crypto';
import { keyBytes, seal, unseal } from '../config/cipher.js';

/** Makes texts unreadable for whoever does not have the key, and readable again. */
export interface Sealing {
  seal(text: string): Promise<string>;
  /** Rejects when the text was sealed with another key, or changed. */
  open(sealed: string): Promise<string>;
}

const version = 'c1.';

/** Seals under a key that is made from a secret for this purpose alone. */
export function sealing(secret: () => Promise<string>): Sealing {
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

/** Leaves texts as they are: for virtual time, which keeps nothing. */
export const unsealed: Sealing = { seal: async (text) => text, open: async (text) => text };
