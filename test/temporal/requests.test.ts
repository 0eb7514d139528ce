import { createHash, randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { request as https } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import type { JsonObject } from '../../src/base/json/value.js';
import { loadConfig } from '../../src/config/load-config.js';
import { clientConverter } from '../../src/temporal/encryption/data-converter.js';
import { historyTexts } from './support/encryption.js';
import { useTestSecret } from './support/secret.js';
import { gatewayProcess, type WorkerProcess, workerProcess } from './support/worker-process.js';

const file = (name: string) => fileURLToPath(new URL(`../fixtures/certs/partners/${name}`, import.meta.url));
const suffix = randomUUID().slice(0, 8);
const apiKey = `key-${randomUUID()}`;
const passed = `passed-${randomUUID()}`;
const auth = (kind: string, next: string) => `{ type: task, task: { kind: "${kind}Validate:v1" }, next: ${next} }`;

/** Reads every credential of its start, forwards a header, waits, and reads the credentials of the step. */
const vouched = (backend: string) => `
apiVersion: v1
kind: Journey
metadata: { name: vouched-${suffix}, version: 1.0.0 }
spec:
  bindings:
    http:
      start: { headersPassthrough: [{ from: X-Passed, to: X-Passed }] }
      steps: { confirm: { headersPassthrough: [{ from: X-Passed, to: X-Passed }] } }
  access: { read: { guardRef: mayRead } }
  subjourneys:
    mayRead:
      start: check
      states:
        check: ${auth('apiKey', 'decide')}
        decide: { type: transform, transform: { mapper: { lang: dataweave, expr: '{ allowed: context.auth.apiKey.keyId == context.owner }' }, target: { kind: var }, resultVar: verdict }, next: done }
        done: { type: succeed, outputVar: verdict }
  start: certificate
  states:
    certificate: ${auth('mtls', 'token')}
    token: ${auth('jwt', 'key')}
    key: ${auth('apiKey', 'owner')}
    owner: { type: transform, transform: { mapper: { lang: dataweave, expr: 'context.auth.apiKey.keyId' }, target: { kind: var }, resultVar: owner }, next: call }
    call: { type: task, task: { kind: "httpCall:v1", method: POST, url: "${backend}/call", resultVar: called }, next: seen }
    seen: { type: transform, transform: { mapper: { lang: dataweave, expr: 'context.auth' }, target: { kind: var }, resultVar: first }, next: confirm }
    confirm: { type: wait, wait: { channel: manual, input: { schema: {} } }, next: again }
    again: { type: task, task: { kind: "apiKeyValidate:v1", authVar: caller }, next: tell }
    tell: { type: task, task: { kind: "httpCall:v1", method: GET, url: "${backend}/tell", resultVar: told }, next: end }
    end: { type: succeed }
`;

/** Is delayed before it reads the token of its start. */
const slow = (backend: string) => `
apiVersion: v1
kind: Journey
metadata: { name: slow-${suffix}, version: 1.0.0 }
spec:
  lifecycle: { startMode: async }
  start: hold
  states:
    hold: { type: task, task: { kind: "httpCall:v1", method: POST, url: "${backend}/hold", resultVar: held }, next: token }
    token: ${auth('jwt', 'end')}
    end: { type: succeed }
`;

let folder: string;
let backend: Server;
let worker: WorkerProcess;
let gateways: (WorkerProcess & { url: string })[];
let signing: CryptoKey;
let client: Client;
let connection: Connection;
let release: () => void = () => undefined;
let held: Promise<void>;
const logs: string[] = [];
const calls: { path: string; passed: unknown }[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'journeyman-requests-'));
  let arrived: () => void = () => undefined;
  held = new Promise((resolve) => {
    arrived = resolve;
  });
  backend = createServer((request, response) => {
    calls.push({ path: request.url ?? '', passed: request.headers['x-passed'] });
    const answer = () => response.setHeader('content-type', 'application/json').end('{}');
    if (request.url !== '/hold') return answer();
    release = answer;
    arrived();
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => backend.once('listening', resolve));
  const url = `http://127.0.0.1:${(backend.address() as AddressInfo).port}`;
  writeFileSync(join(folder, 'vouched.journey.yaml'), vouched(url));
  writeFileSync(join(folder, 'slow.journey.yaml'), slow(url));
  const pair = await generateKeyPair('ES256');
  signing = pair.privateKey;
  const hash = `sha256:${createHash('sha256').update(apiKey).digest('hex')}`;
  const config = {
    specs: folder,
    gateway: {
      port: 0,
      tls: { certFile: file('server.pem'), keyFile: file('server.key'), clientCertificates: 'optional' },
    },
    plugins: {
      jwtValidate: {
        profiles: {
          default: {
            issuer: 'https://id.test/',
            keys: [await exportJWK(pair.publicKey)],
            source: { location: 'header', name: 'Authorization', scheme: 'Bearer' },
          },
        },
      },
      mtlsValidate: {
        profiles: { default: { trustAnchors: [{ file: file('root.pem') }], allowAnyFromTrusted: true } },
      },
      apiKeyValidate: {
        profiles: { default: { keys: [{ id: 'ali', hash }], source: { location: 'header', name: 'X-Key' } } },
      },
    },
  };
  writeFileSync(join(folder, 'gateway.yaml'), JSON.stringify(config));
  const address = inject('temporalAddress');
  connection = await Connection.connect({ address });
  client = new Client({ connection, dataConverter: clientConverter(loadConfig()) });
  await useTestSecret(client);
  const env = {
    TEMPORAL_ADDRESS: address,
    JOURNEYMAN_TEMPORAL_TASK_QUEUE: `requests-${suffix}`,
    JOURNEYMAN_LOG_LEVEL: 'trace',
  };
  const onLogLine = (line: string) => logs.push(line);
  const gateway = () => gatewayProcess({ ...env, JOURNEYMAN_CONFIG: join(folder, 'gateway.yaml') }, onLogLine);
  // The worker has no profiles: tasks that need them run in the gateways.
  const started = [workerProcess(env, onLogLine), gateway(), gateway()] as const;
  [worker, ...gateways] = (await Promise.all(started)) as [WorkerProcess, ...typeof gateways];
});

