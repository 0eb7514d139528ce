import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Definition } from '../definition/definition.js';
import { type Signature, type SigningScheme, signedParts } from '../definition/signature.js';
import { allStates } from '../states/graphs.js';
import type { Headers } from './inbound.js';

export type { SigningScheme };

/** A request as it came. */
export interface SignedRequest {
  readonly headers: Headers;
  readonly body: Uint8Array;
}

/** How many signatures of one request are looked at: a sender that replaces its secret sends two. */
const mostSignatures = 10;

/** Whether a request is signed with one of the keys, and recently if the scheme says when. Every comparison takes the same time. */
export function isSigned(scheme: SigningScheme, keys: readonly string[], request: SignedRequest, now: Date): boolean {
  const { timestamp } = scheme;
  const moment = timestamp && valuesOf(request.headers, timestamp.header, timestamp.prefix)[0];
  if (timestamp && !isRecent(moment ?? '', timestamp.toleranceSec, now)) return false;
  const presented = valuesOf(request.headers, scheme.header, scheme.prefix)
    .slice(0, mostSignatures)
    // Hexadecimal digits have two cases, and senders use either.
    .map((value) => Buffer.from(scheme.encoding === 'hex' ? value.toLowerCase() : value));
  const expected = keys.map((key) => Buffer.from(signatureOf(scheme, key, request, moment ?? '')));
  let genuine = false;
  for (const mine of expected)
    for (const theirs of presented) if (theirs.length === mine.length && timingSafeEqual(theirs, mine)) genuine = true;
  return genuine;
}

/** What the scheme's header says after the prefix, for a request that is signed at `moment`. */
export function signatureOf(
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

/** The values of a header that begin with `prefix`, without it; between several stand commas or spaces. */
function valuesOf(headers: Headers, header: string, prefix: string): string[] {
  return (headers[header] ?? '')
    .split(prefix.includes(',') ? /\s+/ : /[\s,]+/)
    .filter((value) => value.startsWith(prefix))
    .map((value) => value.slice(prefix.length));
}

/** From here on, a number of seconds would be in the year 5138: it is milliseconds. */
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
    for (const { id, state } of allStates(definition))
      if ((state.type === 'wait' || state.type === 'webhook') && state.signature) signatures[id] = state.signature;
    found.set(definition, signatures);
  }
  return signatures;
}
