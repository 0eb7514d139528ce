import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { toCallFailure } from '../../../../activities/http-call/describe-connection-failure.js';
import { Bench, requestOf } from './server.js';

const bench = new Bench();
afterEach(() => {
  bench.seen.length = 0;
  bench.logged.length = 0;
  return bench.close();
});

const network = { ok: false, headers: {}, body: null, error: { type: 'NETWORK' } };

describe('a call without a usable response is an error in the journey', () => {
  it('a service that does not respond in time', async () => {
    const url = await bench.serve(() => {});
    expect(await bench.call({ url, timeoutMs: 40 })).toEqual({
      ok: false,
      headers: {},
      body: null,
      error: { type: 'TIMEOUT', message: 'no complete answer within 40 ms' },
    });
  });

  it('a service that starts to respond and stalls', async () => {
    const url = await bench.serve((_, __, response) => response.write('begun'));
    expect((await bench.call({ url, timeoutMs: 60 })).error?.type).toBe('TIMEOUT');
  });

  it('a refused connection', async () => {
    const url = await bench.serve(() => {});
    await bench.close();
    expect(await bench.call({ url })).toMatchObject({ ...network, error: { message: 'connection refused' } });
  });

  it.each<[string, string | undefined, string]>([
    ['closed without a response', undefined, 'the connection was closed by the other side'],
    ['cut in the middle of the body', 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nshort', ''],
    ['something that is not HTTP', 'SSH-2.0-OpenSSH_9.6\r\n', 'the answer is not valid HTTP'],
    [
      'an invalid gzip body',
      'HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 3\r\n\r\nabc',
      'the response cannot be decompressed',
    ],
    [
      'an unknown encoding',
      'HTTP/1.1 200 OK\r\ncontent-encoding: zip\r\ncontent-length: 3\r\n\r\nabc',
      'the response is compressed in an unknown way',
    ],
  ])('%s', async (_, answer, message) => {
    const url = await bench.serveRaw((socket) =>
      socket.once('data', () => (answer ? socket.end(answer) : socket.destroy())),
    );
    const result = await bench.call({ url });
    expect(result).toMatchObject(network);
    if (message !== '') expect(result.error?.message).toBe(message);
  });

  it('a reset connection', async () => {
    const url = await bench.serveRaw((socket) => socket.once('data', () => socket.resetAndDestroy()));
    expect(await bench.call({ url })).toMatchObject(network);
  });

  it.each([
    ['no URL', { url: 'not a url' }],
    ['a header that cannot be sent', { headers: { 'x-bad': 'a\r\nb' } }],
    ['a header name that cannot be sent', { headers: { 'x bad': 'a' } }],
    ['a method that cannot be sent', { method: 'G ET' }],
  ])('%s', async (_, parts) => {
    const url = await bench.serve((_, __, response) => response.end());
    const retry = { maxAttempts: 3, retryOn: ['NETWORK_ERROR' as const], backoff: flat };
    expect(await bench.call({ url, retry, ...parts })).toMatchObject(network);
    expect(bench.seen).toEqual([]);
    expect(bench.logged).toHaveLength(1);
  });
});

describe('response size limit', () => {
  const config = { responseLimit: 1_000 };
  const message = 'the response is larger than 1000 bytes';

  it('accepts a body of exactly the limit', async () => {
    const url = await bench.serve((_, __, response) => response.end('x'.repeat(1_000)));
    expect(await bench.call({ url }, { config })).toMatchObject({ ok: true });
  });

  it('rejects a larger announced length at once', async () => {
    const url = await bench.serve((_, __, response) =>
      response.writeHead(200, { 'content-length': '1001' }).flushHeaders(),
    );
    expect(await bench.call({ url }, { config })).toMatchObject({ ...network, error: { message } });
  });

  it('closes the connection of an endless body', async () => {
    let closed: Promise<unknown> | undefined;
    const url = await bench.serve((_, request, response) => {
      closed = closing(request.socket);
      const pour = () => {
        while (!response.destroyed && response.write('x'.repeat(400)));
      };
      response.on('drain', pour);
      pour();
    });
    expect(await bench.call({ url }, { config })).toMatchObject({ ...network, error: { message } });
    await closed;
  });

  it('rejects a small body that decompresses to a large one', async () => {
    const url = await bench.serve((_, __, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(50_000_000))),
    );
    expect(await bench.call({ url })).toMatchObject({
      ...network,
      error: { message: 'the response is larger than 1048576 bytes' },
    });
  });

  it('does not retry, because the result would be the same', async () => {
    const url = await bench.serve((_, __, response) => response.end('x'.repeat(2_000)));
    const retry = { maxAttempts: 3, retryOn: ['NETWORK_ERROR' as const], backoff: flat };
    await bench.call({ url, method: 'POST', retry }, { config });
    expect(bench.seen).toHaveLength(1);
  });
});

