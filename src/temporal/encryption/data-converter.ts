import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import type { DataConverter } from '@temporalio/common';
import type { temporal } from '@temporalio/proto';
import type { Config } from '../../config/config-types.js';
import { encryptionKeys } from '../../config/encryption-keys.js';
import { root } from '../worker/workflow-bundle.js';
import { EncryptionCodec } from './payload-codec.js';

/** The data converter of a client. */
export function clientConverter(config: Pick<Config, 'encryption'>): DataConverter {
  return { payloadCodecs: [new EncryptionCodec(encryptionKeys(config))] };
}

/** Worker options for encryption, if keys are configured. */
export interface WorkerEncryption {
  readonly dataConverter: DataConverter;
  readonly workflowBundle: { readonly codePath: string } | { readonly code: string };
}

/** Loaded by the SDK with `require`. */
const failureConverterPath = join(root, 'workflows', 'shared', 'encrypt-failure-messages.cjs');

/**
 * Failures contain messages and stacks in plain text unless their converter encodes them. In the sandbox the converter is part of the bundle,
 * which does not know the configuration, so the setting is added when the bundle is loaded.
 */
export function workerEncryption(
  config: Pick<Config, 'encryption'>,
  codePath: string,
  { converterPath = failureConverterPath, traces = false } = {},
): WorkerEncryption {
  const dataConverter = clientConverter(config);
  const encrypts = config.encryption.keys.length > 0;
  if (!encrypts && !traces) return { dataConverter, workflowBundle: { codePath } };
  // On the first line, so that the source map stays valid.
  const globals = `globalThis.journeymanEncrypts=${encrypts};globalThis.journeymanTraces=${traces};`;
  return {
    dataConverter: encrypts ? { ...dataConverter, failureConverterPath: converterPath } : dataConverter,
    workflowBundle: { code: globals + readFileSync(codePath, 'utf8') },
  };
}

type StartWorkflow = temporal.api.workflow.v1.INewWorkflowExecutionInfo;

/** Re-encrypts the action of a Schedule with the current key: it may exist for years, and keys are rotated sooner. */
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
