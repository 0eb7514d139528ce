import { vi } from 'vitest';
import type { LoadConfigOptions } from '../../../src/config/load-config.js';
import { keyOfTests } from './codec-server.js';

/*
 * With PAYLOAD_CODEC=1 every process of the tests encrypts: processes that a test starts inherit the keys in their environment,
 * and configurations that are read here include them, unless they have their own.
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
