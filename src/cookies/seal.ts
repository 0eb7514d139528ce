import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/** Makes texts unreadable for whoever does not have the key, and readable again. */
export interface Sealing {
  seal(text: string): Promise<string>;
  /** Rejects when the text was sealed with another key, or changed. */
  open(sealed: string): Promise<string>;
}

const version = 'c1.';
const [ivBytes, tagBytes] = [12, 16];

/** Seals with AES-256-GCM under a key that is made from a secret for this purpose alone. */
export function sealing(secret: () => Promise<string>): Sealing {
  let key: Promise<Buffer> | undefined;
  const keyOnce = () => {
    key ??= secret().then((value) => Buffer.from(hkdfSync('sha256', value, '', 'journeyman/cookies', 32)));
    key.catch(() => {
      key = undefined;
    });
    return key;
  };
  return {
    async seal(text) {
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv('aes-256-gcm', await keyOnce(), iv);
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return version + Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url');
    },
    async open(sealed) {
      if (!sealed.startsWith(version)) throw new Error('this was not sealed here');
      const bytes = Buffer.from(sealed.slice(version.length), 'base64url');
      const cipher = createDecipheriv('aes-256-gcm', await keyOnce(), bytes.subarray(0, ivBytes));
      cipher.setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
      return cipher.update(bytes.subarray(ivBytes + tagBytes), undefined, 'utf8') + cipher.final('utf8');
    },
  };
}

/** Leaves texts as they are: for virtual time, which keeps nothing. */
export const unsealed: Sealing = { seal: async (text) => text, open: async (text) => text };
