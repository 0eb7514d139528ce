import type { Secret } from '../config/secret.js';
import { refuse } from '../problems/problem.js';
import { isSigned, type SignedRequest, type SigningScheme, signatureOf } from '../service/signature.js';

/** How old a signed request may be, and how far ahead the sender's clock: what was overheard is soon worthless. */
const toleranceSec = 300;

/** A way of signing: `<version>=` and the hex HMAC-SHA256 of `<version>:<Unix seconds>:<body>`. */
export interface ChannelScheme {
  readonly version: string;
  readonly signatureHeader: string;
  readonly timestampHeader: string;
}

/** The headers that sign `body`. */
export function sign(scheme: ChannelScheme, secret: Secret, body: Uint8Array, now: Date) {
  const timestamp = String(Math.floor(now.getTime() / 1000));
  const signature = signatureOf(schemeOf(scheme), secret.reveal(), { headers: {}, body }, timestamp);
  return { [scheme.timestampHeader]: timestamp, [scheme.signatureHeader]: `${scheme.version}=${signature}` };
}

/** Refuses a request that is not signed with `secret`, or not recently. It does not say what is wrong: that helps nobody who may know. */
export function verify(scheme: ChannelScheme, secret: Secret, request: SignedRequest, now: Date): void {
  if (isSigned(schemeOf(scheme), [secret.reveal()], request, now)) return;
  refuse('UNAUTHENTICATED', 'The signature is missing, wrong or too old.');
}

function schemeOf({ version, signatureHeader, timestampHeader }: ChannelScheme): SigningScheme {
  return {
    algorithm: 'sha256',
    encoding: 'hex',
    header: signatureHeader,
    prefix: `${version}=`,
    content: `${version}:{timestamp}:{body}`,
    timestamp: { header: timestampHeader, prefix: '', toleranceSec },
  };
}
