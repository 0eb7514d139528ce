import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Problem, ProblemError } from '../../../src/base/problems/problem.js';
import { loadConfig } from '../../../src/config/load-config.js';
import { secretReader } from '../../../src/config/read-secret.js';

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'config-'));
});
afterEach(() => {
  rmSync(cwd, { recursive: true });
});

function load(yaml?: string, env: NodeJS.ProcessEnv = {}) {
  if (yaml !== undefined) writeFileSync(join(cwd, 'journeyman.config.yaml'), yaml);
  return loadConfig({ cwd, env });
}

function problemOf(action: () => unknown): Problem {
  try {
    action();
  } catch (error) {
    return (error as ProblemError).problem;
  }
  throw new Error('nothing was refused');
}

const digest = 'a'.repeat(64);
const open = 'gateway: { host: 0.0.0.0';

it.each([
  ['an operator’s journeys', 'roles: [operator], journeys: [order]', 'journeys'],
  ['an operator’s that is also a client', 'roles: [client, operator], runs: own', 'runs'],
  ['a channel’s actions', 'roles: [channel], actions: [read]', 'actions'],
])('R14-access: an access limit without enforcement is rejected: %s', (_, limits, named) => {
  const problem = problemOf(() =>
    load(`gateway: { auth: { apiKeys: [ { id: k, hash: "sha256:${digest}", ${limits} } ] } }`),
  );
  expect(problem.errors).toMatchObject([{ pointer: `/gateway/auth/apiKeys/0/${named}` }]);
});

it.each(['Order', 'a*b', '', 'a b'])('R14-access: %j is not a valid pattern of journeys', (pattern) => {
  const key = `{ id: k, hash: "sha256:${digest}", roles: [client], journeys: ["${pattern}"] }`;
  expect(problemOf(() => load(`gateway: { auth: { apiKeys: [${key}] } }`)).code).toBe('CONFIG_FILE_INVALID');
});

it.each([
  [
    'two keys with one hash',
    `auth: { apiKeys: [ { id: a, hash: "sha256:${digest}", roles: [client] }, { id: b, hash: "sha256:${digest}", roles: [operator] } ] }`,
    '/gateway/auth/apiKeys/1/hash',
  ],
  [
    'a private key',
    'auth: { jwt: { issuer: "https://i.example", audience: us, keys: [ { kty: OKP, crv: Ed25519, x: eA, d: eA } ] } }',
    '/gateway/auth/jwt/keys/0',
  ],
  [
    'a shared secret',
    'auth: { jwt: { issuer: "https://i.example", audience: us, keys: [ { kty: oct, k: eA } ] } }',
    '/gateway/auth/jwt/keys/0',
  ],
  ['a URL with a query', 'publicUrl: "https://us.example/?a=1"', '/gateway/publicUrl'],
  ['a password in a public setting', 'publicUrl: "https://us:secret@us.example"', '/gateway/publicUrl'],
])('R14-access: %s is rejected', (_, gateway, pointer) => {
  expect(problemOf(() => load(`gateway: { ${gateway} }`)).errors).toMatchObject([{ pointer }]);
});

describe('without a file', () => {
  it('defaults apply and paths are absolute', () => {
    const config = load();
    expect(config.gateway).toMatchObject({ host: '127.0.0.1', port: 8080, auth: { apiKeys: [] } });
    expect(config.server).toMatchObject({
      dataDir: join(cwd, '.journeyman'),
      port: 7233,
      uiPort: 8233,
      retentionDays: 90,
    });
    expect(config.temporal).toEqual({ namespace: 'default', taskQueue: 'journeyman' });
    expect(config.specs).toBe(join(cwd, 'specs'));
    expect(config.source).toEqual({ baseDir: cwd, warnings: [] });
  });

  it('OpenAPI documents are read from the folder of the journeys', () => {
    expect(load().catalogue).toEqual({ overlays: [] });
    mkdirSync(join(cwd, 'specs'));
    expect(load().catalogue).toEqual({ root: join(cwd, 'specs'), overlays: [] });
    expect(load('catalogue: { root: contracts }').catalogue.root).toBe(join(cwd, 'contracts'));
  });

  it('a named file that is missing is an error', () => {
    const it = problemOf(() => loadConfig({ cwd, env: {}, file: 'other.yaml' }));
    expect(it.code).toBe('CONFIG_FILE_MISSING');
    expect(it.detail).toContain(join(cwd, 'other.yaml'));
  });

  it('JOURNEYMAN_CONFIG names the file, and relative paths start from it', () => {
    writeFileSync(join(cwd, 'prod.yaml'), 'specs: flows');
    const config = loadConfig({ cwd: '/', env: { JOURNEYMAN_CONFIG: join(cwd, 'prod.yaml') } });
    expect(config.specs).toBe(join(cwd, 'flows'));
  });

  it('the result is frozen', () => {
    const config = load('platform: { config: { greet: { limits: { most: 3 } } } }');
    expect(() => Object.assign(config.gateway, { port: 1 })).toThrow(TypeError);
    expect(() => Object.assign(config.platform.config.greet as object, { limits: 1 })).toThrow(TypeError);
  });
});

