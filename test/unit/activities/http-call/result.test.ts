import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { Bench, requestOf } from './server.js';

const bench = new Bench();
afterEach(() => {
  bench.seen.length = 0;
  bench.logged.length = 0;
  return bench.close();
});

interface Reply {
  status?: number;
  headers?: Record<string, string | string[]>;
  body?: string | Buffer;
}

const json = { 'content-type': 'application/json' };

describe('the response as a journey sees it (A21)', () => {
  const cases: [string, Reply, object][] = [
    ['JSON is parsed', { headers: json, body: '{"a":[1]}' }, { ok: true, status: 200, body: { a: [1] } }],
    [
      'a +json type with parameters is JSON',
      { headers: { 'content-type': 'application/problem+json; charset=utf-8' }, body: '{"title":"ö"}' },
      { body: { title: 'ö' } },
    ],
    ['a byte order mark is not part of JSON', { headers: json, body: '\ufeff{"a":1}' }, { body: { a: 1 } }],
    ['bad JSON is text', { headers: json, body: '{"a":' }, { ok: true, body: '{"a":' }],
    ['JSON null is null', { headers: json, body: 'null' }, { body: null }],
    [
      'JSON too deep to be handled is text',
      { headers: json, body: '['.repeat(50_000) + ']'.repeat(50_000) },
      { body: '['.repeat(50_000) + ']'.repeat(50_000) },
    ],
    ['JSON under another type is text', { headers: { 'content-type': 'text/plain' }, body: '{}' }, { body: '{}' }],
    ['no content type is text', { body: 'hello' }, { body: 'hello' }],
    ['an empty body is null', { headers: json, body: '' }, { body: null }],
    ['204 has no body', { status: 204 }, { ok: true, status: 204, body: null }],
    [
      'the charset is honoured',
      { headers: { 'content-type': 'text/plain; charset="iso-8859-1"' }, body: Buffer.from([0xe4]) },
      { body: 'ä' },
    ],
    [
      'an unknown charset falls back to UTF-8',
      { headers: { 'content-type': 'text/plain; charset=klingon' }, body: 'ä' },
      { body: 'ä' },
    ],
    [
      'a redirect is not followed',
      { status: 302, headers: { location: '/elsewhere' } },
      { ok: false, status: 302, headers: { location: '/elsewhere' } },
    ],
    ['an error status is data', { status: 404, headers: json, body: '{"no":1}' }, { ok: false, body: { no: 1 } }],
    ['header names are lower-case', { headers: { 'X-Request-ID': 'r1' } }, { headers: { 'x-request-id': 'r1' } }],
    [
      'repeated headers are joined, cookies line by line',
      { headers: { 'X-Multi': ['a', 'b'], 'Set-Cookie': ['a=1; Expires=Wed, 09 Jun 2027 10:18:14 GMT', 'b=2'] } },
      { headers: { 'x-multi': 'a, b', 'set-cookie': 'a=1; Expires=Wed, 09 Jun 2027 10:18:14 GMT\nb=2' } },
    ],
    ['gzip', { headers: { 'content-encoding': 'gzip' }, body: gzipSync('packed') }, { body: 'packed' }],
    ['deflate', { headers: { 'content-encoding': 'deflate' }, body: deflateSync('packed') }, { body: 'packed' }],
    ['raw deflate', { headers: { 'content-encoding': 'deflate' }, body: deflateRawSync('packed') }, { body: 'packed' }],
    ['brotli', { headers: { 'content-encoding': 'br' }, body: brotliCompressSync('packed') }, { body: 'packed' }],
    [
      'two layers',
      { headers: { 'content-encoding': 'br, gzip' }, body: gzipSync(brotliCompressSync('packed')) },
      { body: 'packed' },
    ],
    ['an empty body that claims to be packed', { headers: { 'content-encoding': 'gzip' } }, { ok: true, body: null }],
  ];
  it.each(cases)('%s', async (_, { status = 200, headers = {}, body }, expected) => {
    const url = await bench.serve((_, __, response) => response.writeHead(status, headers).end(body));
    const result = await bench.call({ url });
    expect(result).toMatchObject(expected);
    expect(result).not.toHaveProperty('error');
  });

  it('FLT-4 a response whose JSON exceeds the size limit of a run is an error', async () => {
    const grows = `[${'1e20,'.repeat(150_000)}1]`;
    const url = await bench.serve((_, __, response) => response.writeHead(200, json).end(grows));
    const error = { type: 'NETWORK', message: 'the response is larger than 1900000 bytes' };
    expect(await bench.call({ url })).toMatchObject({ ok: false, error });
  });

  it('GAP-26 a number outside the range of a double is an error, not null', async () => {
    const url = await bench.serve((_, __, response) => response.writeHead(200, json).end('{"total":[1e999]}'));
    const error = { type: 'NETWORK', message: 'the response has a number that is too large' };
    expect(await bench.call({ url })).toMatchObject({ ok: false, body: null, error });
  });

  it('objects of a body have no prototype', async () => {
    const url = await bench.serve((_, __, response) => response.writeHead(200, json).end('{"__proto__":{"x":1}}'));
    const { body } = await bench.call({ url });
    expect(Object.getPrototypeOf(body)).toBeNull();
    expect(JSON.stringify(body)).toBe('{"__proto__":{"x":1}}');
  });

  it('a body in several chunks is joined', async () => {
    const url = await bench.serve((_, __, response) => {
      response.writeHead(200, json);
      response.write('{"a"');
      setTimeout(() => response.end(':"ü"}'), 20);
    });
    expect((await bench.call({ url })).body).toEqual({ a: 'ü' });
  });
});

