import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Check } from '../../../src/cli/doctor/check-result.js';
import { runChecks } from '../../../src/cli/doctor/doctor.js';
import { allowedQueuesCheck, workersCheck } from '../../../src/cli/doctor/namespace-checks.js';
import { loadConfig } from '../../../src/config/load-config.js';
import { msToTs } from '../../../src/temporal/sdk-internals.js';
import { type ServerSource, SourceFailed } from '../../../src/temporal/server/server-source-interface.js';
import { freePort } from '../../../src/temporal/server/tcp-ports.js';

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

const none: ServerSource = {
  id: 'none',
  title: 'a source that fails',
  installs: false,
  find: () => Promise.reject(new SourceFailed('no luck', 'Try harder.')),
};
const some: ServerSource = {
  id: 'some',
  title: 'a source',
  installs: false,
  find: async () => ({ path: '/t', version: '9.9.9' }),
};
const later: ServerSource = { ...some, id: 'later', title: 'a source that installs', installs: true };

async function checks(
  env: NodeJS.ProcessEnv,
  sources: ServerSource[] = [none, some, later],
): Promise<Map<string, Check>> {
  const all = { ...ports, ...env };
  const found = await runChecks({ load: () => loadConfig({ cwd, env: all }), env: all, find: { sources } });
  return new Map(found.map((check) => [check.id, check]));
}

it('reports the server that would be used, and the result of every source', async () => {
  const found = await checks({});
  expect(found.get('server')).toMatchObject({ status: 'ok', detail: 'embedded, 9.9.9 (some); not running' });
  expect(found.get('source.none')).toMatchObject({ status: 'info', detail: 'no luck', hint: 'Try harder.' });
  expect(found.get('source.some')?.status).toBe('ok');
  expect(found.get('source.later')?.detail).toBe('not needed');
  expect([...found.values()].filter(({ status }) => status === 'bad')).toEqual([]);
});

it('installs nothing itself', async () => {
  const found = await checks({}, [none, later]);
  expect(found.get('server')?.status).toBe('warn');
  expect(found.get('source.later')?.detail).toContain('possible');
});

it('an unreachable address is an error', async () => {
  const found = await checks({ TEMPORAL_ADDRESS: '127.0.0.1:1', HOME: cwd });
  expect(found.get('server')).toMatchObject({ status: 'bad' });
  expect(found.get('server')?.detail).toContain('127.0.0.1:1');
});

it('a port in use is an error', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const found = await checks({ JOURNEYMAN_GATEWAY_PORT: String(port) });
  server.close();
  expect(found.get('gateway.port')).toMatchObject({ status: 'bad' });
  expect(found.get('gateway.port')?.hint).toContain('JOURNEYMAN_GATEWAY_PORT');
});

it('a missing specs folder is an error', async () => {
  expect((await checks({ JOURNEYMAN_SPECS: 'nowhere' })).get('specs')?.status).toBe('bad');
});

it('counts only files of journeys', async () => {
  writeFileSync(join(cwd, 'specs', 'one.scenario.yaml'), 'scenarios: {}');
  expect((await checks({})).get('specs')).toMatchObject({ status: 'ok', detail: expect.stringMatching(/^1 in /) });
});

it('an unusable data directory is an error', async () => {
  expect((await checks({})).get('data')).toMatchObject({ status: 'ok', detail: join(cwd, '.journeyman') });
  writeFileSync(join(cwd, 'file'), '');
  const found = await checks({ JOURNEYMAN_SERVER_DATA_DIR: 'file/data' });
  expect(found.get('data')).toMatchObject({ status: 'bad', hint: expect.stringContaining('server.dataDir') });
  expect((await checks({ JOURNEYMAN_SERVER_IN_MEMORY: 'true' })).has('data')).toBe(false);
});

it('an invalid configuration skips the other checks', async () => {
  writeFileSync(join(cwd, 'journeyman.config.yaml'), 'gatway: {}');
  const found = await checks({});
  expect(found.get('config')).toMatchObject({ status: 'bad' });
  expect(found.get('config')?.detail).toContain('journeyman.config.yaml:1:1');
  expect(found.has('server')).toBe(false);
});

it('an unknown environment variable is a warning', async () => {
  expect((await checks({ JOURNEYMAN_GATWAY_PORT: '1' })).get('config')?.status).toBe('warn');
});

it('an old Node.js is an error', async () => {
  const found = await runChecks({
    load: () => loadConfig({ cwd, env: ports }),
    env: ports,
    nodeVersion: '18.20.0',
    find: { sources: [] },
  });
  expect(found[0]).toMatchObject({ id: 'node', status: 'bad' });
});

