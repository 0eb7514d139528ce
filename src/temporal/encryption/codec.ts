import type { Payload, PayloadCodec } from '@temporalio/common';
import proto from '@temporalio/proto';
import { seal, unseal } from '../../config/cipher.js';
import type { EncryptionKeys } from '../../config/encryption.js';
import { ProblemError, problem } from '../../problems/problem.js';

/** Temporal's own samples use the same names, so its tools know what they see. */
const encoding = 'binary/encrypted';
const keyIdField = 'encryption-key-id';

const { Payload: Wire } = proto.temporal.api.common.v1;

/**
 * Encrypts every payload on its way to the server and decrypts it on its way back. A payload that is not encrypted is read as it is: a
 * namespace may have begun without encryption, and people send plain ones with Temporal's own tools. Without keys nothing is encrypted,
 * and whatever is cannot be read, which it says.
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

  /** The same under the key that encrypts now; what is under it already stays as it is. */
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
          `It says that it was encrypted with the key "${id}", but that key does not open it.`,
        ),
      );
    }
  }
}

/** The id of the key that a payload was encrypted with; undefined for one that is not encrypted. */
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
