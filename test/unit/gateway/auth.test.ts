import { createHash, scryptSync } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '../../../src/base/json/value.js';
import type { ApiKeyConfig, JwtConfig, Role } from '../../../src/config/config-types.js';
import { createGateway } from '../../../src/gateway/create-gateway.js';
import { api, FakeRuns, gateway, journey, options, runView } from './harness.js';

const secret = (role: string) => `jm_${role}_4f1d9c`;
const hashOf = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`;
const key = (id: string, roles: Role[]): ApiKeyConfig => ({ id, roles, hash: hashOf(secret(id)) });
const apiKeys = [key('client', ['client']), key('operator', ['operator']), key('channel', ['channel'])];
/** A key of a format other than ours. */
const older: ApiKeyConfig = { id: 'older', roles: ['client'], hash: hashOf('an-older-key') };
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

const routes: [method: 'GET' | 'POST', path: string, allowed: string[]][] = [
  ['POST', '/api/v1/journeys/order/start', ['client', 'operator']],
  ['GET', '/api/v1/journeys/r', ['client', 'operator']],
  ['GET', '/api/v1/journeys/r/result', ['client', 'operator']],
  ['POST', '/api/v1/journeys/r/steps/approval', ['client', 'operator']],
  ['POST', '/api/v1/journeys/r/steps/cancel', ['client', 'operator']],
  ['POST', '/api/v1/apis/price', ['client', 'operator']],
  ['GET', '/api/v1/journeys', ['client', 'operator']],
  // FLT-4: it contains names of journeys and their errors.
  ['GET', '/metrics', ['operator']],
];

it.each(routes)('%s %s requires a role', async (method, path, allowed) => {
  const { send, runs } = await gateway({ apiKeys, definitions: [journey('order'), api('price')] });
  runs.known.set('r', runView('r'));
  const none = await send(path, { method });
  expect(none).toMatchObject({ status: 401, body: { code: 'UNAUTHENTICATED' } });
  expect(none.headers.get('www-authenticate')).toMatch(/^Bearer /);
  for (const role of ['client', 'operator', 'channel']) {
    const { status, body } = await send(path, { method, headers: { 'x-api-key': secret(role) } });
    if (allowed.includes(role)) expect([200, 409]).toContain(status);
    else expect({ status, code: body.code }).toEqual({ status: 403, code: 'FORBIDDEN' });
  }
});

it.each(['/healthz', '/readyz', '/openapi.yaml'])('%s needs no credentials', async (path) => {
  const { get } = await gateway({ apiKeys });
  expect((await get(path)).status).toBe(200);
});

it.each([
  ['a bearer key', bearer(secret('client')), 'key:client'],
  ['X-API-Key', { 'x-api-key': secret('operator') }, 'key:operator'],
  ['a lower-case scheme', { authorization: `bearer ${secret('client')}` }, 'key:client'],
  ['a wrong key', bearer('jm_wrong'), undefined],
  ['a huge key', bearer(`jm_${'x'.repeat(5000)}`), undefined],
  ['another scheme', { authorization: `Basic ${secret('client')}` }, undefined],
  ['an empty key', { 'x-api-key': '' }, undefined],
])('%s', async (_, headers, caller) => {
  const { post, runs } = await gateway({ apiKeys });
  const { status } = await post('/api/v1/journeys/order/start', {}, headers);
  expect(status).toBe(caller === undefined ? 401 : 200);
  expect(runs.started[0]?.caller).toBe(caller);
});

it('the gateway’s own key never reaches a journey; other headers do', async () => {
  const { post, runs } = await gateway({ apiKeys });
  const path = '/api/v1/journeys/order/start';
  await post(path, {}, { ...bearer(secret('client')), 'x-api-key': 'for the journey' });
  await post(path, {}, { 'x-api-key': secret('client'), authorization: 'Basic for-the-journey' });
  await post(path, {}, { 'x-api-key': secret('client'), authorization: `Bearer ${secret('operator')} and more` });
  expect(runs.started.map(({ headers }) => [headers.authorization, headers['x-api-key']])).toEqual([
    [undefined, 'for the journey'],
    ['Basic for-the-journey', undefined],
    [undefined, undefined],
  ]);
});

it('keys may be hashed with scrypt', async () => {
  const salt = Buffer.from('a grain of salt');
  const hash = scryptSync('jm_slow', salt, 32, { N: 1024, r: 8, p: 1 }).toString('base64url');
  const slow: ApiKeyConfig = {
    id: 'slow',
    roles: ['client'],
    hash: `scrypt:1024:8:1:${salt.toString('base64url')}:${hash}`,
  };
  const { post, runs } = await gateway({ apiKeys: [...apiKeys, slow] });
  const start = (token: string) => post('/api/v1/journeys/order/start', {}, bearer(token));
  const answers = await Promise.all([start('jm_slow'), start('jm_other'), start(secret('client')), start('jm_slow')]);
  expect(answers.map(({ status }) => status)).toEqual([200, 401, 200, 200]);
  expect(runs.started.map(({ caller }) => caller).sort()).toEqual(['key:client', 'key:slow', 'key:slow']);
});

const derived = 'A'.repeat(43);
it.each([
  ['so short that any key would match it', 'scrypt:1024:8:1:c2FsdA:A', 'shorter than 16 bytes'],
  ['that would stall the gateway', `scrypt:16777216:8:1:c2FsdA:${derived}`, 'takes too long'],
  ['that would stall it with other parameters', `scrypt:1024:8:4096:c2FsdA:${derived}`, 'takes too long'],
  ['that cannot be derived', `scrypt:1000:8:1:c2FsdA:${derived}`, 'cannot be derived'],
])('a hash %s is rejected at start', (_, hash, message) => {
  const apiKeys: ApiKeyConfig[] = [{ id: 'k', roles: ['client'], hash }];
  expect(() => createGateway(options({ apiKeys }, new FakeRuns()).options)).toThrow(message);
});

const pair = await generateKeyPair('ES256', { extractable: true });
const jwk = { ...(await exportJWK(pair.publicKey)), kid: 'k1', alg: 'ES256' } as unknown as JsonObject;
const jwt: JwtConfig = {
  issuer: 'https://id.example.com',
  audience: 'journeyman',
  keys: [jwk],
  rolesClaim: 'realm.roles',
  roleMap: { admin: 'operator', channel: 'client' },
};
interface Claims {
  iss?: string;
  aud?: string;
  exp?: number;
  nbf?: number;
  sub?: string;
  realm?: unknown;
  may?: unknown;
}
const soon = () => Math.floor(Date.now() / 1000) + 300;
const sign = (claims: Claims, signer = pair.privateKey, kid = 'k1') =>
  new SignJWT({
    iss: jwt.issuer,
    aud: jwt.audience,
    exp: soon(),
    sub: 'ada',
    realm: { roles: ['client'] },
    ...claims,
  } as JsonObject)
    .setProtectedHeader({ alg: 'ES256', kid })
    .sign(signer);

it.each<[string, Claims | (() => Claims), number]>([
  ['a good token', {}, 200],
  ['roles in one string', { realm: { roles: 'viewer client' } }, 200],
  ['a mapped role', { realm: { roles: ['admin'] } }, 200],
  ['only unknown roles', { realm: { roles: ['viewer', 7, null] } }, 403],
  ['no roles at all', { realm: 'x' }, 403],
  ['another issuer', { iss: 'https://evil.example.com' }, 401],
  ['another audience', { aud: 'shop' }, 401],
  ['expired a minute ago', () => ({ exp: soon() - 360 }), 401],
  ['expired within the tolerance', () => ({ exp: soon() - 310 }), 200],
  ['not valid yet', { nbf: soon() }, 401],
  ['without a subject', { sub: '' }, 401],
])('JWT: %s', async (_, claims, status) => {
  const { post, runs } = await gateway({ jwt });
  const answer = await post(
    '/api/v1/journeys/order/start',
    {},
    bearer(await sign(typeof claims === 'function' ? claims() : claims)),
  );
  expect(answer.status).toBe(status);
  expect(runs.started[0]?.caller).toBe(status === 200 ? 'sub:ada' : undefined);
});

const limited = { ...jwt, journeysClaim: 'may.journeys', actionsClaim: 'may.do', runsClaim: 'may.runs' };
it.each<[string, unknown, start: number, foreign: number]>([
  ['everything', { journeys: ['*'], do: 'start read', runs: 'all' }, 200, 200],
  ['a name prefix', { journeys: ['or*'], do: ['start', 'read'] }, 200, 404],
  ['another journey', { journeys: ['refund'], do: ['start', 'read'], runs: 'all' }, 404, 404],
  ['reading alone', { journeys: ['order'], do: ['read'], runs: 'all' }, 403, 200],
  ['unknown values', { journeys: ['order'], do: ['everything'], runs: 'every' }, 403, 403],
  ['nothing', undefined, 403, 403],
])('R14-access: a token defines the access of its bearer: %s', async (_, may, started, foreign) => {
  const { get, post, runs } = await gateway({ jwt: limited });
  runs.known.set('r', runView('r'));
  runs.owners.set('r', 'sub:bob');
  const as = bearer(await sign({ may }));
  expect((await post('/api/v1/journeys/order/start', {}, as)).status).toBe(started);
  expect((await get('/api/v1/journeys/r', as)).status).toBe(foreign);
  // Limits are for clients.
  const admin = bearer(await sign({ may, realm: { roles: ['admin', 'client'] } }));
  expect((await get('/api/v1/journeys/r', admin)).status).toBe(200);
});

it('R14-access: a caller sees only the journeys it may access', async () => {
  const mine = { ...key('mine', ['client']), journeys: ['order'] } as const;
  const definitions = [journey('order'), journey('ordeal'), api('price'), api('order-price')];
  const { post } = await gateway({ apiKeys: [mine], definitions });
  const responseOf = async (path: string) => {
    const { body } = await post(path, {}, { 'x-api-key': secret('mine') });
    return { ...body, instance: null, detail: null };
  };
  const unknown = await responseOf('/api/v1/journeys/nothing/start');
  expect(unknown).toMatchObject({ code: 'JOURNEY_UNKNOWN' });
  expect(await responseOf('/api/v1/journeys/ordeal/start')).toEqual({ ...unknown, hint: 'Did you mean order?' });
  expect(await responseOf('/api/v1/apis/price')).toEqual(await responseOf('/api/v1/apis/nothing'));
});

it('R14-access: an Api without access looks like one that does not exist', async () => {
  const reader = { ...key('reader', ['client']), journeys: ['order'], actions: ['read'] } as const;
  const { send } = await gateway({ apiKeys: [reader], definitions: [journey('order'), api('price')] });
  for (const method of ['GET', 'POST']) {
    const responseOf = async (name: string) => {
      const { status, body } = await send(`/api/v1/apis/${name}`, { method, headers: bearer(secret('reader')) });
      return { ...body, status, instance: null };
    };
    expect(await responseOf('price')).toEqual(await responseOf('nothing'));
  }
});

it('R14-access: errors about a foreign run never use the envelope of its journey', async () => {
  const envelope = { lang: 'dataweave', expr: '{ wrapped: payload.code }' };
  const { get, runs } = await gateway({ apiKeys, definitions: [journey('order', { errors: { envelope } })] });
  runs.known.set('r', runView('r'));
  runs.owners.set('r', 'key:somebody');
  const result = async (role: string) => (await get('/api/v1/journeys/r/result', { 'x-api-key': secret(role) })).body;
  expect(await result('client')).toMatchObject({ code: 'RUN_UNKNOWN' });
  expect(await result('operator')).toEqual({ wrapped: 'RESULT_NOT_READY' });
});

it('R14-callback: the token of a URL is neither logged nor passed to the journey', async () => {
  const { post, runs, log } = await gateway({ apiKeys });
  runs.known.set('r', runView('r'));
  runs.tokens.set('r/approval', 'c4llb4ck');
  expect((await post('/api/v1/journeys/r/steps/approval?callback=c4llb4ck&a=1', {})).status).toBe(200);
  expect(String(runs.submitted[0]?.query)).toBe('a=1');
  expect(log()).toContain('callback:approval');
  expect(log()).not.toContain('c4llb4ck');
});

it('R14-callback: a key of the gateway sent with a callback URL is not passed to the journey', async () => {
  const { post, runs } = await gateway({ apiKeys: [...apiKeys, older] });
  runs.known.set('r', runView('r'));
  runs.tokens.set('r/approval', 'c4llb4ck');
  const path = '/api/v1/journeys/r/steps/approval?callback=c4llb4ck';
  await post(path, {}, { ...bearer(secret('operator')), 'x-api-key': secret('client') });
  await post(path, {}, { ...bearer('an-older-key'), 'x-api-key': 'an-older-key' });
  await post(path, {}, { ...bearer('a.partner.token'), 'x-api-key': 'for the journey' });
  expect(runs.submitted.map(({ headers }) => [headers.authorization, headers['x-api-key']])).toEqual([
    [undefined, undefined],
    [undefined, undefined],
    ['Bearer a.partner.token', 'for the journey'],
  ]);
});

it('JWT: forged, unsigned and HMAC tokens are rejected', async () => {
  const { post } = await gateway({ jwt });
  const stranger = await generateKeyPair('ES256');
  const good = await sign({});
  const [header, payload] = good.split('.') as [string, string];
  const none = Buffer.from('{"alg":"none"}').toString('base64url');
  const hmac = await new SignJWT({ sub: 'ada', realm: { roles: ['client'] } })
    .setProtectedHeader({ alg: 'HS256', kid: 'k1' })
    .setIssuer(jwt.issuer)
    .setAudience(jwt.audience)
    .setExpirationTime('5m')
    .sign(Buffer.from(JSON.stringify(jwk)));
  const tokens = [
    await sign({}, stranger.privateKey),
    await sign({}, stranger.privateKey, 'k2'),
    `${none}.${payload}.`,
    `${header}.${payload}.`,
    'not.a.token',
    'x',
    hmac,
  ];
  for (const token of tokens) {
    expect((await post('/api/v1/journeys/order/start', {}, bearer(token))).status).toBe(401);
  }
});

it('JWT: keys are fetched from the provider; while it is down, callers get 503', async () => {
  let up = false;
  const provider = createServer((_, response) => {
    response.statusCode = up ? 200 : 500;
    response.end(JSON.stringify({ keys: [jwk] }));
  });
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void provider.close());
  const { keys: _, ...remote } = jwt;
  const jwksUri = `http://127.0.0.1:${(provider.address() as AddressInfo).port}/jwks`;
  const { post } = await gateway({ jwt: { ...remote, jwksUri } });
  const start = async () => (await post('/api/v1/journeys/order/start', {}, bearer(await sign({})))).body;
  expect(await start()).toMatchObject({ code: 'AUTH_UNAVAILABLE', status: 503 });
  up = true;
  expect(await start()).toMatchObject({ phase: 'SUCCEEDED' });
});

