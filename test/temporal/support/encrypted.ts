import { vi } from 'vitest';
import type { LoadConfigOptions } from '../../../src/config/load-config.js';
import { keyOfTests } from './codec-server.js';

/*
 * With PAYLOAD_CODEC=1 every process of the tests encrypts: those that a test starts find the keys in the environment that they inherit,
 * and whatever reads its configuration here is given them, unless it has keys of its own.
 */
if (process.env.PAYLOAD_CODEC) {
  process.env.ENCRYPTION_KEY_OF_TESTS = keyOfTests.toString('base64');
  process.env.JOURNEYMAN_ENCRYPTION_KEYS = JSON.stringify([{ id: 'tests', key: { env: 'ENCRYPTION_KEY_OF_TESTS' } }]);
}

vi.mock('../../../src/config/load-config.js', async (original) => {
  const actual = await original<typeof import('../../../src/config/load-config.js')>();
  const { JOURNEYMAN_ENCRYPTION_KEYS } = process.env;
  const loadConfig = ({ env = process.env, ...options }: LoadConfigOptions = {}) =>
    actual.loadConfig({ ...options, env: { JOURNEYMAN_ENCRYPTION_KEYS, ...env } });
  return { ...actual, loadConfig };
});
