import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Secret } from '../config/secret.js';
import { refuse } from '../problems/problem.js';
import type { Headers } from '../service/inbound.js';

/** How old a signed request may be, and how far ahead the sender's clock: what was overheard is soon worthless. */
const toleranceSec = 300;

/** A way of signing: `<version>=` and the hex HMAC-SHA256 of `<version>:<Unix seconds>:<body>`. */
export interface SigningScheme {
  readonly version: string;
  readonly signatureHeader: string;
  readonly timestampHeader: string;
}

/** The headers that sign `body`. */
export function sign(
  { version, signatureHeader, timestampHeader }: SigningScheme,
  secret: Secret,
  body: Uint8Array,
  now: Date,
) {
  const timestamp = String(Math.floor(now.getTime() / 1000));
  return { [timestampHeader]: timestamp, [signatureHeader]: signature(version, secret, timestamp, body) };
}

/** Refuses a request that is not signed with `secret`, or not recently. It does not say what is wrong: that helps nobody who may know. */
export function verify(
  { version, signatureHeader, timestampHeader }: SigningScheme,
  secret: Secret,
  { headers, body }: { readonly headers: Headers; readonly body: Uint8Array },
  now: Date,
): void {
  const timestamp = headers[timestampHeader] ?? '';
  const presented = Buffer.from(headers[signatureHeader] ?? '');
  const expected = Buffer.from(signature(version, secret, timestamp, body));
  const genuine = presented.length === expected.length && timingSafeEqual(presented, expected);
  const recent = /^\d{1,12}$/.test(timestamp) && Math.abs(now.getTime() / 1000 - Number(timestamp)) <= toleranceSec;
  if (!genuine || !recent) refuse('UNAUTHENTICATED', 'The signature is missing, wrong or too old.');
}

function signature(version: string, secret: Secret, timestamp: string, body: Uint8Array): string {
  const hmac = createHmac('sha256', secret.reveal()).update(`${version}:${timestamp}:`).update(body);
  return `${version}=${hmac.digest('hex')}`;
}