describe('cancellation', () => {
  it('aborts a call in flight and rejects with the reason', async () => {
    const controller = new AbortController();
    const reason = new Error('cancelled');
    let closed: Promise<unknown> | undefined;
    const url = await bench.serve((_, request) => {
      closed = closing(request.socket);
      controller.abort(reason);
    });
    await expect(bench.activity()(requestOf({ url }), { signal: controller.signal })).rejects.toBe(reason);
    await closed;
  });

  it('ends the delay between two attempts', async () => {
    const controller = new AbortController();
    const url = await bench.serve((_, __, response) => {
      response.writeHead(500).end();
      setTimeout(() => controller.abort(new Error('cancelled')), 20);
    });
    const retry = {
      maxAttempts: 2,
      retryOn: ['HTTP_5XX' as const],
      backoff: { ...flat, baseDelayMs: 9_000, maxDelayMs: 9_000 },
    };
    await expect(bench.activity()(requestOf({ url, retry }), { signal: controller.signal })).rejects.toThrow(
      'cancelled',
    );
    expect(bench.seen).toHaveLength(1);
  });

  it('sends nothing if it comes before the call', async () => {
    const url = await bench.serve((_, __, response) => response.end());
    await expect(bench.activity()(requestOf({ url }), { signal: AbortSignal.abort() })).rejects.toThrow();
    expect(bench.seen).toEqual([]);
  });
});

describe('messages and logs contain no secrets', () => {
  it('such as paths, queries, headers or bodies', async () => {
    const origin = await bench.serve((_, __, response) => response.destroy());
    const url = `${origin}/secret-path?key=secret-query`;
    const headers = { authorization: 'secret-header' };
    const result = await bench.call({ method: 'POST', url, headers, body: 'secret-body', operation: 'orders.create' });
    expect(JSON.stringify([result, bench.logged])).not.toContain('secret');
    expect(bench.logged[0]?.fields).toMatchObject({ method: 'POST', origin, operation: 'orders.create', attempt: 1 });
  });

  it.each([new Error('token=secret'), Object.assign(new Error('secret'), { code: 'EODD' }), 'secret', null])(
    'unexpected errors are not quoted: %s',
    (error) => {
      const failure = toCallFailure(error);
      expect(failure.type).toBe('NETWORK');
      expect(failure.message).not.toContain('secret');
    },
  );

  it.each(['CERT_HAS_EXPIRED', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'ERR_TLS_CERT_ALTNAME_INVALID'])(
    '%s is a TLS error',
    (code) => {
      expect(toCallFailure(Object.assign(new Error(), { code })).message).toBe(`the TLS connection failed (${code})`);
    },
  );
});

const flat = { kind: 'fixed' as const, baseDelayMs: 1, maxDelayMs: 1, multiplier: 1, jitter: 'none' as const };

function closing(socket: Socket): Promise<unknown> {
  return new Promise((resolve) => socket.once('close', resolve));
}
