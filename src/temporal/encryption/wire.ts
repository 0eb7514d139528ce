import proto from '@temporalio/proto';
import type { EncryptionKeys } from '../../config/encryption.js';
import { EncryptionCodec } from './codec.js';

/** A payload in Temporal's JSON form: bytes in base64. */
interface WirePayload {
  readonly metadata?: Readonly<Record<string, string>>;
  readonly data?: string;
}

const { Payload } = proto.temporal.api.common.v1;

/** The codec for payloads as HTTP carries them. */
export function wireCodec(keys: EncryptionKeys) {
  const codec = new EncryptionCodec(keys);
  const read = (payloads: readonly WirePayload[]) => payloads.map((it) => Payload.fromObject(it));
  const written = (payloads: Awaited<ReturnType<typeof codec.encode>>) =>
    payloads.map((it) => Payload.toObject(Payload.fromObject(it), { bytes: String }) as WirePayload);
  return {
    encode: async (payloads: readonly WirePayload[]) => written(await codec.encode(read(payloads))),
    decode: async (payloads: readonly WirePayload[]) => written(await codec.decode(read(payloads))),
  };
}