it('JWT and API keys work side by side', async () => {
  const { post } = await gateway({ jwt, apiKeys });
  const path = '/api/v1/journeys/order/start';
  expect((await post(path, {}, bearer(await sign({})))).status).toBe(200);
  expect((await post(path, {}, bearer(secret('client')))).status).toBe(200);
});

it('additional keys of the gateway are not passed to the journey; other keys are', async () => {
  const { post, runs } = await gateway({ jwt, apiKeys: [...apiKeys, older] });
  const token = await sign({});
  const path = '/api/v1/journeys/order/start';
  // More of them than the number of wrong keys allowed per address.
  const foreign = Array.from({ length: 25 }, (_, i) => `for the journey ${i}`);
  for (const key of [secret('client'), 'an-older-key', ...foreign])
    expect((await post(path, {}, { ...bearer(token), 'x-api-key': key })).status).toBe(200);
  await post(path, {}, { ...bearer(secret('client')), 'x-api-key': 'an-older-key' });
  expect(runs.started.map(({ headers }) => [headers.authorization, headers['x-api-key']])).toEqual([
    [`Bearer ${token}`, undefined],
    [`Bearer ${token}`, undefined],
    ...foreign.map((key) => [`Bearer ${token}`, key]),
    [undefined, undefined],
  ]);
});

