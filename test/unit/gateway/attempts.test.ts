import { createHash, randomBytes, scryptSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { ApiKeyConfig } from '../../../src/config/config-types.js';
import { FailedAttempts } from '../../../src/gateway/auth/bad-credential-rate-limit.js';
import { apiKeyCheck } from '../../../src/gateway/auth/check-api-key.js';
import { load } from '../../../src/language/load-journey.js';
import { gate, gateway, runView } from './harness.js';

const salt = Buffer.from('a grain of salt');
const hash = scryptSync('jm_slow', salt, 32, { N: 1024, r: 8, p: 1 }).toString('base64url');
const slow: ApiKeyConfig = {
  id: 'slow',
  roles: ['client'],
  hash: `scrypt:1024:8:1:${salt.toString('base64url')}:${hash}`,
};
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const tooMany = { problem: { code: 'TOO_MANY_ATTEMPTS' } };

describe('keys behind a slow hash', () => {
  it('FLT-20 known keys never wait for unknown ones, and few of those wait', async () => {
    const derived: string[] = [];
    const { passed, open } = gate();
    const check = apiKeyCheck([slow], new FailedAttempts(), async (presented) => {
      derived.push(presented);
      if (presented === 'jm_slow') return true;
      await passed;
      return false;
    });
    expect(await check('jm_slow', '10.0.0.1')).toBe(slow);
    const bad = Array.from({ length: 300 }, (_, i) => check(`jm_bad_${i}`, `10.0.1.${i % 5}`));
    const settled = Promise.allSettled(bad);
    // The derivations hang, so this would too if it waited for any of them.
    expect(await check('jm_slow', '10.0.1.1')).toBe(slow);
    expect(derived).toEqual(['jm_slow', 'jm_bad_0']);
    open();
    const refused = (await settled).filter(({ status }) => status === 'rejected');
    expect(refused.length).toBe(300 - 32);
    expect(refused[0]).toMatchObject({ reason: tooMany });
    expect(derived.length).toBe(1 + 32);
  });

  it('FLT-20 bad keys do not evict good ones, and a key is derived once for concurrent callers', async () => {
    let derivations = 0;
    const check = apiKeyCheck([slow], new FailedAttempts(), async (presented) => {
      derivations += 1;
      return presented === 'jm_slow';
    });
    const answers = await Promise.all(Array.from({ length: 50 }, () => check('jm_slow', '10.0.0.1')));
    expect(answers).toEqual(answers.map(() => slow));
    expect(derivations).toBe(1);
    for (let i = 0; i < 1500; i++) await check(`jm_${i}`, `10.1.${i >> 8}.${i & 255}`);
    derivations = 0;
    expect(await check('jm_slow', '10.0.0.1')).toBe(slow);
    expect(await check('jm_1499', '10.9.9.9'), 'a bad one is remembered too').toBeUndefined();
    expect(derivations).toBe(0);
  });

  it('FLT-20 over HTTP: 300 bad keys get 401 and then 429 with Retry-After; known callers get 200', async () => {
    const fast: ApiKeyConfig = {
      id: 'fast',
      roles: ['client'],
      hash: `sha256:${createHash('sha256').update('jm_fast').digest('hex')}`,
    };
    const { post, log } = await gateway({ apiKeys: [slow, fast] });
    const start = (token: string) => post('/api/v1/journeys/order/start', {}, bearer(token));
    expect((await start('jm_slow')).status).toBe(200);
    const bad = await Promise.all(Array.from({ length: 300 }, () => start(`jm_${randomBytes(8).toString('hex')}`)));
    const limited = bad.filter(({ status }) => status === 429);
    expect(new Set(bad.map(({ status }) => status))).toEqual(new Set([401, 429]));
    expect(limited.length).toBeGreaterThan(200);
    expect(limited[0]?.body).toMatchObject({ code: 'TOO_MANY_ATTEMPTS', status: 429 });
    expect(Number(limited[0]?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await start('jm_slow')).status).toBe(200);
    expect((await start('jm_fast')).status, 'a fast hash is always compared').toBe(200);
    expect(log()).toContain('TOO_MANY_ATTEMPTS');
  });

  it('FLT-20 is known without a derivation once it was found', async () => {
    let derivations = 0;
    const check = apiKeyCheck([slow], new FailedAttempts(), async (presented) => {
      derivations += 1;
      return presented === 'jm_slow';
    });
    expect(check.known('jm_slow')).toBeUndefined();
    expect(derivations).toBe(0);
    await check('jm_slow', '10.0.0.1');
    expect(check.known('jm_slow')).toBe(slow);
    expect(check.known('jm_bad')).toBeUndefined();
    expect(derivations).toBe(1);
  });

  it('FLT-20 requests to a hook never wait for derivations, whatever keys they send', async () => {
    const { definition } = load({
      text: `
apiVersion: v1
kind: Journey
metadata: { name: hooked, version: 1.0.0 }
spec:
  input: { schema: { type: object, properties: { id: { type: string } }, required: [id] } }
  key: { expr: context.id }
  start: paid
  states:
    paid:
      type: webhook
      webhook: { input: { schema: true }, signature: { preset: github, secretRef: s }, correlate: { expr: payload.id } }
      next: done
    done: { type: succeed }
`,
    });
    // Slow enough that the first derivation lasts until all requests have arrived.
    const slower = { ...slow, hash: slow.hash.replace('1024', '65536') };
    const { post } = await gateway({ apiKeys: [slower], definitions: [definition!] });
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, i) => {
        const credential = `chosen-${i}`;
        return post('/api/v1/hooks/hooked/paid', {}, i % 2 ? { 'x-api-key': credential } : bearer(credential));
      }),
    );
    expect(new Set(answers.map(({ body }) => body.code))).toEqual(new Set(['SIGNATURE_INVALID']));
  });

  it('FLT-20 a key that the gateway has seen is not passed to the journey, however it is hashed', async () => {
    const derived = scryptSync('people-chose-it', salt, 32, { N: 1024, r: 8, p: 1 }).toString('base64url');
    const chosen = { ...slow, hash: `scrypt:1024:8:1:${salt.toString('base64url')}:${derived}` };
    const { get, post, runs } = await gateway({ apiKeys: [chosen] });
    runs.known.set('r', runView('r'));
    runs.owners.set('r', 'key:slow');
    runs.tokens.set('r/approval', 'c4llb4ck');
    expect((await get('/api/v1/journeys/r', { 'x-api-key': 'people-chose-it' })).status).toBe(200);
    const path = '/api/v1/journeys/r/steps/approval?callback=c4llb4ck';
    await post(path, {}, { ...bearer('people-chose-it'), 'x-api-key': 'people-chose-it' });
    expect(runs.submitted[0]?.headers).not.toHaveProperty('authorization');
    expect(runs.submitted[0]?.headers).not.toHaveProperty('x-api-key');
  });
});

describe('bad credentials of an address', () => {
  it('FLT-20 are limited per address (IPv6: per /64) and regained over time', () => {
    let now = 0;
    const attempts = new FailedAttempts(() => now);
    for (let i = 0; i < 20; i++) attempts.take('2001:db8:0:7::1');
    expect(() => attempts.take('2001:db8:0:7:1:2:3:4')).toThrowError('Try again in 3 s.');
    expect(() => attempts.take('2001:db8:0:8::1')).not.toThrow();
    expect(() => attempts.take('192.0.2.1')).not.toThrow();
    now = 3_000;
    expect(() => attempts.take('2001:db8:0:7::9')).not.toThrow();
    expect(() => attempts.take('2001:db8:0:7::9')).toThrow();
    for (let i = 0; i < 20; i++) attempts.take('::ffff:192.0.2.1');
    expect(() => attempts.take('192.0.2.1'), 'the same address, mapped').toThrow();
  });

  it('FLT-20 take bounded memory', () => {
    const attempts = new FailedAttempts();
    for (let i = 0; i < 30_000; i++) attempts.take(`10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`);
    expect((attempts as unknown as { buckets: Map<string, unknown> }).buckets.size).toBe(10_000);
  });
});
