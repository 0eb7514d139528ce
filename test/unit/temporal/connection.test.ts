import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { loadConfig } from '../../../src/config/load-config.js';
import { connectionOptions, temporalAddress } from '../../../src/temporal/connection.js';

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'connection-'));
});
afterEach(() => {
  rmSync(cwd, { recursive: true });
});
const load = (env: NodeJS.ProcessEnv) => loadConfig({ cwd, env: { HOME: cwd, ...env } });

it('without an address it is the embedded server, in plain text and without credentials', () => {
  const config = load({ TEMPORAL_API_KEY: 'k', JOURNEYMAN_SERVER_PORT: '7000' });
  expect(temporalAddress(config)).toBe('127.0.0.1:7000');
  expect(connectionOptions(config)).toEqual({ address: '127.0.0.1:7000' });
  expect(connectionOptions(config, '127.0.0.1:7001')).toEqual({ address: '127.0.0.1:7001' });
});

it('an API key implies TLS', () => {
  const config = load({ TEMPORAL_ADDRESS: 'cloud.test:7233', TEMPORAL_API_KEY: 'k' });
  expect(connectionOptions(config)).toEqual({ address: 'cloud.test:7233', apiKey: 'k', tls: true });
});

it('mutual TLS reads its files', () => {
  for (const name of ['ca', 'cert', 'key']) writeFileSync(join(cwd, `${name}.pem`), name);
  const yaml =
    'temporal: { address: "a.test:1", tls: { caFile: ca.pem, certFile: cert.pem, keyFile: key.pem, serverName: s } }';
  writeFileSync(join(cwd, 'journeyman.config.yaml'), yaml);
  const { tls } = connectionOptions(load({})) as { tls: Record<string, unknown> };
  expect(tls.serverNameOverride).toBe('s');
  expect(Buffer.from(tls.serverRootCACertificate as Uint8Array).toString()).toBe('ca');
  expect(tls.clientCertPair).toEqual({ crt: new TextEncoder().encode('cert'), key: new TextEncoder().encode('key') });
});

it('a missing certificate is reported', () => {
  const config = load({ TEMPORAL_ADDRESS: 'a.test:1', TEMPORAL_TLS_CLIENT_CERT_PATH: join(cwd, 'none.pem') });
  expect(() => connectionOptions(config)).toThrow(/none\.pem/);
});
