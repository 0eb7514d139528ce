import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Definition } from '../engine/definition/definition.js';
import { type Signature, type SigningScheme, signedParts } from '../engine/definition/inbound-signature-scheme.js';
import { allStates } from '../language/states/graph-traversal.js';
import { stepOf } from '../language/states/state-queries.js';
import type { Headers } from './inbound-request.js';

export type { SigningScheme };

/** A request as received. */
export interface SignedRequest {
  readonly headers: Headers;
  readonly body: Uint8Array;
}

/** Maximum number of signatures checked per request; a sender that rotates its secret sends two. */
const mostSignatures = 10;

/** Reports whether a request is signed with one of the keys and, if the scheme has a timestamp, recently. Compares in constant time. */
export function isSigned(scheme: SigningScheme, keys: readonly string[], request: SignedRequest, now: Date): boolean {
  const { timestamp } = scheme;
  const moment = timestamp && valuesOf(request.headers, timestamp.header, timestamp.prefix)[0];
  if (timestamp && !isRecent(moment ?? '', timestamp.toleranceSec, now)) return false;
  const presented = valuesOf(request.headers, scheme.header, scheme.prefix)
    .slice(0, mostSignatures)
    // Senders use either case of hexadecimal digits.
    .map((value) => Buffer.from(scheme.encoding === 'hex' ? value.toLowerCase() : value));
  const expected = keys.map((key) => Buffer.from(requestSignature(scheme, key, request, moment ?? '')));
  let genuine = false;
  for (const mine of expected)
    for (const theirs of presented) if (theirs.length === mine.length && timingSafeEqual(theirs, mine)) genuine = true;
  return genuine;
}

/** Computes the signature of a request at `moment`, without the prefix. */
export function requestSignature(
  { algorithm, encoding, content }: SigningScheme,
  key: string,
  { headers, body }: SignedRequest,
  moment: string,
): string {
  const hmac = createHmac(algorithm, key);
  for (const part of signedParts(content)) {
    if ('text' in part) hmac.update(part.text);
    else if ('header' in part) hmac.update(headers[part.header] ?? '');
    else hmac.update(part.of === 'body' ? body : moment);
  }
  return hmac.digest(encoding);
}

/** The values of a header that start with `prefix`, without it; separated by commas or spaces. */
function valuesOf(headers: Headers, header: string, prefix: string): string[] {
  return (headers[header] ?? '')
    .split(prefix.includes(',') ? /\s+/ : /[\s,]+/)
    .filter((value) => value.startsWith(prefix))
    .map((value) => value.slice(prefix.length));
}

/** Larger numbers are milliseconds: as seconds they would be after the year 5138. */
const milliseconds = 100_000_000_000;

function isRecent(moment: string, toleranceSec: number, now: Date): boolean {
  if (!/^\d{1,15}$/.test(moment)) return false;
  const given = Number(moment);
  const ms = given >= milliseconds ? given : given * 1000;
  return Math.abs(now.getTime() - ms) <= toleranceSec * 1000;
}

const found = new WeakMap<Definition, Record<string, Signature>>();

/** The steps of a journey whose submissions are signed, and how. */
export function signaturesOf(definition: Definition): Record<string, Signature> {
  let signatures = found.get(definition);
  if (signatures === undefined) {
    signatures = Object.create(null) as Record<string, Signature>;
    for (const { id, state } of allStates(definition)) {
      const signature = stepOf(state)?.step.signature;
      if (signature) signatures[id] = signature;
    }
    found.set(definition, signatures);
  }
  return signatures;
}