describe('a file with mistakes', () => {
  const cases: [string, string, { code?: string; pointer: string; at: [number, number]; hint?: string }][] = [
    [
      'an unknown section',
      'gatway: {}',
      { code: 'CONFIG_UNKNOWN_KEY', pointer: '/gatway', at: [1, 1], hint: 'gateway' },
    ],
    [
      'an unknown key',
      'gateway:\n  prot: 1',
      { code: 'CONFIG_UNKNOWN_KEY', pointer: '/gateway/prot', at: [2, 3], hint: 'port' },
    ],
    [
      'a deadline above its bound (dsl 21)',
      'limits:\n  duration: { defaultSec: 9, maxSec: 8 }',
      { code: 'CONFIG_VALUE_INVALID', pointer: '/limits/duration/defaultSec', at: [2, 15] },
    ],
    [
      'a deep unknown key',
      'limits:\n  expression: { fule: 9 }',
      { pointer: '/limits/expression/fule', at: [2, 17], hint: 'fuel' },
    ],
    ['nothing near', 'log:\n  xyzzy: 1', { pointer: '/log/xyzzy', at: [2, 3], hint: 'Known here: level, format' }],
    ['a wrong type', 'server:\n  port: "many"', { pointer: '/server/port', at: [2, 3] }],
    ['a port out of range', 'server: { port: 70000 }', { pointer: '/server/port', at: [1, 11] }],
    ['a misspelt choice', 'log:\n  level: wran', { pointer: '/log/level', at: [2, 3], hint: 'warn' }],
    [
      'a path where an origin belongs',
      'http:\n  rewrite:\n    https://a.test: http://b.test/x',
      { pointer: '/http/rewrite/https:~1~1a.test', at: [3, 5] },
    ],
    [
      'an item of a list',
      'catalogue:\n  overlays:\n    - a.yaml\n    - 7',
      { pointer: '/catalogue/overlays/1', at: [4, 7] },
    ],
    [
      'a literal secret',
      'secrets:\n  secret://a: hunter2',
      { pointer: '/secrets/secret:~1~1a', at: [2, 3], hint: 'Literal secrets' },
    ],
    [
      'a made-up time zone',
      'platform:\n  timezone: Mars/Base',
      { pointer: '/platform/timezone', at: [2, 3], hint: 'IANA' },
    ],
    ['one port twice', 'gateway:\n  port: 7233', { pointer: '/server/port', at: [1, 1] }],
    ['not YAML', 'gateway: [', { code: 'CONFIG_FILE_INVALID', pointer: '', at: [1, 11] }],
    ['a key twice', 'log: {}\nlog: {}', { code: 'CONFIG_FILE_INVALID', pointer: '', at: [2, 1] }],
    [
      'jwt without keys',
      'gateway:\n  auth:\n    jwt: { issuer: i, audience: a }',
      { pointer: '/gateway/auth/jwt', at: [3, 5] },
    ],
    [
      'a jwtValidate profile without keys',
      'plugins:\n  jwtValidate:\n    profiles:\n      default: { issuer: i }',
      { pointer: '/plugins/jwtValidate/profiles/default', at: [4, 7], hint: 'either jwksUri or keys' },
    ],
    [
      'a key in place of its hash',
      'plugins:\n  apiKeyValidate:\n    profiles:\n      default: { keys: [{ id: a, hash: hunter2 }] }',
      { pointer: '/plugins/apiKeyValidate/profiles/default/keys/0/hash', at: [4, 34] },
    ],
    [
      'a hash that would stall the gateway',
      `plugins:\n  apiKeyValidate:\n    profiles:\n      default: { keys: [{ id: a, hash: "scrypt:16777216:8:1:c2FsdA:${'A'.repeat(43)}" }] }`,
      { pointer: '/plugins/apiKeyValidate/profiles/default/keys/0/hash', at: [4, 34], hint: 'N·r·p is at most' },
    ],
    [
      'certificates of callers that nobody issues',
      'gateway:\n  tls: { certFile: a, keyFile: b, clientCertificates: required }',
      { pointer: '/gateway/tls/clientCaFile', at: [2, 3], hint: 'clientCaFile' },
    ],
    [
      'a proxy that has no address',
      'gateway:\n  clientCertificate: { header: X, proxies: [10.0.0.0/8, 10.0.0.0/33] }',
      { pointer: '/gateway/clientCertificate/proxies/1', at: [2, 57], hint: 'CIDR' },
    ],
  ];
  it.each(cases)('%s', (_, yaml, expected) => {
    const it = problemOf(() => load(yaml));
    expect(it.code).toBe('CONFIG_FILE_INVALID');
    expect(it.errors).toHaveLength(1);
    const [finding] = it.errors ?? [];
    expect(finding?.pointer).toBe(expected.pointer);
    expect([finding?.line, finding?.column]).toEqual(expected.at);
    if (expected.code !== undefined) expect(finding?.code).toBe(expected.code);
    if (expected.hint !== undefined) expect(`${finding?.message} ${finding?.hint}`).toContain(expected.hint);
    expect(it.detail).toContain(`journeyman.config.yaml:${expected.at.join(':')}`);
  });

  it('all are reported at once', () => {
    expect(problemOf(() => load('log: { level: loud }\ngateway: { port: x, hots: y }')).errors).toHaveLength(3);
  });

  it('a key in place of its hash is not repeated', () => {
    const it = problemOf(() =>
      load('gateway: { auth: { apiKeys: [{ id: me, hash: jm_live_0123, roles: [client] }] } }'),
    );
    expect(JSON.stringify(it)).not.toContain('jm_live_0123');
    expect(it.detail).toContain('sha256:');
  });

  it('a literal secret is not repeated', () => {
    expect(JSON.stringify(problemOf(() => load('secrets: { "secret://a": hunter2 }')))).not.toContain('hunter2');
  });
});

