import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { asActivities } from '../../activities/effects-as-activities.js';
import { cookieCipher } from '../../activities/http-call/cookies/cookie-cipher.js';
import { jarOpener } from '../../activities/http-call/cookies/cookie-jar.js';
import { createHttpClient } from '../../activities/http-call/http-client.js';
import { httpEffect } from '../../activities/http-call/http-effect.js';
import { loadConfig } from '../../src/config/load-config.js';
import { Secret } from '../../src/config/read-secret.js';
import { historyTexts } from './support/encryption.js';
import { type HttpGateway, httpGateway } from './support/gateway.js';
import { type Rig, rig } from './support/rig.js';
import { testSecret } from './support/secret.js';

/* Features that no public journey uses, over HTTP on a real server, because engine cases cannot cover them. */

const pem = (name: string) => readFileSync(new URL(`../fixtures/certs/${name}.pem`, import.meta.url), 'utf8');
const secrets: Record<string, string> = {
  'secret://token': 'static-token-1',
  'secret://cert': pem('client'),
  'trust/ca.pem': pem('ca'),
};
const quiet = { warn: () => undefined, debug: () => undefined, error: () => undefined };

/** Returns the caller: the bearer token, or the name in the certificate. */
const tell = (request: IncomingMessage, response: ServerResponse) => {
  const certificate = (request.socket as TLSSocket).getPeerCertificate?.();
  const who = certificate?.subject?.CN ?? request.headers.authorization ?? null;
  response.statusCode = request.url === '/broken' ? 500 : 200;
  response.setHeader('content-type', 'application/json').end(JSON.stringify({ who }));
};
const plain = createServer(tell);
const secure = createSecureServer(
  { cert: pem('server'), key: pem('server'), ca: pem('ca'), requestCert: true, rejectUnauthorized: true },
  tell,
);
const portOf = async (server: typeof plain | typeof secure): Promise<number> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
};

const journey = (name: string, spec: string) => `
apiVersion: v1
kind: Journey
metadata: { name: ${name}, version: 1.0.0 }
spec:
${spec.trim().replace(/^/gm, '  ')}
`;
const set = (resultVar: string, expr: string, next: string) =>
  `{ type: transform, transform: { mapper: { lang: dataweave, expr: '${expr}' }, target: { kind: var }, resultVar: ${resultVar} }, next: ${next} }`;
const call = (url: string, resultVar: string, next: string, more = '') =>
  `{ type: task, task: { kind: "httpCall:v1", method: GET, url: "${url}", resultVar: ${resultVar}${more} }, next: ${next} }`;

const projected = journey(
  'projected',
  `
output: { response: { outputVar: view, schema: { type: object, properties: { price: { type: number } } } } }
httpSurface: { links: { enabled: false } }
start: view
states:
  view: ${set('view', '{ price: 5, phase: "no", journeyVersion: "ours" }', 'which')}
  which: { type: choice, choices: [{ when: { predicate: { lang: dataweave, expr: context.fails == true } }, next: failed }], default: done }
  failed: { type: fail, errorCode: NO_PRICE, reason: There is none. }
  done: { type: succeed, outputVar: nothing }
`,
);

const enveloped = journey(
  'enveloped',
  `
errors: { canonicalFormat: rfc9457, envelope: { format: custom, mapper: { lang: dataweave, expr: '{ fault: payload.code, status: payload.status }' } } }
start: ask
states:
  ask: { type: wait, wait: { channel: manual, input: { schema: { type: object, required: [n] } } }, next: done }
  done: { type: succeed }
`,
);

const outbound = (http: string, https: string) =>
  journey(
    'outbound',
    `
policies:
  httpClientAuth:
    definitions:
      token: { kind: bearerStatic, tokenRef: "secret://token" }
      certificate: { kind: mtlsClient, clientCertRef: "secret://cert", trustAnchors: [{ pemRef: trust/ca.pem }] }
  httpResilience:
    definitions:
      careful:
        maxAttempts: 1
        circuitBreaker: { enabled: true, failureRateThreshold: 0.5, slidingWindowSize: 2, openTimeoutSec: 3600 }
        bulkhead: { maxConcurrent: 1, queueSize: 1 }
start: token
states:
  token: ${call(`${http}/token`, 'token', 'certificate', ', auth: { policyRef: token }')}
  certificate: ${call(`${https}/certificate`, 'certificate', 'first', ', auth: { policyRef: certificate }')}
  first: ${call(`${http}/broken`, 'first', 'second', ', resiliencePolicyRef: careful')}
  second: ${call(`${http}/broken`, 'second', 'third', ', resiliencePolicyRef: careful')}
  third: ${call(`${http}/broken`, 'third', 'told', ', resiliencePolicyRef: careful')}
  told: ${set('told', '{ token: context.token.body.who, certificate: context.certificate.body.who, broken: [context.first.status, context.second.status, context.third.status, context.third.error.message] }', 'done')}
  done: { type: succeed, outputVar: told }
`,
  );

const tagged = journey(
  'tagged',
  `
metadata: { bindings: { tags: { fromPayload: [{ path: tag }] } } }
start: note
states:
  note: { type: transform, transform: { mapper: { lang: dataweave, expr: context.attributes }, target: { kind: attributes } }, next: done }
  done: { type: succeed, outputVar: nothing }
`,
);

