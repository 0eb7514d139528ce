import { refuse } from '../../base/problems/problem.js';
import type { Secret } from '../../config/read-secret.js';
import { isSigned, requestSignature, type SignedRequest, type SigningScheme } from '../../service/request-signature.js';

/** Maximum age of a signed request, and maximum lead of the sender's clock, to limit replays. */
const toleranceSec = 300;

/** A signature scheme: `<version>=` and the hex HMAC-SHA256 of `<version>:<Unix seconds>:<body>`. */
export interface ChannelScheme {
  readonly version: string;
  readonly signatureHeader: string;
  readonly timestampHeader: string;
}

/** The headers that sign `body`. */
export function signMessage(scheme: ChannelScheme, secret: Secret, body: Uint8Array, now: Date) {
  const timestamp = String(Math.floor(now.getTime() / 1000));
  const signature = requestSignature(schemeOf(scheme), secret.reveal(), { headers: {}, body }, timestamp);
  return { [scheme.timestampHeader]: timestamp, [scheme.signatureHeader]: `${scheme.version}=${signature}` };
}

/** Rejects a request that is not signed with `secret`, or not recently. The reason is not revealed. */
export function verifyMessage(scheme: ChannelScheme, secret: Secret, request: SignedRequest, now: Date): void {
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
