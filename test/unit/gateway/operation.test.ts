import { connect } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { ProblemError, problem, refuse } from '../../../src/base/problems/problem.js';
import type { ApiKeyConfig } from '../../../src/config/config-types.js';
import { createGateway } from '../../../src/gateway/create-gateway.js';
import { listen } from '../../../src/gateway/http-server.js';
import { api, FakeRuns, gate, gateway, journey, options, runView } from './harness.js';

it('health and readiness', async () => {
  let ready = false;
  const { get } = await gateway({
    ready: async () => {
      if (!ready) refuse('TEMPORAL_UNAVAILABLE', 'connect ECONNREFUSED 10.0.0.7:7233');
    },
  });
  expect(await get('/healthz')).toMatchObject({ status: 200, body: { status: 'ok' } });
  const waiting = await get('/readyz');
  expect(waiting).toMatchObject({ status: 503, body: { code: 'NOT_READY' } });
  expect(waiting.text).not.toContain('10.0.0.7');
  ready = true;
  expect(await get('/readyz')).toMatchObject({ status: 200, body: { status: 'ready' } });
});

it('R15-WATCH readiness lists documents with errors, and their routes return the findings instead of 404', async () => {
  const finding = {
    code: 'STATE_TYPE',
    severity: 'error' as const,
    message: 'There is no such type.',
    pointer: '/spec',
    line: 7,
  };
  const library = {
    broken: (name: string) => (name === 'tea' ? [finding] : []),
    brokenFiles: () => [{ file: 'tea.journey.yaml', code: 'STATE_TYPE', message: finding.message, line: 7, column: 1 }],
  };
  const { get, post } = await gateway({ library });
  expect((await get('/readyz')).body).toMatchObject({
    status: 'ready',
    broken: [{ file: 'tea.journey.yaml', line: 7 }],
  });
  for (const path of ['journeys/tea/start', 'apis/tea']) {
    expect(await post(`/api/v1/${path}`, {})).toMatchObject({
      status: 503,
      body: { code: 'JOURNEY_BROKEN', errors: [finding] },
    });
  }
  expect(await post('/api/v1/journeys/coffee/start', {})).toMatchObject({ status: 404 });
  const key: ApiKeyConfig = { id: 'k', hash: `sha256:${'0'.repeat(64)}`, roles: ['client'] };
  const guarded = await gateway({ library, apiKeys: [key] });
  expect((await guarded.get('/readyz')).body).toEqual({ status: 'ready', broken: 1 });
});

it('FLT-4 metrics count responses', async () => {
  const { get } = await gateway();
  await get('/api/v1/nowhere');
  const { status, headers, text } = await get('/metrics');
  expect([status, headers.get('content-type')]).toEqual([200, expect.stringContaining('text/plain')]);
  expect(text).toMatch(/^journeyman_http_request_seconds_count\{method="GET",route="unknown",status="404"\} [1-9]/m);
});

it('GAP-30 metrics distinguish starts, submissions and Apis, and measure up to half a minute', async () => {
  const { get, post, runs } = await gateway({ definitions: [journey('order'), api('price')] });
  runs.known.set('r', runView('r'));
  await post('/api/v1/journeys/order/start', {});
  await post('/api/v1/journeys/r/steps/approval', {});
  await post('/api/v1/apis/price', {});
  const counted = async () => (await get('/metrics')).text;
  const series = (route: string) =>
    `journeyman_http_request_seconds_count{method="POST",route="${route}",status="200"}`;
  await expect.poll(counted).toContain(series('/api/v1/journeys/:name/start'));
  await expect.poll(counted).toContain(series('/api/v1/journeys/:id/steps/:stepId'));
  await expect.poll(counted).toContain(series('/api/v1/apis/price'));
  expect(await counted()).toContain('le="30",method="POST",route="/api/v1/journeys/:name/start"');
});

it('GAP-26 a body whose announced length is too large is rejected before it arrives', async () => {
  const { server } = await gateway({ bodyLimit: 100 });
  const start = 'POST /api/v1/journeys/order/start HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';
  const answer = await talk(server.port, `${start}Content-Length: 9999999\r\n\r\n{`);
  expect(answer).toContain('HTTP/1.1 413 ');
  expect(answer).toContain('BODY_TOO_LARGE');
}, 3_000);

it('GAP-29 while draining, requests are served on connections that close after the response', async () => {
  const { get, server } = await gateway();
  expect((await get('/healthz')).headers.get('connection')).toBe('keep-alive');
  server.drain();
  expect(await get('/healthz')).toMatchObject({ status: 200 });
  expect((await get('/healthz')).headers.get('connection')).toBe('close');
});

