import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Check, examine } from '../../../src/cli/doctor-checks.js';
import { loadConfig } from '../../../src/config/load.js';
import { freePort } from '../../../src/temporal/server/ports.js';
import { type Way, WayFailed } from '../../../src/temporal/server/way.js';

let cwd: string;
let ports: NodeJS.ProcessEnv;
beforeEach(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'doctor-'));
  mkdirSync(join(cwd, 'specs'));
  writeFileSync(join(cwd, 'specs', 'one.journey.yaml'), 'kind: Journey');
  const [server, gateway] = [await freePort('127.0.0.1'), await freePort('127.0.0.1')];
  ports = {
    JOURNEYMAN_SERVER_PORT: `${server}`,
    JOURNEYMAN_GATEWAY_PORT: `${gateway}`,
    JOURNEYMAN_SERVER_UI_PORT: '0',
  };
});
afterEach(() => {
  rmSync(cwd, { recursive: true });
});

const none: Way = {
  id: 'none',
  title: 'a way that fails',
  installs: false,
  find: () => Promise.reject(new WayFailed('no luck', 'Try harder.')),
};
const some: Way = { id: 'some', title: 'a way', installs: false, find: async () => ({ path: '/t', version: '9.9.9' }) };
const later: Way = { ...some, id: 'later', title: 'a way that installs', installs: true };

async function checks(env: NodeJS.ProcessEnv, ways: Way[] = [none, some, later]): Promise<Map<string, Check>> {
  const all = { ...ports, ...env };
  const found = await examine({ load: () => loadConfig({ cwd, env: all }), env: all, find: { ways } });
  return new Map(found.map((check) => [check.id, check]));
}

it('says which server would be used, and what became of every way', async () => {
  const found = await checks({});
  expect(found.get('server')).toMatchObject({ status: 'ok', detail: 'embedded, 9.9.9 (some); not running' });
  expect(found.get('way.none')).toMatchObject({ status: 'info', detail: 'no luck', hint: 'Try harder.' });
  expect(found.get('way.some')?.status).toBe('ok');
  expect(found.get('way.later')?.detail).toBe('not needed');
  expect([...found.values()].filter(({ status }) => status === 'bad')).toEqual([]);
});

it('installs nothing itself', async () => {
  const found = await checks({}, [none, later]);
  expect(found.get('server')?.status).toBe('warn');
  expect(found.get('way.later')?.detail).toContain('possible');
});

it('an address that does not answer is essential', async () => {
  const found = await checks({ TEMPORAL_ADDRESS: '127.0.0.1:1', HOME: cwd });
  expect(found.get('server')).toMatchObject({ status: 'bad' });
  expect(found.get('server')?.detail).toContain('127.0.0.1:1');
});

it('so is a port that is taken', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const found = await checks({ JOURNEYMAN_GATEWAY_PORT: String(port) });
  server.close();
  expect(found.get('gateway.port')).toMatchObject({ status: 'bad' });
  expect(found.get('gateway.port')?.hint).toContain('JOURNEYMAN_GATEWAY_PORT');
});

it('so is a folder of journeys that is missing', async () => {
  expect((await checks({ JOURNEYMAN_SPECS: 'nowhere' })).get('specs')?.status).toBe('bad');
});

it('only files that are journeys count as such', async () => {
  writeFileSync(join(cwd, 'specs', 'one.scenario.yaml'), 'scenarios: {}');
  expect((await checks({})).get('specs')).toMatchObject({ status: 'ok', detail: expect.stringMatching(/^1 in /) });
});

it('so is a data directory that cannot be one', async () => {
  expect((await checks({})).get('data')).toMatchObject({ status: 'ok', detail: join(cwd, '.journeyman') });
  writeFileSync(join(cwd, 'file'), '');
  const found = await checks({ JOURNEYMAN_SERVER_DATA_DIR: 'file/data' });
  expect(found.get('data')).toMatchObject({ status: 'bad', hint: expect.stringContaining('server.dataDir') });
  expect((await checks({ JOURNEYMAN_SERVER_IN_MEMORY: 'true' })).has('data')).toBe(false);
});