describe('a gateway beyond loopback', () => {
  it.each(['0.0.0.0', '::', '10.0.0.7', 'gateway.internal'])('%s is rejected without authentication', (host) => {
    const it = problemOf(() => load(`gateway: { host: "${host}" }`));
    expect(it.code).toBe('AUTH_REQUIRED');
    expect(it.detail).toContain('gateway.auth');
  });
  it.each(['127.0.0.1', '127.0.1.9', 'localhost', '::1'])('%s is loopback', (host) => {
    expect(load(`gateway: { host: "${host}" }`).gateway.host).toBe(host);
  });
  it('an API key or an issuer is enough', () => {
    load(`${open}, auth: { apiKeys: [{ id: ops, hash: "sha256:${digest}", roles: [operator] }] } }`);
    const { auth } = load(
      `${open}, auth: { jwt: { issuer: i, audience: a, jwksUri: "https://i.test/keys" } } }`,
    ).gateway;
    expect(auth.jwt).toMatchObject({ rolesClaim: 'roles', roleMap: {} });
  });
});

describe('the environment', () => {
  it('overrides the file', () => {
    const config = load('gateway: { port: 1000, bodyLimit: 5 }', {
      JOURNEYMAN_GATEWAY_PORT: '2000',
      JOURNEYMAN_SERVER_IN_MEMORY: 'true',
      JOURNEYMAN_SERVER_ARGS: '--log-config, --headless',
      JOURNEYMAN_HTTP_REWRITE: '{"https://a.test": "http://127.0.0.1:1"}',
      JOURNEYMAN_LOG_LEVEL: 'debug',
    });
    expect(config.gateway).toMatchObject({ port: 2000, bodyLimit: 5 });
    expect(config.server).toMatchObject({ inMemory: true, args: ['--log-config', '--headless'] });
    expect(config.http.rewrite).toEqual({ 'https://a.test': 'http://127.0.0.1:1' });
    expect(config.log.level).toBe('debug');
  });

  it('can configure a list of objects', () => {
    const apiKeys = JSON.stringify([{ id: 'ops', hash: `sha256:${digest}`, roles: ['operator'] }]);
    const config = load(undefined, { JOURNEYMAN_GATEWAY_HOST: '0.0.0.0', JOURNEYMAN_GATEWAY_AUTH_API_KEYS: apiKeys });
    expect(config.gateway.auth.apiKeys[0]?.id).toBe('ops');
  });

  it.each([
    ['JOURNEYMAN_GATEWAY_PORT', 'eighty'],
    ['JOURNEYMAN_SERVER_IN_MEMORY', 'perhaps'],
    ['JOURNEYMAN_HTTP_REWRITE', '{broken'],
    ['JOURNEYMAN_LOG_LEVEL', 'loud'],
  ])('an invalid %s is reported', (variable, value) => {
    expect(problemOf(() => load('', { [variable]: value })).detail).toContain(`${variable}: `);
  });

  it('an unknown variable is a warning with the nearest one', () => {
    const { warnings } = load(undefined, { JOURNEYMAN_GATEWAY_PROT: '1', JOURNEYMAN_CACHE: '/x' }).source;
    expect(warnings).toHaveLength(1);
    expect(warnings[0]?.hint).toContain('JOURNEYMAN_GATEWAY_PORT');
  });

  it('a Kubernetes service link is not a port', () => {
    const config = load(undefined, { JOURNEYMAN_GATEWAY_PORT: 'tcp://10.0.0.1:8080' });
    expect(config.gateway.port).toBe(8080);
    expect(config.source.warnings[0]?.hint).toContain('enableServiceLinks');
  });

  it('an empty variable counts as absent', () => {
    expect(load(undefined, { JOURNEYMAN_GATEWAY_PORT: '' }).gateway.port).toBe(8080);
  });
});