it.each(['0.0.0.0', '::', '192.0.2.1', 'gateway.example.com'])('refuses to open %s without authentication', (host) => {
  const { options: made } = options({ host }, new FakeRuns());
  expect(() => createGateway(made)).toThrowError(
    expect.objectContaining({
      problem: expect.objectContaining({ code: 'AUTH_REQUIRED', pointer: '/gateway/host' }),
    }),
  );
  expect(() => createGateway(options({ host, apiKeys }, new FakeRuns()).options)).not.toThrow();
});

it.each<[string, Record<string, string>, number]>([
  ['localhost', { host: 'localhost:8080' }, 200],
  ['127.0.0.1', { host: '127.0.0.1' }, 200],
  ['::1', { host: '[::1]:8080' }, 200],
  ['the public name', { host: 'go.example.com' }, 200],
  ['a rebound name', { host: 'evil.example.com' }, 421],
  ['a name with a loopback prefix', { host: '127.0.0.1.evil.example.com' }, 421],
  ['user info before the name', { host: 'localhost@evil.example.com' }, 421],
  ['our own page', { host: 'localhost:8080', origin: 'http://localhost:8080' }, 200],
  ['our own page under another name', { host: 'localhost:8080', origin: 'http://127.0.0.1:8080' }, 200],
  ['a page of the public URL', { host: 'go.example.com', origin: 'https://go.example.com' }, 200],
  ['GAP-25 a page of this machine', { host: 'localhost:8080', origin: 'http://localhost:3000' }, 421],
  ['GAP-25 a configured page of this machine', { host: 'localhost:8080', origin: 'http://localhost:5173' }, 200],
  ['GAP-25 a form of another site', { host: 'localhost:8080', 'sec-fetch-site': 'cross-site' }, 421],
  ['GAP-25 a form of another port', { host: 'localhost:8080', 'sec-fetch-site': 'same-site' }, 421],
  ['a request of our own page', { host: 'localhost:8080', 'sec-fetch-site': 'same-origin' }, 200],
  ['a request that a user typed', { host: 'localhost:8080', 'sec-fetch-site': 'none' }, 200],
  ['someone’s page', { host: 'localhost:8080', origin: 'https://evil.example.com' }, 421],
  ['a sandboxed page', { host: 'localhost:8080', origin: 'null' }, 421],
])('without authentication the host is checked: %s', async (_, headers, status) => {
  const { server } = await gateway({ publicUrl: 'https://go.example.com', origins: ['http://localhost:5173'] });
  expect(await rawStatus(server.port, headers)).toBe(status);
});

