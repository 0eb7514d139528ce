/** How the requests of another system are signed: an HMAC over the body and what goes with it. */
export interface SigningScheme {
  algorithm: 'sha1' | 'sha256' | 'sha512';
  encoding: 'hex' | 'base64';
  /** The header that holds the signature, in lower case. Of several values, with commas or spaces between, those with the prefix count. */
  header: string;
  prefix: string;
  /** What is signed: a text with `{body}`, `{timestamp}` and `{header:<name>}`. */
  content: string;
  /** Where the moment of signing stands, in Unix seconds or milliseconds, and how far it may be from now. */
  timestamp?: { header: string; prefix: string; toleranceSec: number };
}

/** What the submissions of a step must be signed with. Any one of the secrets will do, so that one can replace another. */
export interface Signature extends SigningScheme {
  secretRefs: string[];
}

/** A piece of what is signed. */
export type SignedPart = { text: string } | { of: 'body' | 'timestamp' } | { header: string };

const placeholder = /\{(body|timestamp|header:[^{}]*)\}/g;

/** The pieces of what is signed, in their order. */
export function signedParts(content: string): SignedPart[] {
  return content.split(placeholder).map((piece, i) => {
    if (i % 2 === 0) return { text: piece };
    if (piece === 'body' || piece === 'timestamp') return { of: piece };
    return { header: piece.slice('header:'.length).toLowerCase() };
  });
}
