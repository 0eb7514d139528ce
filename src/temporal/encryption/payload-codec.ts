import type { Payload, PayloadCodec } from '@temporalio/common';
import proto from '@temporalio/proto';
import { ProblemError, problem } from '../../base/problems/problem.js';
import { seal, unseal } from '../../config/aes-gcm-cipher.js';
import type { EncryptionKeys } from '../../config/encryption-keys.js';

/** The names used in Temporal's samples, known to its tools. */
const encoding = 'binary/encrypted';
const keyIdField = 'encryption-key-id';

const { Payload: Wire } = proto.temporal.api.common.v1;

/**
 * Encrypts payloads sent to the server and decrypts received ones. Plain payloads pass through: a namespace may have started without encryption,
 * and Temporal's tools send plain ones. Without keys, nothing is encrypted, and encrypted payloads are rejected
 * with a clear error.
 */
export class EncryptionCodec implements PayloadCodec {
  private readonly current: string | undefined;

  constructor(private readonly keys: EncryptionKeys) {
    [this.current] = keys.keys();
  }

  async encode(payloads: Payload[]): Promise<Payload[]> {
    const id = this.current;
    return id === undefined ? payloads : payloads.map((payload) => this.encrypted(id, payload));
  }

  async decode(payloads: Payload[]): Promise<Payload[]> {
    return payloads.map((payload) => {
      const id = keyIdOf(payload);
      return id === undefined ? payload : this.decrypted(id, payload);
    });
  }

  /** Re-encrypts a payload with the current key, if needed. */
  async renewed(payloads: Payload[]): Promise<Payload[]> {
    const renew = async (payload: Payload) =>
      keyIdOf(payload) === this.current ? payload : (await this.encode(await this.decode([payload])))[0]!;
    return this.current === undefined ? payloads : await Promise.all(payloads.map(renew));
  }

  private encrypted(id: string, payload: Payload): Payload {
    return {
      metadata: { encoding: Buffer.from(encoding), [keyIdField]: Buffer.from(id) },
      data: seal(this.keys.get(id)!, Wire.encode(payload).finish()),
    };
  }

  private decrypted(id: string, { data }: Payload): Payload {
    const key = this.keys.get(id);
    if (!key) throw new ProblemError(problem('PAYLOAD_KEY_UNKNOWN', unknownKey(id, [...this.keys.keys()])));
    try {
      return Wire.decode(unseal(key, data ?? new Uint8Array()));
    } catch {
      throw new ProblemError(
        problem(
          'PAYLOAD_UNREADABLE',
          `It is marked as encrypted with the key "${id}", but cannot be decrypted with it.`,
        ),
      );
    }
  }
}

/** The id of the key that encrypted a payload; undefined for a plain one. */
export function keyIdOf({ metadata }: Payload): string | undefined {
  if (!metadata || textOf(metadata.encoding) !== encoding) return undefined;
  return textOf(metadata[keyIdField]);
}

function textOf(bytes: Uint8Array | null | undefined): string {
  return Buffer.from(bytes ?? []).toString('utf8');
}

function unknownKey(id: string, known: string[]): string {
  const has = known.length === 0 ? 'has none' : `has ${known.map((it) => `"${it}"`).join(', ')}`;
  return `It was encrypted with the key "${id}"; this process ${has}.`;
}

/** A Temporal payload in JSON, with bytes in base64. */
interface WirePayload {
  readonly metadata?: Readonly<Record<string, string>>;
  readonly data?: string;
}

/** The codec for payloads in JSON. */
export function jsonCodec(keys: EncryptionKeys) {
  const codec = new EncryptionCodec(keys);
  const read = (payloads: readonly WirePayload[]) => payloads.map((it) => Wire.fromObject(it));
  const written = (payloads: Awaited<ReturnType<typeof codec.encode>>) =>
    payloads.map((it) => Wire.toObject(Wire.fromObject(it), { bytes: String }) as WirePayload);
  return {
    encode: async (payloads: readonly WirePayload[]) => written(await codec.encode(read(payloads))),
    decode: async (payloads: readonly WirePayload[]) => written(await codec.decode(read(payloads))),
  };
}