it('a configuration with mistakes ends the examination there', async () => {
  writeFileSync(join(cwd, 'journeyman.config.yaml'), 'gatway: {}');
  const found = await checks({});
  expect(found.get('config')).toMatchObject({ status: 'bad' });
  expect(found.get('config')?.detail).toContain('journeyman.config.yaml:1:1');
  expect(found.has('server')).toBe(false);
});

it('an unknown variable is shown', async () => {
  expect((await checks({ JOURNEYMAN_GATWAY_PORT: '1' })).get('config')?.status).toBe('warn');
});

it('an old Node.js is essential', async () => {
  const found = await examine({
    load: () => loadConfig({ cwd, env: ports }),
    env: ports,
    nodeVersion: '18.20.0',
    find: { ways: [] },
  });
  expect(found[0]).toMatchObject({ id: 'node', status: 'bad' });
});

it('FLT-19 warns of an embedded server that others reach', async () => {
  const found = await checks({ JOURNEYMAN_SERVER_IP: '0.0.0.0' });
  expect(found.get('config')).toMatchObject({
    status: 'warn',
    detail: 'server.ip 0.0.0.0: the embedded server asks nobody who they are',
  });
});

it('R3-13 shows where each orchestrator writes, and which shared folders are missing', async () => {
  writeFileSync(join(cwd, 'file'), '');
  const yaml = 'orchestrators: { eng: { root: ./file/eng } }\nshared: { reports: ./reports }';
  writeFileSync(join(cwd, 'journeyman.config.yaml'), yaml);
  const found = await checks({});
  expect(found.get('orchestrator.main')).toMatchObject({ status: 'ok' });
  expect(found.get('orchestrator.eng')).toMatchObject({
    status: 'warn',
    hint: expect.stringContaining('orchestrators.eng.root'),
  });
  expect(found.get('shared.reports')).toMatchObject({ status: 'warn' });
});

it('names each secret that cannot be read, why, and who uses it; never a value', async () => {
  writeFileSync(join(cwd, 'empty'), '\n');
  writeFileSync(
    join(cwd, 'journeyman.config.yaml'),
    `secrets:
  secret://pay/key: { env: PAY_KEY }
  secret://mail/key: { env: MAIL_KEY }
  secret://bank/cert: { file: ./bank.pem }
  secret://shop/hook: { file: ./empty }
  secret://good: { env: GOOD_KEY }
kafka: { connection: { env: KAFKA_CONNECTION } }
`,
  );
  writeFileSync(
    join(cwd, 'specs', 'pay.journey.yaml'),
    `apiVersion: v1
kind: Journey
metadata: { name: pay, version: 1.0.0 }
spec:
  policies: { httpClientAuth: { definitions: { shop: { kind: bearerStatic, tokenRef: secret://nowhere } } } }
  start: call
  states:
    call:
      type: task
      task:
        kind: httpCall:v1
        method: POST
        url: https://pay.test/x
        auth: { policyRef: shop }
        sign: { algorithm: hmac-sha256, secretRef: secret://pay/key, header: X-S }
      next: hook
    hook:
      type: webhook
      webhook: { input: { schema: {} }, signature: { preset: github, secretRef: secret://shop/hook } }
      next: done
    done: { type: succeed }
`,
  );
  const found = (await checks({ MAIL_KEY: '', GOOD_KEY: 'the value' })).get('secrets');
  expect(found).toMatchObject({ status: 'warn' });
  expect(found?.detail.split('\n')).toEqual([
    'secret://pay/key: the environment variable PAY_KEY is not set (for pay)',
    'secret://mail/key: the environment variable MAIL_KEY is not set',
    expect.stringMatching(/^secret:\/\/bank\/cert: .*bank.pem cannot be read \(ENOENT/),
    expect.stringMatching(/^secret:\/\/shop\/hook: .*empty is empty \(for pay\)$/),
    'Nothing says where secret://nowhere comes from (for pay)',
    'kafka.connection: the environment variable KAFKA_CONNECTION is not set',
  ]);
  expect(JSON.stringify(found)).not.toContain('the value');
});