it('a hanging readiness check is not ready', async () => {
  const { get } = await gateway({ ready: () => new Promise(() => {}) });
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  try {
    const answer = get('/readyz');
    const advancing = setInterval(() => vi.advanceTimersByTime(6000), 5);
    expect((await answer).body.code).toBe('NOT_READY');
    clearInterval(advancing);
  } finally {
    vi.useRealTimers();
  }
});

it.each<[string, string, number, string, string | null]>([
  ['GET', '/', 404, 'ROUTE_UNKNOWN', null],
  ['GET', '/api/v1/journeys/', 404, 'ROUTE_UNKNOWN', null],
  ['POST', '/api/v1/journeys/a/b/c/d', 404, 'ROUTE_UNKNOWN', null],
  ['GET', '/API/v1/journeys', 404, 'ROUTE_UNKNOWN', null],
  ['GET', '/api/v1/journeys/order/start', 405, 'METHOD_NOT_ALLOWED', 'POST'],
  ['DELETE', '/api/v1/journeys/r', 405, 'METHOD_NOT_ALLOWED', 'GET, HEAD'],
  ['OPTIONS', '/api/v1/journeys/order/start', 405, 'METHOD_NOT_ALLOWED', 'POST'],
  ['PUT', '/api/v1/journeys', 405, 'METHOD_NOT_ALLOWED', 'GET, HEAD'],
  ['GET', '/api/v1/journeys/r/steps/cancel', 405, 'METHOD_NOT_ALLOWED', 'POST'],
  ['GET', '/api/v1/journeys/%E0%A4%A', 400, 'URL_INVALID', null],
])('%s %s is %i', async (method, path, status, code, allow) => {
  const { send } = await gateway();
  const answer = await send(path, { method });
  expect(answer).toMatchObject({ status, body: { code, status } });
  expect(answer.headers.get('allow')).toBe(allow);
});

it('HEAD responds like GET, without a body', async () => {
  const { send, runs } = await gateway();
  runs.known.set('r', runView('r'));
  expect(await send('/api/v1/journeys/r', { method: 'HEAD' })).toMatchObject({ status: 200, text: '' });
});

it('the OpenAPI document is served', async () => {
  const { get } = await gateway();
  const { text, headers } = await get('/openapi.yaml');
  expect(headers.get('content-type')).toContain('yaml');
  expect(text).toContain('openapi: 3.1');
});

it('responses have security headers, no server name and no CORS', async () => {
  const { get } = await gateway();
  for (const path of ['/healthz', '/nowhere']) {
    const { headers } = await get(path, { origin: 'http://localhost:1' });
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    for (const name of ['x-powered-by', 'server', 'access-control-allow-origin', 'etag'])
      expect(headers.get(name)).toBeNull();
  }
});

it.each([
  ['a-Sane.id_1', true],
  ['x'.repeat(128), true],
  ['x'.repeat(129), false],
  ['two words', false],
  ['"}{', false],
])('X-Request-Id %.12s is accepted: %s', async (given, kept) => {
  const { get, log } = await gateway();
  const { headers, body } = await get('/nowhere', { 'x-request-id': given });
  const id = headers.get('x-request-id') as string;
  if (kept) expect(id).toBe(given);
  else expect(id).toMatch(/^[0-9a-f-]{36}$/);
  expect(body.instance).toBe(id);
  await expect.poll(log).toContain(`"requestId":"${id}"`);
});

it('an unexpected error is logged with its stack and answered without details', async () => {
  const { post, runs, log } = await gateway();
  runs.onStart = () => {
    throw new Error('password=hunter2 at 10.0.0.7');
  };
  const { status, body, text } = await post('/api/v1/journeys/order/start', {});
  expect(status).toBe(500);
  expect(body).toEqual({
    type: 'urn:journeyman:problem:internal',
    title: 'Something went wrong inside Journeyman',
    status: 500,
    code: 'INTERNAL',
    instance: expect.any(String),
  });
  expect(text).not.toContain('hunter2');
  await expect.poll(log).toContain('operation.test.ts');
  expect(log()).toContain(body.instance);
});

it('a problem has the hint of its code unless it has a better one', async () => {
  const { post, runs } = await gateway();
  runs.onStart = () => refuse('URL_INVALID');
  expect((await post('/api/v1/journeys/order/start', {})).body.hint).toContain('Percent-encode');
  runs.onStart = () => refuse('URL_INVALID', undefined, { hint: 'mine' });
  expect((await post('/api/v1/journeys/order/start', {})).body.hint).toBe('mine');
});

