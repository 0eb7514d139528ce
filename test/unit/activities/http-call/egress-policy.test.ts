import { afterEach, describe, expect, it } from 'vitest';
import { createEgress } from '../../../../activities/http-call/egress-policy.js';
import { ProblemError } from '../../../../src/base/problems/problem.js';
import { Bench, defaults, requestOf } from './server.js';

const bench = new Bench();
afterEach(() => {
  bench.seen.length = 0;
  bench.logged.length = 0;
  return bench.close();
});

function policy(egress: Partial<typeof defaults.egress>, loopbackAllowed = false, rewrite = {}) {
  return createEgress({ ...defaults, rewrite, egress: { ...defaults.egress, ...egress } }, loopbackAllowed);
}

function refuses(it: ReturnType<typeof policy>, url: string): string | undefined {
  return it.refusesUrl(new URL(url), new URL(url));
}

describe('the egress policy', () => {
  it.each([
    ['http://127.0.0.1/', 'loopback'],
    ['http://2130706433/', 'loopback'],
    ['http://0x7f.1/', 'loopback'],
    ['http://[::1]:8080/', 'loopback'],
    ['http://[::ffff:127.0.0.1]/', 'loopback'],
    ['http://10.0.0.1/', 'private'],
    ['http://[fd00::1]/', 'private'],
    ['http://100.64.1.1/', 'private'],
    ['http://169.254.169.254/latest/meta-data/', 'link-local'],
    ['http://0.0.0.0/', 'reserved'],
    ['http://224.0.0.1/', 'reserved'],
    ['ftp://example.com/', 'only http and https'],
    ['file:///etc/passwd', 'only http and https'],
    ['http://user@example.com/', 'credentials'],
    ['https://:secret@example.com/', 'credentials'],
  ])('rejects %s', (url, why) => expect(refuses(policy({}), url)).toContain(why));

  it('GAP-25 rejects our own ports on loopback, unless they are listed with the port', () => {
    const own = (allowPrivate: string[]) =>
      createEgress({ ...defaults, egress: { ...defaults.egress, allowPrivate } }, true, () => [8080, 7233]);
    expect(refuses(own([]), 'http://127.0.0.1:9000/')).toBeUndefined();
    for (const host of ['127.0.0.1', '127.0.0.2', '[::1]', '[::ffff:127.0.0.1]'])
      expect(refuses(own([]), `http://${host}:8080/`)).toBe('the port belongs to Journeyman itself');
    expect(own([]).refusesAddress('localhost', 7233, '127.0.0.1')).toBe('the port belongs to Journeyman itself');
    expect(refuses(own(['127.0.0.1']), 'http://127.0.0.1:7233/')).toContain('itself');
    expect(refuses(own(['127.0.0.1:7233']), 'http://127.0.0.1:7233/')).toBeUndefined();
  });

  it('GAP-31 names the setting that allows a private address', () => {
    expect(refuses(policy({}), 'http://10.1.2.3/')).toContain('http.egress.allowPrivate');
  });

  it.each(['https://example.com/', 'http://8.8.8.8/', 'http://[2606:4700::1111]/'])('allows %s', (url) => {
    expect(refuses(policy({}), url)).toBeUndefined();
  });

  it('allows loopback while the gateway itself is on loopback, but never 0.0.0.0', () => {
    expect(refuses(policy({}, true), 'http://127.0.0.1:9/')).toBeUndefined();
    expect(refuses(policy({}, true), 'http://0.0.0.0:9/')).toContain('reserved');
    expect(refuses(policy({}, true), 'http://10.0.0.1/')).toContain('private');
  });

  it.each<[string, string, number, string, boolean]>([
    ['10.1.0.0/16', 'db.example', 80, '10.1.2.3', true],
    ['10.1.0.0/16', 'db.example', 80, '10.2.2.3', false],
    ['10.1.0.0/16', 'db.example', 80, '::ffff:10.1.2.3', true],
    ['fd00::/8', 'db.example', 80, 'fd00::1', true],
    ['127.0.0.1:9000', 'x.example', 9000, '127.0.0.1', true],
    ['127.0.0.1:9000', 'x.example', 9001, '127.0.0.1', false],
    ['[::1]:9000', 'localhost', 9000, '::1', true],
    ['[::1]:9000', 'localhost', 80, '::1', false],
    ['db.internal', 'db.internal', 5432, '10.0.0.9', true],
    ['DB.Internal.', 'db.internal', 5432, '10.0.0.9', true],
    ['db.internal:80', 'db.internal', 81, '10.0.0.9', false],
    ['*.internal', 'a.b.internal', 80, '10.0.0.9', true],
    ['*.internal', 'internal', 80, '10.0.0.9', false],
    ['*.internal', 'evilinternal', 80, '10.0.0.9', false],
    ['localhost', 'localhost', 80, '127.0.0.1', true],
    ['db.internal', 'db.internal', 80, '169.254.169.254', false],
    ['169.254.169.254', 'db.internal', 80, '169.254.169.254', true],
    ['bücher.example', 'xn--bcher-kva.example', 80, '10.0.0.1', true],
  ])('allowPrivate %s: %s:%i at %s', (entry, host, port, address, allowed) => {
    const answer = policy({ allowPrivate: [entry] }).refusesAddress(host, port, address);
    expect(answer === undefined).toBe(allowed);
  });

  it.each<[string, boolean]>([
    ['https://api.example.com/', true],
    ['https://deep.api.example.org/', true],
    ['https://example.org/', false],
    ['https://other.example.com/', false],
    ['https://api.example.com.evil.example/', false],
    ['https://8.8.8.8/', false],
    ['http://[2606:4700::1]/', true],
  ])('allows only the origins in `allow` if it is set: %s', (url, allowed) => {
    const it = policy({ allow: ['api.example.com', '*.example.org', '2606:4700::/32'] });
    expect(refuses(it, url) === undefined).toBe(allowed);
  });

  it('does not allow private addresses because of `allow`', () => {
    expect(refuses(policy({ allow: ['10.0.0.1'] }), 'http://10.0.0.1/')).toContain('private');
  });

  it('allows a rewrite target, on its port only', () => {
    const it = policy({ allow: ['api.example.com'] }, false, { 'https://api.example.com': 'http://10.0.0.1:9000' });
    expect(refuses(it, 'http://10.0.0.1:9000/')).toBeUndefined();
    expect(refuses(it, 'http://10.0.0.1:9001/')).toBeDefined();
  });

  it.each(['http://x', '10.0.0.0/33', 'a b', '*', 'x:99999', '[x]', ''])(
    'rejects a configured "%s" with its location',
    (entry) => {
      const attempt = () => policy({ allowPrivate: ['ok.example', entry] });
      expect(attempt).toThrow(ProblemError);
      try {
        attempt();
      } catch (error) {
        expect((error as ProblemError).problem).toMatchObject({
          code: 'CONFIG_VALUE_INVALID',
          pointer: '/http/egress/allowPrivate/1',
        });
      }
    },
  );
});