afterAll(async () => {
  await Promise.all([worker?.stop(), ...(gateways ?? []).map((gateway) => gateway.kill9())]);
  backend?.close();
  backend?.closeAllConnections();
  await connection?.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Sent {
  method?: string;
  headers?: Record<string, string>;
  certified?: boolean;
}

function send(gateway: number, path: string, { method = 'POST', headers = {}, certified = false }: Sent = {}) {
  return new Promise<{ status: number; body: JsonObject }>((resolve, reject) => {
    const options = {
      method,
      ca: readFileSync(file('root.pem')),
      headers: { 'content-type': 'application/json', ...headers },
      ...(certified && { cert: readFileSync(file('partner.pem')), key: readFileSync(file('partner.key')) }),
    };
    const request = https(`${gateways[gateway]!.url}/api/v1/journeys/${path}`, options, async (response) => {
      let text = '';
      for await (const chunk of response) text += String(chunk);
      resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) as JsonObject });
    });
    request.once('error', reject).end(method === 'POST' ? '{}' : undefined);
  });
}

const tokenOf = () =>
  new SignJWT({ sub: 'ada', iss: 'https://id.test/' })
    .setProtectedHeader({ alg: 'ES256' })
    .setExpirationTime('1h')
    .sign(signing);

it('JL-U8 JL-U22 credentials are checked in the gateway that received them, and are in no history, memo or log (JL-T1)', async () => {
  const token = await tokenOf();
  const headers = { authorization: `Bearer ${token}`, 'x-key': apiKey, 'x-passed': passed };
  const keyed = { 'idempotency-key': 'once' };
  const started = await send(0, `vouched-${suffix}/start`, { headers: { ...headers, ...keyed }, certified: true });
  expect(started).toMatchObject({ status: 200, body: { phase: 'RUNNING', currentState: 'confirm' } });
  const id = String(started.body.journeyId);
  // A caller that the guard rejects cannot cancel: the run continues.
  const guessed = { headers: { 'x-key': 'guess' } };
  expect(await send(1, `${id}/steps/cancel`, guessed)).toMatchObject({ status: 404, body: { code: 'RUN_UNKNOWN' } });
  // Another gateway accepts the step; its request has no header to forward. A caller that may not read the run gets 202.
  const ended = await send(1, `${id}/steps/confirm`, guessed);
  expect(ended).toMatchObject({ status: 202, body: { journeyId: id } });
  expect(Object.keys(ended.body)).toEqual(['journeyId']);

  const handle = client.workflow.getHandle(id);
  const { output } = (await handle.result()) as { output: JsonObject };
  expect(output).toMatchObject({
    first: {
      mtls: { subjectDn: 'CN=partner,OU=AdminClients,O=Example\\, Corp,L=Zagreb,C=HR' },
      jwt: { header: { alg: 'ES256' }, claims: { sub: 'ada' } },
      apiKey: { keyId: 'ali' },
    },
    caller: { apiKey: { problem: { code: 'APIKEY_INVALID' } } },
  });
  expect(calls).toEqual([
    { path: '/call', passed },
    { path: '/tell', passed: undefined },
  ]);

  const secrets = [
    token,
    token.split('.')[2]!,
    apiKey,
    passed,
    readFileSync(file('partner.pem'), 'utf8').split('\n')[2]!,
  ];
  const places = {
    history: await historyTexts(client, id),
    memo: [JSON.stringify((await handle.describe()).memo)],
    logs,
  };
  expect(places.history.some((text) => text.includes('"apiKeyValidate:v1"'))).toBe(true);
  expect(logs.some((line) => line.includes(id))).toBe(true);
  for (const [place, texts] of Object.entries(places))
    for (const secret of secrets)
      expect(
        texts.filter((text) => text.includes(secret)),
        place,
      ).toEqual([]);

  const queues = places.history.filter((text) => /^gateway-/.test(text));
  expect(new Set(queues).size).toBe(2);

  // dsl 23.1: the guard admits only the owner; for other callers the run does not exist.
  const read = (path: string, key?: string) =>
    send(1, path, { method: 'GET', headers: key === undefined ? {} : { 'x-key': key } });
  expect(await read(id, apiKey)).toMatchObject({ status: 200, body: { phase: 'SUCCEEDED' } });
  expect(await read(`${id}/result`, apiKey)).toMatchObject({ status: 200, body: { journeyId: id } });
  const plain = ({ status, body: { instance: _, requestId: __, ...body } }: { status: number; body: JsonObject }) => ({
    status,
    body,
  });
  const unknown = plain(await read('d94BEkXp0Mev9dKy59xgbg', 'guess'));
  expect(unknown.status).toBe(404);
  expect(plain(await read(id, 'guess'))).toEqual(unknown);
  expect(plain(await read(`${id}/result`))).toEqual(unknown);
  // A response with the status is a read too: a repeated start, a late cancel.
  for (const path of [`vouched-${suffix}/start`, `${id}/steps/cancel`]) {
    const ask = (key: string) => send(1, path, { headers: { ...keyed, 'x-key': key } });
    expect(plain(await ask('guess')), path).toEqual(unknown);
    expect(await ask(apiKey), path).toMatchObject({ status: 200, body: { journeyId: id, phase: 'SUCCEEDED' } });
  }
  const confirmed = await send(0, `vouched-${suffix}/start`, { headers, certified: true });
  expect(await send(1, `${confirmed.body.journeyId}/steps/confirm`, { headers: { 'x-key': apiKey } })).toMatchObject({
    status: 200,
    body: { phase: 'SUCCEEDED', _links: { self: {} } },
  });
  const other = await send(0, `vouched-${suffix}/start`, { headers, certified: true });
  const cancelled = await send(1, `${other.body.journeyId}/steps/cancel`, { headers: { 'x-key': apiKey } });
  expect(cancelled).toMatchObject({ status: 200, body: { phase: 'FAILED' } });
});

it('requests lost with their gateway fail with REQUEST_GONE instead of a missing token', async () => {
  const headers = { authorization: `Bearer ${await tokenOf()}` };
  const { body } = await send(0, `slow-${suffix}/start`, { headers });
  await held;
  await gateways[0]!.kill9();
  release();
  const handle = client.workflow.getHandle(String(body.journeyId));
  await expect(handle.result()).rejects.toMatchObject({ cause: { type: 'REQUEST_GONE' } });
  expect(await send(1, `${body.journeyId}/result`, { method: 'GET' })).toMatchObject({
    status: 200,
    body: { phase: 'FAILED', error: { code: 'REQUEST_GONE', state: 'token' } },
  });
});
