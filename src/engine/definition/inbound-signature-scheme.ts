/** The signing scheme of another system's requests: an HMAC over the body and other parts. */
export interface SigningScheme {
  algorithm: 'sha1' | 'sha256' | 'sha512';
  encoding: 'hex' | 'base64';
  /** The header that holds the signature, in lower case. If it has several values, separated by commas or spaces, those with the prefix count. */
  header: string;
  prefix: string;
  /** The signed content: a text with `{body}`, `{timestamp}` and `{header:<name>}`. */
  content: string;
  /** The location of the signing time, in Unix seconds or milliseconds, and its tolerance. */
  timestamp?: { header: string; prefix: string; toleranceSec: number };
}

/** The signature that a step requires of its submissions. Any one of the secrets is accepted, so that they can be rotated. */
export interface Signature extends SigningScheme {
  secretRefs: string[];
}

/** A part of the signed content. */
export type SignedPart = { text: string } | { of: 'body' | 'timestamp' } | { header: string };

const placeholder = /\{(body|timestamp|header:[^{}]*)\}/g;

/** The parts of the signed content, in order. */
export function signedParts(content: string): SignedPart[] {
  return content.split(placeholder).map((piece, i) => {
    if (i % 2 === 0) return { text: piece };
    if (piece === 'body' || piece === 'timestamp') return { of: piece };
    return { header: piece.slice('header:'.length).toLowerCase() };
  });
}
