import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../../src/base/json/value.js';
import type { AuthPlugins, JwtProfile, MtlsProfile } from '../../../../src/config/config-types.js';
import { authEffects } from '../../../../src/gateway/auth/auth-task-effects.js';
import type { InboundRequest } from '../../../../src/service/inbound-request.js';

const file = (name: string) => fileURLToPath(new URL(`../../../fixtures/certs/partners/${name}`, import.meta.url));
const pem = (name: string) => readFileSync(file(name), 'utf8');
const now = new Date('2026-05-01T12:00:00Z');
const nowSec = now.getTime() / 1000;

interface Asking {
  headers?: Record<string, string>;
  query?: string;
  certificate?: string;
}

async function ask(kind: keyof AuthPlugins, profiles: object, input: object, asking: Asking): Promise<JsonObject> {
  const none = { profiles: {} };
  const plugins = {
    jwtValidate: none,
    mtlsValidate: none,
    apiKeyValidate: none,
    [kind]: { profiles },
  } as AuthPlugins;
  const { query, certificate, headers = {} } = asking;
  const request: InboundRequest = {
    headers,
    query: new URLSearchParams(query),
    ...(certificate !== undefined && { certificate }),
  };
  const effect = authEffects({ plugins, now: () => now })[kind]!;
  const { signal } = new AbortController();
  return (await effect({ profile: 'default', ...input } as Json, { signal, request })) as JsonObject;
}

/** The code of the response; a verdict on the caller or, in brackets, on the configuration. */
function codeOf(answer: JsonObject): unknown {
  const { problem, refused } = answer as { problem?: JsonObject; refused?: JsonObject };
  return refused ? `(${refused.code})` : (problem?.code ?? 'good');
}