describe('refused calls', () => {
  const loopbackName = async () => [{ address: '127.0.0.1', family: 4 }];

  it('return an error, are logged with a code and are not retried', async () => {
    const retry = {
      maxAttempts: 3,
      retryOn: ['NETWORK_ERROR' as const],
      backoff: { kind: 'fixed' as const, baseDelayMs: 1, maxDelayMs: 1, multiplier: 1, jitter: 'none' as const },
    };
    const result = await bench.call({ url: 'http://169.254.169.254/latest', retry }, { loopbackAllowed: false });
    expect(result).toEqual({
      ok: false,
      headers: {},
      body: null,
      error: {
        type: 'NETWORK',
        code: 'EGRESS_REFUSED',
        message: 'refused by the egress policy: the host is at a link-local address',
      },
    });
    expect(bench.logged).toMatchObject([{ fields: { code: 'EGRESS_REFUSED', origin: 'http://169.254.169.254' } }]);
  });

  it('include a harmless name that resolves to loopback', async () => {
    const origin = await bench.serve((_, __, response) => response.end());
    const url = origin.replace('127.0.0.1', 'harmless.example');
    const options = { loopbackAllowed: false, resolve: loopbackName };
    expect((await bench.call({ url }, options)).error?.message).toContain('refused by the egress policy');
    expect(bench.seen).toEqual([]);
    expect(bench.logged).toMatchObject([{ fields: { code: 'EGRESS_REFUSED' } }]);

    const allowed = { egress: { allow: [], allowPrivate: ['harmless.example'] } };
    expect(await bench.call({ url }, { ...options, config: allowed })).toMatchObject({ ok: true });
    expect(bench.seen[0]?.headers.host).toBe(new URL(url).host);
  });

  it('include the same name over TLS', async () => {
    const resolve = async () => [{ address: '10.0.0.1', family: 4 }];
    const result = await bench.call({ url: 'https://harmless.example/' }, { resolve });
    expect(result.error?.message).toBe(
      'refused by the egress policy: the host is at a private address, which is not in http.egress.allowPrivate',
    );
  });

  it('leave out addresses that are not allowed, if a name has several', async () => {
    const origin = await bench.serve((_, __, response) => response.end('reached'));
    const url = origin.replace('127.0.0.1', 'mixed.example');
    const resolve = async () => [
      { address: '10.255.255.1', family: 4 },
      { address: '127.0.0.1', family: 4 },
    ];
    expect(await bench.call({ url }, { resolve })).toMatchObject({ ok: true, body: 'reached' });
  });

  it('are detected for each connection if the address of a name changes', async () => {
    const origin = await bench.serve((_, __, response) => response.setHeader('connection', 'close').end());
    const url = origin.replace('127.0.0.1', 'turning.example');
    const answers = ['127.0.0.1', '10.0.0.1'];
    const call = bench.activity({ resolve: async () => [{ address: answers.shift() ?? '10.0.0.1', family: 4 }] });
    expect(await call(requestOf({ url }))).toMatchObject({ ok: true });
    expect(await call(requestOf({ url }))).toMatchObject({ error: { message: expect.stringContaining('private') } });
  });

  it.each(['/orders/../admin', '/orders/%2E%2e/admin', '/orders/.\t./admin', '/orders\\..\\admin', '/orders/..?x=1'])(
    'include paths with dot segments: %s',
    async (path) => {
      const origin = await bench.serve((_, __, response) => response.end());
      const result = await bench.call({ url: `${origin}${path}` });
      expect(result.error).toEqual({ type: 'NETWORK', message: 'the path has a segment of dots' });
      expect(bench.seen).toEqual([]);
      expect((await bench.call({ url: `${origin}/orders/a..b?after=../..` })).ok).toBe(true);
    },
  );

  it('include redirects, which are never followed', async () => {
    const url = await bench.serve((_, __, response) => response.writeHead(307, { location: 'http://10.0.0.1/' }).end());
    expect(await bench.call({ url })).toMatchObject({ ok: false, status: 307 });
  });

  it('contain no credentials of the URL, in result or log', async () => {
    const result = await bench.call({ url: 'https://user:hunter2@example.com/' });
    expect(result.error?.message).toContain('refused by the egress policy');
    expect(JSON.stringify([result, bench.logged])).not.toContain('hunter2');
  });

  it('include URLs with credentials, even if they are rewritten', async () => {
    const config = { rewrite: { 'https://api.example.com': 'http://127.0.0.1:9' } };
    const result = await bench.call({ url: 'https://a:b@api.example.com/' }, { config });
    expect(result.error?.message).toContain('credentials');
  });

  it('do not include unknown names, which are network errors', async () => {
    const resolve = () => Promise.reject(Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' }));
    const result = await bench.call({ url: 'http://nowhere.example/' }, { resolve });
    expect(result.error).toEqual({ type: 'NETWORK', message: 'the host name is unknown' });
  });
});
