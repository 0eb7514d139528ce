import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import type { DataConverter } from '@temporalio/common';
import type { temporal } from '@temporalio/proto';
import type { Config } from '../../config/config.js';
import { encryptionKeys } from '../../config/encryption.js';
import { root } from '../bundle.js';
import { EncryptionCodec } from './codec.js';

/** How a client's values become payloads. */
export function clientConverter(config: Pick<Config, 'encryption'>): DataConverter {
  return { payloadCodecs: [new EncryptionCodec(encryptionKeys(config))] };
}

/** What a worker is created with so that what it hands to the server is encrypted, where keys are configured. */
export interface WorkerEncryption {
  readonly dataConverter: DataConverter;
  readonly workflowBundle: { readonly codePath: string } | { readonly code: string };
}

/** The SDK loads it with `require`. */
const failureConverterPath = join(root, 'workflows', 'encoded-failures.cjs');

/**
 * Failures carry messages and stacks in plain text unless their converter makes a payload of them. In the sandbox the converter is part of
 * the bundle, which cannot know the configuration: so whoever loads the bundle tells it.
 */
export function workerEncryption(
  config: Pick<Config, 'encryption'>,
  codePath: string,
  { converterPath = failureConverterPath, traces = false } = {},
): WorkerEncryption {
  const dataConverter = clientConverter(config);
  const encrypts = config.encryption.keys.length > 0;
  if (!encrypts && !traces) return { dataConverter, workflowBundle: { codePath } };
  // On the first line, so that places in the bundle stay where its source map says.
  const told = `globalThis.journeymanEncrypts=${encrypts};globalThis.journeymanTraces=${traces};`;
  return {
    dataConverter: encrypts ? { ...dataConverter, failureConverterPath: converterPath } : dataConverter,
    workflowBundle: { code: told + readFileSync(codePath, 'utf8') },
  };
}

type StartWorkflow = temporal.api.workflow.v1.INewWorkflowExecutionInfo;

/** What a Schedule starts, under the key that encrypts now: it may stand there for years, and keys are replaced sooner. */
export async function renewedAction({ options }: Client, action: StartWorkflow): Promise<StartWorkflow> {
  const [codec] = options.loadedDataConverter.payloadCodecs;
  if (!(codec instanceof EncryptionCodec)) return action;
  const [payloads, values] = await Promise.all([
    codec.renewed(action.input?.payloads ?? []),
    codec.renewed(Object.values(action.memo?.fields ?? {})),
  ]);
  const fields = Object.fromEntries(Object.keys(action.memo?.fields ?? {}).map((name, i) => [name, values[i]!]));
  return { ...action, input: { payloads }, memo: { fields } };
}