it('FLT-19 warns of an embedded server that other machines can reach', async () => {
  const found = await checks({ JOURNEYMAN_SERVER_IP: '0.0.0.0' });
  expect(found.get('config')).toMatchObject({
    status: 'warn',
    detail: 'server.ip 0.0.0.0: the embedded server has no authentication',
  });
});

it('R3-13 shows the root of each orchestrator and missing shared folders', async () => {
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

it('lists unreadable secrets with reason and users, never a value', async () => {
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
    'The secret secret://nowhere is not configured (for pay)',
    'kafka.connection: the environment variable KAFKA_CONNECTION is not set',
  ]);
  expect(JSON.stringify(found)).not.toContain('the value');
});

it('GAP-31 names hosts of documents that the egress policy refuses, and the setting that allows them', async () => {
  mkdirSync(join(cwd, 'specs'), { recursive: true });
  const call = {
    kind: 'httpCall:v1',
    method: 'GET',
    url: 'http://10.1.2.3:8080/orders',
    resultVar: 'r',
  };
  const states = { ask: { type: 'task', task: call, next: 'done' }, done: { type: 'succeed' } };
  const metadata = { name: 'asks', version: '1.0.0' };
  const document = { apiVersion: 'v1', kind: 'Journey', metadata, spec: { start: 'ask', states } };
  writeFileSync(join(cwd, 'specs', 'asks.journey.json'), JSON.stringify(document));
  expect((await checks({})).get('egress')).toMatchObject({
    status: 'warn',
    detail: expect.stringContaining('http://10.1.2.3:8080: the host is at a private address'),
    hint: expect.stringContaining('http.egress.allowPrivate'),
  });
  expect((await checks({ JOURNEYMAN_HTTP_EGRESS_ALLOW_PRIVATE: '10.0.0.0/8' })).has('egress')).toBe(false);
});

it('GAP-27 names workers that stopped polling while others poll', async () => {
  const secondsAgo = (seconds: number) => msToTs(Date.now() - seconds * 1000);
  const pollers = [
    { identity: '1@a', lastAccessTime: secondsAgo(5) },
    { identity: '2@b', lastAccessTime: secondsAgo(200) },
    { identity: '2@b', lastAccessTime: secondsAgo(130) },
  ];
  const client = (polling: typeof pollers) =>
    ({
      options: { namespace: 'default' },
      workflowService: { describeTaskQueue: async () => ({ pollers: polling }) },
    }) as unknown as Client;
  const config = loadConfig({ cwd, env: ports });
  expect(await workersCheck(config, client(pollers))).toMatchObject({
    status: 'warn',
    detail: expect.stringMatching(/^1 of 2 poll the task queue journeyman; no poll since: 2@b \(20/),
    hint: expect.stringContaining('frozen'),
  });
  expect(await workersCheck(config, client(pollers.slice(0, 1)))).toMatchObject({
    status: 'ok',
    detail: '1@a polling the task queue journeyman',
  });
});

it('NEW-26 warns of an allowed queue of activities or workflows that no worker polls', async () => {
  const asked: unknown[] = [];
  const client = (polled: string) =>
    ({
      options: { namespace: 'default' },
      workflowService: {
        describeTaskQueue: async ({
          taskQueue: { name },
          taskQueueType,
        }: {
          taskQueue: { name: string };
          taskQueueType: number;
        }) => {
          asked.push(taskQueueType);
          return { pollers: name === polled ? [{ identity: '1@go', lastAccessTime: msToTs(Date.now()) }] : [] };
        },
      },
    }) as unknown as Client;
  const config = (activities: object) =>
    loadConfig({ cwd, env: { ...ports, JOURNEYMAN_TASKS_ACTIVITIES: JSON.stringify(activities) } });
  expect(await allowedQueuesCheck(config({}), client('payments'))).toEqual([]);
  expect(await allowedQueuesCheck(config({ payments: ['A'] }), client('payments'))).toMatchObject([
    { status: 'ok', detail: 'workers poll payments' },
  ]);
  expect(await allowedQueuesCheck(config({ payments: ['A'], mails: ['B'] }), client('payments'))).toMatchObject([
    { status: 'warn', detail: 'no worker polls mails' },
  ]);
  expect(new Set(asked)).toEqual(new Set([2]));
  const workflows = loadConfig({ cwd, env: { ...ports, JOURNEYMAN_TASKS_WORKFLOWS: '{ "shipping": ["Ship"] }' } });
  asked.length = 0;
  expect(await allowedQueuesCheck(workflows, client('payments'))).toMatchObject([
    { id: 'workflows', status: 'warn', detail: 'no worker polls shipping' },
  ]);
  expect(asked).toEqual([1]);
});