describe('the request that is sent', () => {
  it('has method, path, query, headers and body as given, with length, user agent and the host of the URL', async () => {
    const origin = await bench.serve((_, __, response) => response.end());
    await bench.call({
      method: 'POST',
      url: `${origin}/a%2Fb/c?q=%20x&q=2#part`,
      headers: { 'X-Key': 'k', host: 'elsewhere.example', 'content-length': '9999', 'Transfer-Encoding': 'chunked' },
      body: 'grüße',
    });
    const [seen] = bench.seen;
    expect(seen).toMatchObject({ method: 'POST', url: '/a%2Fb/c?q=%20x&q=2', body: 'grüße' });
    expect(seen?.headers).toMatchObject({
      'x-key': 'k',
      'user-agent': 'journeyman',
      host: new URL(origin).host,
      'content-length': '7',
    });
    expect(seen?.headers).not.toHaveProperty('transfer-encoding');
  });

  it.each(['GET', 'HEAD'])('%s never carries a body', async (method) => {
    const url = await bench.serve((_, __, response) => response.setHeader('content-length', '5').end('hello'));
    const result = await bench.call({ method, url, body: 'ignored' });
    expect(bench.seen[0]).toMatchObject({ method, body: '' });
    expect(bench.seen[0]?.headers).not.toHaveProperty('content-length');
    expect(result).toMatchObject({ ok: true, body: method === 'HEAD' ? null : 'hello' });
  });

  it('HEAD accepts the headers of a large compressed body, which is not read', async () => {
    const url = await bench.serve((_, __, response) =>
      response.writeHead(200, { 'content-length': '99999999', 'content-encoding': 'gzip' }).end(),
    );
    expect(await bench.call({ method: 'HEAD', url })).toMatchObject({ ok: true, body: null });
  });

  it.each(['POST', 'PUT', 'DELETE'])('has no body for %s without one', async (method) => {
    const url = await bench.serve((_, __, response) => response.end());
    expect(await bench.call({ method, url })).toMatchObject({ ok: true });
    expect(bench.seen[0]).toMatchObject({ method, body: '' });
  });

  it('has the user agent of the author if there is one', async () => {
    const url = await bench.serve((_, __, response) => response.end());
    await bench.call({ url, headers: { 'user-agent': 'mine' } });
    expect(bench.seen[0]?.headers['user-agent']).toBe('mine');
  });

  it('shares connections between calls to one origin', async () => {
    const sockets = new Set<unknown>();
    const url = await bench.serve((_, request, response) => {
      sockets.add(request.socket);
      response.end('x');
    });
    const call = bench.activity();
    for (let i = 0; i < 20; i++) await call(requestOf({ url }));
    expect(sockets.size).toBeLessThanOrEqual(2);
  });
});

describe('http.rewrite', () => {
  it('sends to the other origin, with the same path and query and its host', async () => {
    const origin = await bench.serve((_, __, response) => response.end('here'));
    const result = await bench.call(
      { url: 'https://API.example.com:443//double/slash?x=1' },
      { config: { rewrite: { 'https://api.example.com': origin } }, loopbackAllowed: false },
    );
    expect(result).toMatchObject({ ok: true, body: 'here' });
    expect(bench.seen[0]).toMatchObject({ url: '//double/slash?x=1', headers: { host: new URL(origin).host } });
  });

  it('leaves other origins unchanged', async () => {
    const origin = await bench.serve((_, __, response) => response.end('here'));
    const result = await bench.call(
      { url: origin },
      { config: { rewrite: { 'http://api.example.com': 'http://127.0.0.1:9' } } },
    );
    expect(result.body).toBe('here');
  });
});