describe('jwtValidate:v1 (JL-1.4, dsl 18.6)', () => {
  let signing: CryptoKey;
  let other: CryptoKey;
  let keys: JsonObject[];
  const source = { location: 'header', name: 'Authorization', scheme: 'Bearer' } as const;
  const profile = (more: Partial<JwtProfile> = {}): Record<string, JwtProfile> => ({
    default: { issuer: 'https://id.test/', audience: ['orders', 'carts'], keys, source, ...more },
  });
  const token = (claims: JsonObject = {}, { key = signing, kid = 'k1' as string | undefined } = {}) =>
    new SignJWT({ sub: 'ada', iss: 'https://id.test/', aud: 'orders', exp: nowSec + 60, ...claims })
      .setProtectedHeader({ alg: 'ES256', typ: 'JWT', ...(kid !== undefined && { kid }) })
      .sign(key);
  const bearer = async (text: string | Promise<string>) => ({ headers: { authorization: `bearer ${await text}` } });

  beforeAll(async () => {
    const [first, second] = await Promise.all([generateKeyPair('ES256'), generateKeyPair('ES256')]);
    signing = first.privateKey;
    other = second.privateKey;
    keys = [{ ...(await exportJWK(first.publicKey)), kid: 'k1', alg: 'ES256' } as JsonObject];
  });

  it('a valid token returns its claims and signature header, not the token', async () => {
    const text = await token({ scope: 'read' });
    const answer = await ask('jwtValidate', profile(), {}, await bearer(text));
    expect(answer).toEqual({
      known: {
        header: { alg: 'ES256', kid: 'k1', typ: 'JWT' },
        claims: { sub: 'ada', iss: 'https://id.test/', aud: 'orders', exp: nowSec + 60, scope: 'read' },
      },
    });
    expect(JSON.stringify(answer)).not.toContain(text.split('.')[2]);
  });

  it.each<[string, () => Promise<Asking>]>([
    ['JWT_TOKEN_MISSING', async () => ({})],
    ['JWT_TOKEN_MISSING', async () => ({ headers: { authorization: 'Bearer ' } })],
    // GAP-23: HTTP drops the space.
    ['JWT_TOKEN_MISSING', async () => ({ headers: { authorization: 'Bearer' } })],
    ['JWT_TOKEN_MALFORMED', () => bearer('nonsense')],
    ['JWT_TOKEN_MALFORMED', () => bearer('a.b.c')],
    ['JWT_SIG_INVALID', () => bearer(token({}, { key: other }))],
    ['JWT_SIG_INVALID', () => bearer('eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIn0.')],
    ['JWT_KID_NOT_FOUND', () => bearer(token({}, { kid: 'k2' }))],
    ['JWT_EXPIRED', () => bearer(token({ exp: nowSec - 31 }))],
    ['good', () => bearer(token({ exp: nowSec - 29 }))],
    ['JWT_NOT_YET_VALID', () => bearer(token({ nbf: nowSec + 31 }))],
    ['JWT_AUDIENCE_MISMATCH', () => bearer(token({ aud: 'elsewhere' }))],
    ['good', () => bearer(token({ aud: ['carts', 'more'] }))],
    ['JWT_ISSUER_MISMATCH', () => bearer(token({ iss: 'https://evil.test/' }))],
    ['JWT_CLAIMS_INVALID', () => bearer(token({ tenant: undefined as unknown as Json }))],
  ])('%s', async (code, asking) => {
    const wants = code === 'JWT_CLAIMS_INVALID' ? { requiredClaims: ['tenant'] } : {};
    const answer = await ask('jwtValidate', profile(wants), {}, await asking());
    expect(codeOf(answer)).toBe(code);
    if (code === 'JWT_SIG_INVALID')
      expect(answer.problem).toMatchObject({
        type: 'https://journeyforge.dev/problem/plugins/jwt/sig-invalid',
        status: 401,
      });
  });

  it('a token without expiry is valid only if the profile allows it', async () => {
    const asking = await bearer(token({ exp: undefined as unknown as Json }));
    const answer = async (more: Partial<JwtProfile>) => codeOf(await ask('jwtValidate', profile(more), {}, asking));
    expect(await answer({})).toBe('JWT_CLAIMS_INVALID');
    expect(await answer({ requiredClaims: ['sub'] })).toBe('JWT_CLAIMS_INVALID');
    expect(await answer({ allowNoExpiry: true })).toBe('good');
    expect(await answer({ allowNoExpiry: true, requiredClaims: ['exp'] })).toBe('JWT_CLAIMS_INVALID');
  });

  it('a token may be in a query or a cookie; the task overrides its profile', async () => {
    const text = await token();
    const found = (location: string, asking: Asking) =>
      ask('jwtValidate', profile(), { source: { location, name: 'at' } }, asking).then(codeOf);
    expect(await found('query', { query: `at=${text}` })).toBe('good');
    expect(await found('cookie', { headers: { cookie: `a=b; at=${text}; c` } })).toBe('good');
    expect(await found('cookie', { headers: { cookie: 'a=b' } })).toBe('JWT_TOKEN_MISSING');
  });

  it('a token without a key id is verified with all keys', async () => {
    const { publicKey } = await generateKeyPair('ES256');
    const several = [{ ...(await exportJWK(publicKey)), alg: 'ES256' } as JsonObject, ...keys];
    const check = async (key: CryptoKey) =>
      codeOf(
        await ask('jwtValidate', profile({ keys: several }), {}, await bearer(token({}, { key, kid: undefined }))),
      );
    expect([await check(signing), await check(other)]).toEqual(['good', 'JWT_SIG_INVALID']);
  });

  it('configuration errors differ from invalid credentials', async () => {
    const asking = await bearer(token());
    const wrong = async (profiles: object) => codeOf(await ask('jwtValidate', profiles, {}, asking));
    expect(await wrong({})).toBe('(JWT_CONFIG_PROFILE_MISSING)');
    expect(await wrong({ default: { keys } })).toBe('(JWT_CONFIG_INVALID)');
    expect(await wrong({ default: { source } })).toBe('(JWT_CONFIG_KEYS_UNUSABLE)');
    const broken = [{ kty: 'EC', kid: 'k1', crv: 'P-256', x: '', y: '' }];
    expect(await wrong({ default: { keys: broken, source } })).toBe('(JWT_CONFIG_KEYS_UNUSABLE)');
  });

  it('keys are fetched from the issuer; while unavailable, the check is retried', async () => {
    let up = true;
    const server = createServer((_, response) => {
      response.statusCode = up ? 200 : 500;
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ keys }));
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { keys: _, ...rest } = profile().default!;
    const remote = { default: { ...rest, jwksUri: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` } };
    try {
      expect(codeOf(await ask('jwtValidate', remote, {}, await bearer(token())))).toBe('good');
      up = false;
      await expect(ask('jwtValidate', remote, {}, await bearer(token()))).rejects.toMatchObject({
        problem: { code: 'AUTH_UNAVAILABLE', status: 503 },
      });
    } finally {
      server.close();
    }
  });
});

describe('mtlsValidate:v1 (JL-1.4, dsl 18.7)', () => {
  const anchored: MtlsProfile = { trustAnchors: [{ file: file('root.pem') }], allowAnyFromTrusted: true };
  const check = async (profile: MtlsProfile, name: string, task: object = {}) =>
    codeOf(await ask('mtlsValidate', { default: profile }, task, { certificate: pem(name) }));

  it('a valid certificate returns its names and fingerprint', async () => {
    const answer = await ask('mtlsValidate', { default: anchored }, {}, { certificate: pem('partner.pem') });
    expect(answer).toEqual({
      known: {
        subjectDn: 'CN=partner,OU=AdminClients,O=Example\\, Corp,L=Zagreb,C=HR',
        issuerDn: 'CN=Partners Issuer,O=Partners',
        fingerprintSha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    });
  });

  it('missing, unreadable, untrusted, server-only and expired certificates are rejected', async () => {
    const answer = (certificate?: string) =>
      ask('mtlsValidate', { default: anchored }, {}, certificate === undefined ? {} : { certificate }).then(codeOf);
    expect(await answer()).toBe('MTLS_CERT_MISSING');
    expect(await answer('-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----')).toBe('MTLS_CERT_UNPARSEABLE');
    expect(await answer('nonsense')).toBe('MTLS_CERT_UNPARSEABLE');
    expect(await check(anchored, 'server.pem')).toBe('MTLS_CERT_UNTRUSTED');
    expect(await check(anchored, '../client.pem')).toBe('MTLS_CERT_UNTRUSTED');
    // The certificate alone, without the chain to the root.
    expect(await answer(pem('partner.pem').split(/(?<=END CERTIFICATE-----)/)[0])).toBe('MTLS_CERT_UNTRUSTED');
    // Another certificate followed by a valid chain.
    expect(await answer(`${pem('../client.pem')}\n${pem('partner.pem')}`)).toBe('MTLS_CERT_UNTRUSTED');
  });

  it('a revoked certificate is rejected if revocation lists are configured', async () => {
    const checking = { ...anchored, revocationFiles: [file('issuer.crl'), file('root.crl')] };
    expect(await check(anchored, 'revoked.pem')).toBe('good');
    expect(await check(checking, 'revoked.pem')).toBe('MTLS_CERT_REVOKED');
    expect(await check(checking, 'partner.pem')).toBe('good');
  });

  it('all filters must match; without filters, allowAnyFromTrusted is required', async () => {
    const subject = 'cn=partner, OU=AdminClients, O=Example\\, Corp, L=Zagreb, C=HR';
    const all = { allowSubjects: [subject], allowSans: [{ dns: 'API.example.com' }], allowSerials: ['0x0a:03'] };
    const { allowAnyFromTrusted: _, ...bare } = anchored;
    expect(await check(bare, 'partner.pem')).toBe('MTLS_SUBJECT_DENIED');
    expect(await check({ ...bare, ...all }, 'partner.pem')).toBe('good');
    expect(await check({ ...bare, ...all, allowSubjects: ['CN=else'] }, 'partner.pem')).toBe('MTLS_SUBJECT_DENIED');
    expect(await check({ ...bare, ...all, allowSans: [{ dns: 'else' }] }, 'partner.pem')).toBe('MTLS_SAN_DENIED');
    expect(await check({ ...bare, ...all, allowSerials: ['0a04'] }, 'partner.pem')).toBe('MTLS_SERIAL_DENIED');
    expect(await check(bare, 'partner.pem', { allowSans: [{ uri: 'spiffe://example/partner' }] })).toBe('good');
    expect(await check(bare, 'partner.pem', { allowSans: [{ ip: '10.1.2.3', dns: 'else' }] })).toBe('MTLS_SAN_DENIED');
  });

  it('a task may have its own trust anchors; invalid ones are a configuration error', async () => {
    const own = { trustAnchors: [{ pem: pem('root.pem') }], allowAnyFromTrusted: true };
    const answer = await ask('mtlsValidate', {}, own, { certificate: pem('partner.pem') });
    expect(codeOf(answer)).toBe('good');
    expect(codeOf(await ask('mtlsValidate', {}, {}, {}))).toBe('(MTLS_CONFIG_PROFILE_MISSING)');
    expect(await check({ trustAnchors: [{ pem: 'x' }] }, 'partner.pem')).toBe('(MTLS_CONFIG_TRUST_ANCHORS_INVALID)');
    expect(await check({ trustAnchors: [{ file: '/nowhere.pem' }] }, 'partner.pem')).toBe('(MTLS_CONFIG_INVALID)');
  });
});

describe('apiKeyValidate:v1 (JL-1.4, dsl 18.8)', () => {
  const hash = `sha256:${createHash('sha256').update('open sesame').digest('hex')}`;
  const source = { location: 'header', name: 'X-Api-Key' } as const;
  const profiles = { default: { keys: [{ id: 'ali', hash }], source } };

  it('a valid key returns its id', async () => {
    const asking = { headers: { 'x-api-key': 'open sesame' } };
    expect(await ask('apiKeyValidate', profiles, {}, asking)).toEqual({ known: { keyId: 'ali' } });
    const inQuery = { source: { location: 'query', name: 'key' } };
    expect(await ask('apiKeyValidate', profiles, inQuery, { query: 'key=open+sesame' })).toEqual({
      known: { keyId: 'ali' },
    });
  });

  it('any other key is rejected, without a limit of attempts', async () => {
    const wrong = (key: string) => ask('apiKeyValidate', profiles, {}, { headers: { 'x-api-key': key } }).then(codeOf);
    expect(await wrong('')).toBe('APIKEY_MISSING');
    for (let i = 0; i < 30; i++) expect(await wrong(`guess ${i}`)).toBe('APIKEY_INVALID');
  });

  it('configuration errors differ from invalid keys', async () => {
    expect(codeOf(await ask('apiKeyValidate', {}, {}, {}))).toBe('(APIKEY_CONFIG_PROFILE_MISSING)');
    const sourceless = { default: { keys: [] } };
    expect(codeOf(await ask('apiKeyValidate', sourceless, {}, {}))).toBe('(APIKEY_CONFIG_INVALID)');
    const short = { default: { keys: [{ id: 'a', hash: 'scrypt:2:8:1:AAAA:AAAA' }], source } };
    expect(codeOf(await ask('apiKeyValidate', short, {}, {}))).toBe('(APIKEY_CONFIG_KEYS_UNUSABLE)');
  });
});
