import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { configSchema } from '../../../src/config/config-schema.js';
import { loadConfig } from '../../../src/config/load-config.js';
import { settingsOf } from '../../../src/config/settings-from-schema.js';

interface Service {
  image: string;
  environment?: Record<string, string>;
  command?: string[];
  ports?: string[];
  depends_on?: Record<string, unknown>;
  healthcheck?: { test: string[] };
  deploy?: { replicas: string };
  stop_grace_period?: string;
}

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
const compose = parse(read('docker-compose.yml'), { merge: true }) as { services: Record<string, Service> };
const service = (name: string) => compose.services[name] as Service;
const defaults = loadConfig({ cwd: '/', env: {} });

/** The service's environment as Compose would set it, with example values for what the operator must provide. */
function environment(name: string): Record<string, string> {
  const values: Record<string, string> = {
    JOURNEYMAN_API_KEY_HASH: `sha256:${'0'.repeat(64)}`,
    POSTGRES_PASSWORD: 'x',
  };
  const fill = (text: string) =>
    text.replaceAll(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_, key: string, kind: string, rest: string) => {
      return values[key] ?? (kind === '-' ? rest : '');
    });
  return Object.fromEntries(Object.entries(service(name).environment ?? {}).map(([key, value]) => [key, fill(value)]));
}

describe('docker-compose.yml', () => {
  it('is valid by the Compose Specification', () => {
    const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
    const check = ajv.compile(JSON.parse(read('test/fixtures/compose-spec/compose-spec.json')) as object);
    check(compose);
    expect(check.errors ?? []).toEqual([]);
  });

  it('has every part, with pinned images', () => {
    expect(Object.keys(compose.services)).toEqual(
      expect.arrayContaining(['postgresql', 'temporal', 'temporal-ui', 'gateway', 'worker']),
    );
    for (const { image } of Object.values(compose.services)) expect(image).toMatch(/:\d+\.\d+/);
  });

  it('waits only for services that exist, and for health only if there is a health check', () => {
    for (const { depends_on } of Object.values(compose.services)) {
      for (const [name, how] of Object.entries(depends_on ?? {})) {
        expect(Object.keys(compose.services)).toContain(name);
        const { condition } = how as { condition: string };
        if (condition === 'service_healthy') expect(service(name).healthcheck).toBeDefined();
      }
    }
  });

  it.each(['gateway', 'worker'])('has a valid configuration for the %s', (name) => {
    const env = environment(name);
    const known = new Set(settingsOf(configSchema).map(({ variable }) => variable));
    for (const key of Object.keys(env)) if (key.startsWith('JOURNEYMAN_')) expect(known).toContain(key);
    const config = loadConfig({ cwd: '/', env });
    expect(config.source.warnings).toEqual([]);
    expect(config.temporal.address).toBe('temporal:7233');
    expect(config.temporal.namespace).toBe(defaults.temporal.namespace);
    expect(service(name).command).toEqual([name]);
  });

  it('agrees with the defaults: ports, retention, grace period', () => {
    const { gateway, server, worker } = defaults;
    expect(service('gateway').ports).toEqual([`127.0.0.1:${gateway.port}:${gateway.port}`]);
    expect(service('temporal').ports).toEqual([`127.0.0.1:${server.port}:7233`]);
    expect(service('temporal-ui').ports?.[0]).toContain(`127.0.0.1:${server.uiPort}:`);
    expect(service('temporal-namespace').command?.join()).toContain(`--retention ${server.retentionDays}d`);
    expect(Number.parseInt(service('worker').stop_grace_period ?? '', 10) * 1000).toBeGreaterThan(
      worker.shutdownGraceMs,
    );
    expect(service('worker').deploy?.replicas).toContain('JOURNEYMAN_WORKERS');
  });

  it.each(['gateway', 'worker'])('HOME-4 checks the readiness of the %s', (name) => {
    const config = loadConfig({ cwd: '/', env: environment(name) });
    const port = name === 'gateway' ? config.gateway.port : config.worker.healthPort;
    expect(service(name).healthcheck?.test.at(-1)).toContain(`http://127.0.0.1:${port}/readyz`);
  });

  it('does not start a gateway without authentication', () => {
    const { JOURNEYMAN_GATEWAY_AUTH_API_KEYS: _, ...open } = environment('gateway');
    expect(() => loadConfig({ cwd: '/', env: open })).toThrow(/gateway.auth/);
  });
});