describe("Temporal's own settings", () => {
  it('variables override our section', () => {
    const { temporal } = load('temporal: { address: "a.test:7233", namespace: ours, taskQueue: q }', {
      TEMPORAL_ADDRESS: 'b.test:7233',
      TEMPORAL_NAMESPACE: 'theirs',
      TEMPORAL_API_KEY: 'key-0123',
      HOME: cwd,
    });
    expect(temporal).toMatchObject({ address: 'b.test:7233', namespace: 'theirs', taskQueue: 'q' });
    expect(temporal.apiKey?.reveal()).toBe('key-0123');
  });

  it('a profile file is used if it is named', () => {
    const file = join(cwd, 'temporal.toml');
    writeFileSync(
      file,
      '[profile.cloud]\naddress = "cloud.test:7233"\nnamespace = "n.acct"\n[profile.cloud.tls]\nserver_name = "s"',
    );
    const named = load(undefined, { TEMPORAL_CONFIG_FILE: file, TEMPORAL_PROFILE: 'cloud' }).temporal;
    expect(named).toMatchObject({ address: 'cloud.test:7233', namespace: 'n.acct', tls: { serverName: 's' } });
    expect(problemOf(() => load(undefined, { TEMPORAL_CONFIG_FILE: file, TEMPORAL_PROFILE: 'nope' })).detail).toContain(
      'nope',
    );
  });

  it('our section can contain TLS files and a reference to a key', () => {
    const yaml = 'temporal: { address: "a.test:1", tls: { caFile: ca.pem }, apiKey: { env: CLOUD_KEY } }';
    const { temporal } = load(yaml, { CLOUD_KEY: 'key-0456' });
    expect(temporal.tls).toEqual({ serverCACert: { path: join(cwd, 'ca.pem') } });
    expect(temporal.apiKey?.reveal()).toBe('key-0456');
    expect(problemOf(() => load(yaml, {})).code).toBe('SECRET_UNAVAILABLE');
  });

  it('a key is never printed', () => {
    const config = load(undefined, { TEMPORAL_ADDRESS: 'a.test:1', TEMPORAL_API_KEY: 'key-0789', HOME: cwd });
    for (const text of [JSON.stringify(config), inspect(config, { depth: 9 }), String(config.temporal.apiKey)]) {
      expect(text).not.toContain('key-0789');
    }
  });
});

describe('secrets', () => {
  it('are read from variables and files on demand', () => {
    const { secrets } = load('secrets: { "secret://a": { env: A }, "secret://b": { file: b.txt } }');
    const env: NodeJS.ProcessEnv = {};
    const read = secretReader(secrets, env);
    expect(problemOf(() => read('secret://a')).detail).toContain('variable A is not set');
    env.A = 'one';
    writeFileSync(join(cwd, 'b.txt'), 'two\n');
    expect([read('secret://a').reveal(), read('secret://b').reveal()]).toEqual(['one', 'two']);
  });

  it('have a hint for an unknown name', () => {
    expect(problemOf(() => secretReader({}, {})('secret://x'))).toMatchObject({ code: 'SECRET_UNKNOWN' });
    expect(problemOf(() => secretReader({}, {})('toString')).code).toBe('SECRET_UNKNOWN');
  });
});
