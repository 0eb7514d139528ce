import { expect, it } from 'vitest';
import { routesOf } from '../../../src/gateway/create-gateway.js';
import { RunResponses } from '../../../src/gateway/run-responses.js';
import { type ApiRequest, apiBase, reservedSegment } from '../../../src/service/apis-interface.js';
import { Starts } from '../../../src/service/prepare-start-with-ajv.js';
import { api, FakeRuns, gate, gateway, options } from './harness.js';

const start = { headersToContext: { 'X-User': 'user' }, queryToContext: {}, headersPassthrough: [] };

it('an Api is called by its name and returns its output', async () => {
  const seen: ApiRequest[] = [];
  const { post, runs } = await gateway({
    definitions: [api('price', { http: { start, steps: {} } })],
    answer: (_, request) => {
      seen.push(request);
      return { status: 201, headers: { 'x-shelf': 'A', 'set-cookie': ['a=1', 'b=2'] }, body: { total: 3 } };
    },
  });
  const answer = await post('/api/v1/apis/price', { n: 1 }, { 'x-user': 'ada', 'x-request-id': 'req-7' });
  expect(answer).toMatchObject({ status: 201, body: { total: 3 } });
  expect(answer.headers.get('content-type')).toContain('application/json');
  expect(answer.headers.get('x-shelf')).toBe('A');
  expect(answer.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
  expect(seen[0]).toMatchObject({ body: { n: 1, user: 'ada' }, caller: 'anonymous', requestId: 'req-7' });
  expect(runs.started).toEqual([]);
});

it('R15-LANG an Api cannot have the path of a gateway route', () => {
  const { options: made } = options({}, new FakeRuns());
  const routes = routesOf({ ...made, answers: new RunResponses(undefined), starts: new Starts(made.config.platform) });
  const below = routes.map(({ path }) => path).filter((path) => path.startsWith(`${apiBase}/`));
  expect(below.length).toBeGreaterThan(0);
  expect(below.filter((path) => reservedSegment(path) === undefined)).toEqual([]);
});

it('an Api with its own path is called only there', async () => {
  const definitions = [
    api('price', { http: { route: { path: '/apis/v2/prices', method: 'POST' }, start, steps: {} } }),
  ];
  const { post } = await gateway({ definitions });
  expect((await post('/api/v1/apis/v2/prices', {})).status).toBe(200);
  expect((await post('/api/v1/apis/price', {})).body.code).toBe('API_UNKNOWN');
});

it('differently encoded paths are equal', async () => {
  const at = (path: string) => ({ http: { route: { path, method: 'POST' as const }, start, steps: {} } });
  const { post } = await gateway({
    definitions: [api('cheese', at('/käse/{mild}')), api('rest', at('/a%20b/c%2fd')), api('face', at('/😀|"'))],
    answer: ({ name }) => ({ status: 200, headers: {}, body: name }),
  });
  const answered = async (path: string) => (await post(`/api/v1${path}`, {})).body;
  for (const path of ['/käse/{mild}', '/k%C3%A4se/%7Bmild%7D', '/k%c3%a4se/{mil%64}'])
    expect(await answered(path)).toBe('cheese');
  expect(await answered('/a b/c%2Fd')).toBe('rest');
  expect(await answered('/😀|"')).toBe('face');
  expect(await answered('/a b/c/d')).toMatchObject({ code: 'ROUTE_UNKNOWN' });
});

it('R15-LANG an Api by GET reads path and query, and rejects other methods', async () => {
  const seen: ApiRequest[] = [];
  const inbound = { ...start, queryToContext: { lang: 'lang' } };
  const http = (path: string, pathToContext: Record<string, string>, method: 'GET' | 'POST') => ({
    http: { route: { path, method }, start: { ...inbound, pathToContext }, steps: {} },
  });
  const { get, post } = await gateway({
    definitions: [
      api('one', http('/shelf/{sku}', { sku: 'item.sku' }, 'GET')),
      api('all', http('/shelf/all', {}, 'GET')),
      api('put', http('/shelf/{sku}', { sku: 'sku' }, 'POST')),
    ],
    answer: ({ name }, request) => {
      seen.push(request);
      return { status: 200, headers: {}, body: name };
    },
  });
  expect((await get('/api/v1/shelf/a%2Fb?lang=sv')).body).toBe('one');
  expect((await get('/api/v1/shelf/all')).body).toBe('all');
  expect((await post('/api/v1/shelf/lamp', { n: 1 })).body).toBe('put');
  expect(seen.map(({ body }) => body)).toEqual([{ item: { sku: 'a/b' }, lang: 'sv' }, {}, { n: 1, sku: 'lamp' }]);
  expect((await get('/api/v1/shelf/')).status).toBe(404);
  expect((await get('/api/v1/shelf/%E0%A4%A')).status).toBe(404);
  const refused = await post('/api/v1/shelf/all', {});
  expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET']);
});

it('an Api cannot have the paths of journeys or probes', async () => {
  const route = (path: string) => ({ http: { route: { path, method: 'POST' as const }, start, steps: {} } });
  const { post } = await gateway({
    definitions: [
      api('a', route('/journeys/order/start')),
      api('b', route('/journeys')),
      api('c', route('/healthz')),
      api('d', route('/intents')),
      api('e', route('/channels/here/events')),
      api('f', route('/pipelines')),
    ],
    answer: () => ({ status: 200, headers: {}, body: 'mine' }),
  });
  expect((await post('/api/v1/journeys/order/start', {})).body.code).toBe('JOURNEY_UNKNOWN');
  expect((await post('/api/v1/journeys', {})).status).toBe(405);
  expect((await post('/healthz', {})).status).toBe(405);
  expect((await post('/api/v1/healthz', {})).body).toBe('mine');
  for (const path of ['/api/v1/intents', '/api/v1/channels/here/events', '/api/v1/pipelines'])
    expect((await post(path, {})).body).not.toBe('mine');
});

it('the content type of an Api’s response does not depend on its status', async () => {
  const { post } = await gateway({
    definitions: [api('plain'), api('custom')],
    answer: ({ name }) => ({
      status: 404,
      headers: name === 'custom' ? { 'content-type': 'application/vnd.acme.error+json' } : {},
      body: { found: 0 },
    }),
  });
  const plain = await post('/api/v1/apis/plain', {});
  expect(plain).toMatchObject({ status: 404, body: { found: 0 } });
  expect(plain.headers.get('content-type')).toBe('application/json');
  expect((await post('/api/v1/apis/custom', {})).headers.get('content-type')).toContain(
    'application/vnd.acme.error+json',
  );
});

it('the input schema is checked before an Api runs', async () => {
  const { post } = await gateway({
    definitions: [api('price', { input: { schema: { required: ['sku'] } } })],
    answer: () => expect.unreachable('must not run'),
  });
  expect((await post('/api/v1/apis/price', {})).body).toMatchObject({
    code: 'INPUT_INVALID',
    errors: [{ pointer: '/sku' }],
  });
});

it('an unknown Api and a wrong method are problems', async () => {
  const { post, get } = await gateway({ definitions: [api('price')] });
  expect((await post('/api/v1/apis/prise', {})).body).toMatchObject({
    code: 'API_UNKNOWN',
    hint: 'Did you mean price?',
  });
  const wrong = await get('/api/v1/apis/price');
  expect(wrong).toMatchObject({ status: 405, body: { code: 'METHOD_NOT_ALLOWED' } });
  expect(wrong.headers.get('allow')).toBe('POST');
});

it('an Api is aborted when its caller disconnects', async () => {
  const aborted = gate();
  const called = gate();
  const { server } = await gateway({
    definitions: [api('slow')],
    answer: async (_, { signal }) => {
      signal.addEventListener('abort', () => aborted.open());
      called.open();
      await aborted.passed;
      return { status: 200, headers: {}, body: null };
    },
  });
  const caller = new AbortController();
  const answer = fetch(`${server.url}/api/v1/apis/slow`, { method: 'POST', signal: caller.signal });
  await called.passed;
  caller.abort();
  await expect(answer).rejects.toThrow();
  await aborted.passed;
});