it('the log has one line per request, without bodies, headers or queries', async () => {
  const { post, get, log, runs } = await gateway({ bodyLimit: 100 });
  runs.known.set('r', runView('r'));
  const headers = {
    authorization: 'Bearer s3cret',
    cookie: 's3cret',
    'x-api-key': 's3cret',
    'idempotency-key': 's3cret',
  };
  await post('/api/v1/journeys/order/start?token=s3cret', { card: 's3cret' }, headers);
  await post('/api/v1/journeys/order/start', '{"s3cret', headers);
  await post('/api/v1/journeys/order/start', { long: 's3cret'.repeat(50) }, headers);
  await post('/api/v1/journeys/r/steps/approval', 's3cret', headers);
  await get('/api/v1/journeys?s3cret=s3cret', headers);
  await expect.poll(() => log().trim().split('\n')).toHaveLength(5);
  expect(log()).not.toContain('s3cret');
  const lines = log()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines[0]).toMatchObject({
    msg: 'request',
    method: 'POST',
    path: '/api/v1/journeys/order/start',
    status: 200,
    caller: 'anonymous',
    requestId: expect.any(String),
    ms: expect.any(Number),
  });
  expect(lines.map(({ code }) => code)).toEqual([
    undefined,
    'BODY_INVALID_JSON',
    'BODY_TOO_LARGE',
    'BODY_INVALID_JSON',
    'QUERY_INVALID',
  ]);
});

it('a port in use is reported with its option', async () => {
  const { server } = await gateway();
  const app = createGateway(options({}, new FakeRuns()).options);
  const failed = await listen(app, { host: '127.0.0.1', port: server.port }).catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(ProblemError);
  const { code, detail, hint } = (failed as ProblemError).problem;
  expect(code).toBe('PORT_IN_USE');
  expect(detail).toContain(String(server.port));
  expect(hint).toContain('gateway.port');
});

it('an address of another machine cannot be listened on', async () => {
  const app = createGateway(options({}, new FakeRuns()).options);
  const failed = await listen(app, { host: '192.0.2.1', port: 0 }).catch((error: unknown) => error);
  expect((failed as ProblemError).problem).toMatchObject({ code: 'LISTEN_FAILED', pointer: '/gateway/host' });
});

it('closing waits for active requests and rejects new ones', async () => {
  const { post, get, runs, server } = await gateway();
  const [entered, release] = [gate(), gate()];
  runs.onStart = async () => {
    entered.open();
    await release.passed;
    return runView('r');
  };
  const running = post('/api/v1/journeys/order/start', {});
  await entered.passed;
  const closed = server.close();
  await expect(get('/healthz')).rejects.toThrow();
  release.open();
  expect((await running).status).toBe(200);
  await closed;
});

it('a request that exceeds the grace period is closed', async () => {
  const { post, runs, server } = await gateway();
  const entered = gate();
  runs.onStart = () => {
    entered.open();
    return new Promise(() => {});
  };
  const running = post('/api/v1/journeys/order/start', {});
  const failed = expect(running).rejects.toThrow();
  await entered.passed;
  await server.close(1);
  await failed;
});

it.each([
  ['GARBAGE\r\n\r\n', 400, 'REQUEST_INVALID'],
  [`GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Big: ${'x'.repeat(20_000)}\r\n\r\n`, 431, 'HEADERS_TOO_LARGE'],
])('an invalid HTTP request gets a problem too (%.7s, %i)', async (text, status, code) => {
  const { server } = await gateway();
  const answer = await talk(server.port, text);
  expect(answer).toContain(`HTTP/1.1 ${status} `);
  expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).toMatchObject({
    ...problem(code as never),
    instance: expect.any(String),
  });
});

it('a slow sender is disconnected', async () => {
  const app = createGateway(options({}, new FakeRuns()).options);
  const server = await listen(app, { host: '127.0.0.1', port: 0, arrival: { headersMs: 50, requestMs: 100 } });
  onTestFinished(() => server.close(0));
  for (const text of [
    'GET /healthz HTTP/1.1\r\nHost: localhost\r\n',
    'POST /api/v1/journeys/order/start HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{',
  ]) {
    expect(await talk(server.port, text)).toContain('REQUEST_TIMEOUT');
  }
});

/** Sends `text` unchanged and returns the whole response. */
async function talk(port: number, text: string): Promise<string> {
  return await new Promise((resolve, reject) => {
    let received = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    socket.on('data', (chunk) => {
      received += chunk;
    });
    socket.on('close', () => resolve(received));
    socket.on('error', reject);
  });
}
