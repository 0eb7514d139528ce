import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { afterEach, expect, it } from 'vitest';
import { Secret } from '../../../../src/config/read-secret.js';
import type { AuthPolicy } from '../../../../src/language/tasks/http-call/request-and-result-types.js';
import { Bench, requestOf, settled } from './server.js';

const bench = new Bench();
afterEach(async () => {
  await bench.close();
  bench.seen.length = 0;
  bench.logged.length = 0;
});

const pem = (name: string) => readFileSync(new URL(`../../../fixtures/certs/${name}.pem`, import.meta.url), 'utf8');
const secrets: Record<string, string> = {
  'secret://token': 'static-token-1',
  'secret://client': 'p@ss word/1',
  'secret://cert': pem('client'),
  'trust/ca.pem': pem('ca'),
};
const secret = (ref: string) => {
  if (!Object.hasOwn(secrets, ref)) throw new Error(`no ${ref}`);
  return new Secret(secrets[ref]!);
};
const oauth = (url: string, more: object = {}): AuthPolicy => ({
  kind: 'oauth2ClientCredentials',
  tokenEndpoint: `${url}/token`,
  auth: { method: 'clientSecretPost', clientId: 'orders', clientSecretRef: 'secret://client' },
  form: { grant_type: 'client_credentials', scope: 'read write' },
  ...more,
});

/** Issues tokens t1, t2, …; accepts those for which `takes` returns true. */
async function service(takes: (token: string) => boolean = () => true, token: object = { expires_in: 3600 }) {
  let given = 0;
  const url = await bench.serve(({ url: path, headers }, _, response) => {
    response.setHeader('content-type', 'application/json');
    if (path === '/token') {
      given += 1;
      response.end(JSON.stringify({ access_token: `t${given}`, ...token }));
      return;
    }
    response.statusCode = takes(String(headers.authorization).replace('Bearer ', '')) ? 200 : 401;
    response.end(JSON.stringify({ authorization: headers.authorization ?? null }));
  });
  return { url, asked: () => bench.seen.filter(({ url: path }) => path === '/token') };
}

it('JL-U17 bearerStatic sends the referenced token, overriding the author’s header', async () => {
  const { url } = await service();
  const auth: AuthPolicy = { kind: 'bearerStatic', tokenRef: 'secret://token' };
  const { body } = await bench.call({ url: `${url}/a`, headers: { authorization: 'mine' }, auth }, { secret });
  expect(body).toEqual({ authorization: 'Bearer static-token-1' });
});

it('oauth2ClientCredentials fetches one token for concurrent and later calls, with the form of its policy', async () => {
  const { url, asked } = await service();
  const call = bench.activity({ secret });
  const ask = () => call(requestOf({ url: `${url}/a`, auth: oauth(url) })).then(settled);
  const answers = await Promise.all(Array.from({ length: 10 }, ask));
  answers.push(await ask());
  expect(answers.map(({ body }) => body)).toEqual(answers.map(() => ({ authorization: 'Bearer t1' })));
  expect(asked()).toHaveLength(1);
  const { headers, body } = asked()[0]!;
  expect(headers['content-type']).toBe('application/x-www-form-urlencoded');
  expect(Object.fromEntries(new URLSearchParams(body))).toEqual({
    grant_type: 'client_credentials',
    scope: 'read write',
    client_id: 'orders',
    client_secret: 'p@ss word/1',
  });
});

it('clientSecretBasic encodes its credentials, and a different form fetches another token', async () => {
  const { url, asked } = await service();
  const call = bench.activity({ secret });
  const basic = { auth: { method: 'clientSecretBasic', clientId: 'or:ders', clientSecretRef: 'secret://client' } };
  await call(requestOf({ url: `${url}/a`, auth: oauth(url, basic) }));
  await call(
    requestOf({ url: `${url}/a`, auth: oauth(url, { ...basic, form: { grant_type: 'client_credentials' } }) }),
  );
  expect(asked()).toHaveLength(2);
  expect(Buffer.from(asked()[0]!.headers.authorization!.slice(6), 'base64').toString()).toBe(
    'or%3Aders:p%40ss+word%2F1',
  );
  expect(asked()[0]!.body).not.toContain('client_secret');
});

