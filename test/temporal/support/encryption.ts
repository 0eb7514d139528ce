import { fileURLToPath } from 'node:url';
import type { Config } from '../../../src/config/config.js';
import { type WorkerEncryption, workerEncryption } from '../../../src/temporal/encryption/converter.js';

const dist = (path: string) => fileURLToPath(new URL(`../../../dist/${path}`, import.meta.url));

/** What a test's own worker is created with: the built bundle, and the encryption that its configuration asks for. */
export function bundled(config: Pick<Config, 'encryption'>, bundle = 'workflow-bundle.js'): WorkerEncryption {
  return workerEncryption(config, dist(bundle), dist('workflows/encoded-failures.cjs'));
}