const patient = journey(
  'patient',
  `
execution: { maxDurationSec: 86400, onTimeout: { errorCode: TOO_SLOW, reason: Nobody came. } }
lifecycle: { startMode: async }
start: sleep
states:
  sleep: { type: timer, timer: { duration: PT12H }, next: done }
  done: { type: succeed }
`,
);
const endless = patient.replace('name: patient', 'name: endless').replace(/^ +execution: .*\n/m, '');

let rigged: Rig;
let gateway: HttpGateway;
let strict: HttpGateway;
const http = createHttpClient({
  http: loadConfig({ env: {} }).http,
  log: quiet,
  loopbackAllowed: true,
  secret: (ref) => new Secret(secrets[ref]!),
});

beforeAll(async () => {
  const urls = [`http://127.0.0.1:${await portOf(plain)}`, `https://localhost:${await portOf(secure)}`] as const;
  const activities = asActivities({ http: httpEffect(http, jarOpener(cookieCipher(async () => testSecret))) });
  rigged = await rig({ activities });
  gateway = await httpGateway(rigged, [projected, enveloped, outbound(...urls)]);
  strict = await httpGateway(rigged, [tagged, patient, endless], {
    JOURNEYMAN_LIMITS_METADATA_RUN_TAGS: '1',
    JOURNEYMAN_LIMITS_METADATA_TAG_LENGTH: '50',
    JOURNEYMAN_LIMITS_METADATA_ATTRIBUTES: '2',
    JOURNEYMAN_LIMITS_METADATA_VALUE_LENGTH: '300',
    JOURNEYMAN_LIMITS_DURATION_DEFAULT_SEC: '1',
    JOURNEYMAN_LIMITS_DURATION_MAX_SEC: '2',
  });
});

afterAll(async () => {
  await gateway?.stop();
  await strict?.stop();
  await rigged?.stop();
  await http.close();
  for (const server of [plain, secure]) {
    server.closeAllConnections();
    server.close();
  }
});

it('JL-U5 JL-U7 output.response adds fields to any outcome, except reserved ones; links can be omitted', async () => {
  for (const fails of [false, true]) {
    const { status, body } = await gateway.post('/journeys/projected/start', { fails });
    expect(status).toBe(200);
    expect(body).toMatchObject({ price: 5, journeyVersion: 'ours', phase: fails ? 'FAILED' : 'SUCCEEDED' });
    expect(body).not.toHaveProperty('_links');
    expect((await gateway.get(`/journeys/${body.journeyId}/result`)).body).toEqual(body);
  }
});

it('JL-U1 rejections by a running journey use the error envelope of its document', async () => {
  const { body } = await gateway.post('/journeys/enveloped/start');
  const answer = (path: string, sent = {}) => gateway.post(`/journeys/${body.journeyId}/steps/${path}`, sent);
  expect(await answer('ask')).toMatchObject({ status: 400, body: { fault: 'STEP_INVALID', status: 400 } });
  expect(await answer('other')).toMatchObject({ status: 404, body: { fault: 'STEP_UNKNOWN' } });
  expect(await answer('ask', { n: 1 })).toMatchObject({ status: 200, body: { phase: 'SUCCEEDED' } });
});

it('JL-U17 JL-U18 JL-U19 calls send a token or certificate that is in no history; a circuit breaker protects a broken service', async () => {
  const { body } = await gateway.post('/journeys/outbound/start');
  expect(body.output).toEqual({
    token: 'Bearer static-token-1',
    certificate: 'client',
    broken: [500, 500, null, expect.stringContaining('circuit')],
  });
  const history = (await historyTexts(rigged.client, String(body.journeyId))).join();
  expect(history).toContain('bearerStatic');
  expect(history).not.toContain(pem('client').split('\n')[5]!);
});

it('dsl 21: a run keeps the metadata limits that were configured at its start', async () => {
  const start = (body: object) => strict.post('/journeys/tagged/start', { tag: 't', attributes: {}, ...body });
  expect(await start({ tag: 't'.repeat(50), attributes: { long: 'x'.repeat(300) } })).toMatchObject({
    body: { phase: 'SUCCEEDED', tags: ['t'.repeat(50)], attributes: { long: 'x'.repeat(300) } },
  });
  expect(await start({ tag: 't'.repeat(51) })).toMatchObject({ status: 400, body: { code: 'METADATA_LIMIT' } });
  for (const attributes of [{ a: 1, b: 2, c: 3 }, { long: 'x'.repeat(301) }])
    expect(await start({ attributes })).toMatchObject({
      status: 200,
      body: { phase: 'FAILED', error: { code: 'METADATA_LIMIT', state: 'note' } },
    });
});

it.each([
  ['patient', { code: 'TOO_SLOW', reason: 'Nobody came.' }],
  ['endless', { code: 'JOURNEY_TIMEOUT', reason: 'The journey took over 1 s.' }],
])('dsl 21: the configured maximum bounds the duration of %s', async (name, error) => {
  const { body } = await strict.post(`/journeys/${name}/start`);
  await rigged.client.workflow
    .getHandle(String(body.journeyId))
    .result()
    .catch(() => undefined);
  expect(await strict.get(`/journeys/${body.journeyId}/result`)).toMatchObject({ body: { phase: 'FAILED', error } });
});