it('after a 401 the call is repeated once with a fresh token', async () => {
  const { url, asked } = await service((token) => token !== 't1');
  const call = bench.activity({ secret });
  const request = requestOf({ url: `${url}/a`, method: 'POST', body: '{}', auth: oauth(url) });
  expect(settled(await call(request))).toMatchObject({ status: 200, body: { authorization: 'Bearer t2' } });
  expect(settled(await call(request))).toMatchObject({ status: 200 });
  expect(asked()).toHaveLength(2);
});

it('a second 401 is returned', async () => {
  const { url, asked } = await service(() => false);
  expect(await bench.call({ url: `${url}/a`, auth: oauth(url) }, { secret })).toMatchObject({ ok: false, status: 401 });
  expect(asked()).toHaveLength(2);
});

it('a token is not used shortly before it expires', async () => {
  const { url, asked } = await service(() => true, { expires_in: 0 });
  const call = bench.activity({ secret });
  for (let i = 0; i < 3; i++) await call(requestOf({ url: `${url}/a`, auth: oauth(url) }));
  expect(asked()).toHaveLength(3);
});

it('a token that is not a valid header value is not cached, and a 429 is retried', async () => {
  let given = 0;
  const url = await bench.serve(({ url: path, headers }, _, response) => {
    response.setHeader('content-type', 'application/json');
    if (path !== '/token') return response.end(JSON.stringify({ authorization: headers.authorization ?? null }));
    given += 1;
    response.statusCode = given === 2 ? 429 : 200;
    response.end(JSON.stringify({ access_token: given === 1 ? 'a\nb: c' : `t${given}`, expires_in: 3600 }));
  });
  const call = bench.activity({ secret });
  const backoff = { kind: 'fixed', baseDelayMs: 0, maxDelayMs: 0, multiplier: 2, jitter: 'none' } as const;
  const request = requestOf({ url: `${url}/a`, auth: oauth(url) });
  expect(settled(await call(request))).toMatchObject({ ok: false, error: { type: 'NETWORK' } });
  const patient = { ...request, retry: { maxAttempts: 3, retryOn: ['NETWORK_ERROR' as const], backoff } };
  expect(settled(await call(patient))).toMatchObject({ status: 200, body: { authorization: 'Bearer t3' } });
  expect(given).toBe(3);
});

it('a failed token request is an error in the journey, and contains no secret', async () => {
  const url = await bench.serve((_, __, response) => {
    response.statusCode = 400;
    response.end('client p@ss word/1 is wrong');
  });
  const refused = await bench.call({ url: `${url}/a`, auth: oauth(url) }, { secret });
  expect(refused).toMatchObject({ ok: false, error: { type: 'NETWORK' } });
  const unknown = await bench.call(
    { url: `${url}/a`, auth: { kind: 'bearerStatic', tokenRef: 'secret://nowhere' } },
    { secret },
  );
  expect(unknown).toMatchObject({
    ok: false,
    error: {
      type: 'NETWORK',
      code: 'SECRET_UNAVAILABLE',
      message: 'the secret secret://nowhere cannot be read (SECRET_UNAVAILABLE)',
    },
  });
  expect(bench.seen.map(({ url: path }) => path)).toEqual(['/token']);
  expect(JSON.stringify([refused, unknown, bench.logged])).not.toContain('p@ss');
});

it('JL-U18 mtlsClient presents its certificate and trusts only its own anchors', async () => {
  const server = createServer(
    { cert: pem('server'), key: pem('server'), ca: pem('ca'), requestCert: true, rejectUnauthorized: true },
    (request, response) => {
      const { subject } = (request.socket as TLSSocket).getPeerCertificate();
      response.end(JSON.stringify(subject.CN));
    },
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `https://localhost:${(server.address() as AddressInfo).port}/`;
  try {
    const auth: AuthPolicy = {
      kind: 'mtlsClient',
      clientCertRef: 'secret://cert',
      trustAnchors: [{ pemRef: 'trust/ca.pem' }],
    };
    expect(await bench.call({ url, auth }, { secret })).toMatchObject({ status: 200, body: '"client"' });
    const stranger = await bench.call({ url, auth: { ...auth, trustAnchors: [] } }, { secret });
    expect(stranger).toMatchObject({ ok: false, error: { type: 'NETWORK' } });
    expect(await bench.call({ url }, { secret })).toMatchObject({ ok: false });
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
