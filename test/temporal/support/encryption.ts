import { fileURLToPath } from 'node:url';
import type { Client } from '@temporalio/client';
import type { Payload } from '@temporalio/common';
import type { Config } from '../../../src/config/config-types.js';
import { type WorkerEncryption, workerEncryption } from '../../../src/temporal/encryption/data-converter.js';
import { decodeArrayFromPayloads } from '../../../src/temporal/sdk-internals.js';

const dist = (path: string) => fileURLToPath(new URL(`../../../dist/${path}`, import.meta.url));

/** Options for a worker that a test creates: the built bundle, and the configured encryption. */
export function bundled(config: Pick<Config, 'encryption'>): WorkerEncryption {
  return workerEncryption(config, dist('workflow-bundle.js'), {
    converterPath: dist('workflows/shared/encrypt-failure-messages.cjs'),
  });
}

/** The texts of raw payloads, encrypted or not. */
export async function valuesOf({ options }: Client, payloads: Payload[] | null | undefined): Promise<unknown[]> {
  return await decodeArrayFromPayloads(options.loadedDataConverter, payloads);
}

/** Every text in the history of a run, including its payloads, encrypted or not. */
export async function historyTexts({ options, workflow }: Client, id: string): Promise<string[]> {
  const { payloadCodecs } = options.loadedDataConverter;
  const decoded = async (payload: Payload): Promise<Payload> => {
    let payloads = [payload];
    for (const codec of payloadCodecs.toReversed()) payloads = await codec.decode(payloads);
    return payloads[0]!;
  };
  const textsIn = async (value: unknown): Promise<string[]> => {
    if (typeof value === 'string') return [value];
    if (value instanceof Uint8Array) return [Buffer.from(value).toString()];
    if (typeof value !== 'object' || value === null) return [];
    const isPayload = 'data' in value && 'metadata' in value;
    const parts = Object.values(isPayload ? await decoded(value as Payload) : value);
    return (await Promise.all(parts.map(textsIn))).flat();
  };
  return await textsIn(await workflow.getHandle(id).fetchHistory());
}