it('GAP-25 a foreign page cannot act through an Api by GET, nor read', async () => {
  let calls = 0;
  const answer = () => {
    calls += 1;
    return { status: 200, headers: {}, body: null };
  };
  const none = { headersToContext: {}, queryToContext: {}, pathToContext: {}, headersPassthrough: [] };
  const pay = api('pay', { http: { route: { method: 'GET', path: '/pay' }, start: none, steps: {} } });
  const { get } = await gateway({ definitions: [pay], answer });
  for (const site of ['cross-site', 'same-site']) {
    expect(await get('/api/v1/pay', { 'sec-fetch-site': site })).toMatchObject({
      status: 421,
      body: { code: 'HOST_NOT_ALLOWED', hint: expect.stringContaining('gateway.origins') },
    });
    expect((await get('/api/v1/journeys', { 'sec-fetch-site': site })).status).toBe(421);
    expect((await get('/healthz', { 'sec-fetch-site': site })).status).toBe(200);
  }
  expect(calls).toBe(0);
  expect((await get('/api/v1/pay', { 'sec-fetch-site': 'none' })).status).toBe(200);
});

it('with authentication, every Host header is accepted', async () => {
  const { server } = await gateway({ apiKeys });
  expect(await rawStatus(server.port, { host: 'any.example.com', 'x-api-key': secret('client') })).toBe(200);
});

/** fetch sets Host itself, so these requests use node:http. */
async function rawStatus(port: number, headers: Record<string, string>): Promise<number | undefined> {
  const { request } = await import('node:http');
  return await new Promise((resolve, reject) => {
    const path = '/api/v1/journeys/order/start';
    const sent = request({ port, host: '127.0.0.1', method: 'POST', path, headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on('error', reject).end();
  });
}
