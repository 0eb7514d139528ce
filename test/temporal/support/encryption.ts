import { fileURLToPath } from 'node:url';
import type { Client } from '@temporalio/client';
import type { Payload } from '@temporalio/common';
import type { Config } from '../../../src/config/config.js';
import { type WorkerEncryption, workerEncryption } from '../../../src/temporal/encryption/converter.js';
import { decodeArrayFromPayloads } from '../../../src/temporal/sdk.js';

const dist = (path: string) => fileURLToPath(new URL(`../../../dist/${path}`, import.meta.url));

/** What a test's own worker is created with: the built bundle, and the encryption that its configuration asks for. */
export function bundled(config: Pick<Config, 'encryption'>, bundle = 'workflow-bundle.js'): WorkerEncryption {
  return workerEncryption(config, dist(bundle), { converterPath: dist('workflows/encoded-failures.cjs') });
}

/** What raw payloads say, encrypted or not. */
export async function valuesOf({ options }: Client, payloads: Payload[] | null | undefined): Promise<unknown[]> {
  return await decodeArrayFromPayloads(options.loadedDataConverter, payloads);
}
