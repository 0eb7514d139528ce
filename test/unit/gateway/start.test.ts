import { expect, it } from 'vitest';
import { type Finding, problem, refuse } from '../../../src/base/problems/problem.js';
import { api, endedView, gateway, journey, runView } from './harness.js';

const bindings = (start: { headersToContext?: Record<string, string>; queryToContext?: Record<string, string> }) => ({
  start: { headersToContext: {}, queryToContext: {}, headersPassthrough: [], ...start },
  steps: {},
});

it('a sync start of a run that ends returns its JourneyOutcome', async () => {
  const { post, runs } = await gateway();
  const answer = await post('/api/v1/journeys/order/start', { amount: 12 });
  expect(answer.status).toBe(200);
  expect(answer.body).toEqual({
    journeyId: 'run-1',
    journeyName: 'order',
    journeyVersion: '1.0.0',
    phase: 'SUCCEEDED',
    status: 'SUCCEEDED',
    output: { amount: 12 },
    tags: ['vip'],
    attributes: { subjectId: 'u-1' },
    // FLT-8: an outcome is the result, not the status.
    _links: { self: { href: '/api/v1/journeys/run-1/result', method: 'GET' } },
  });
  expect(runs.started[0]).toMatchObject({ mode: 'sync', caller: 'anonymous', hash: 'Journey/order' });
});

it('ENC-5 a start whose result cannot be decrypted here returns the run; the reason is only logged', async () => {
  const { post, runs, log } = await gateway();
  const unread = problem('PAYLOAD_KEY_UNKNOWN', 'It was encrypted with the key "next".');
  runs.onStart = () => ({ ...runView('run-7'), phase: 'SUCCEEDED', unread });
  const { status, body } = await post('/api/v1/journeys/order/start', {});
  expect([status, body.journeyId, body.phase]).toEqual([200, 'run-7', 'SUCCEEDED']);
  expect(JSON.stringify(body)).not.toContain('encrypted');
  expect(log()).toContain('It was encrypted with the key \\"next\\".');
});

it('a sync start of a run that parks returns its JourneyStatus', async () => {
  const { post, runs } = await gateway();
  runs.onStart = () => runView('abc');
  const { status, body } = await post('/api/v1/journeys/order/start', {});
  expect(status).toBe(200);
  expect(body).toMatchObject({ phase: 'RUNNING', currentState: 'approval', updatedAt: '2030-01-31T09:00:00Z' });
  expect(body.status).toBeUndefined();
});

it('an async start returns 202 with a JourneyStartResponse and its Location', async () => {
  const definition = journey('order', { lifecycle: { cancellable: true, startMode: 'async' } });
  const { post, runs } = await gateway({ definitions: [definition], publicUrl: 'https://go.example.com/jm/' });
  runs.onStart = () => runView('a/b');
  const { status, body, headers } = await post('/api/v1/journeys/order/start', {});
  const self = 'https://go.example.com/jm/api/v1/journeys/a%2Fb';
  expect(status).toBe(202);
  expect(headers.get('location')).toBe(self);
  expect(body).toEqual({
    journeyId: 'a/b',
    journeyName: 'order',
    statusUrl: self,
    _links: { self: { href: self, method: 'GET' }, result: { href: `${self}/result`, method: 'GET' } },
  });
});

it('without a body the start context is empty', async () => {
  const { post, runs } = await gateway();
  expect((await post('/api/v1/journeys/order/start')).status).toBe(200);
  expect(runs.started[0]?.body).toEqual({});
});

it.each([
  ['{"a":1,}', 'BODY_INVALID_JSON', 400, { line: 1, column: 8 }],
  ['{\n  "a": tru\n}', 'BODY_INVALID_JSON', 400, { line: 2, column: 8 }],
  ['{"a":', 'BODY_INVALID_JSON', 400, { line: 1, column: 6 }],
  ['{"a":{"b":[1e999]}}', 'BODY_INVALID_JSON', 400, { pointer: '/a/b/0' }],
  ['[1]', 'BODY_NOT_OBJECT', 400, { pointer: '' }],
  ['null', 'BODY_NOT_OBJECT', 400, {}],
  ['"text"', 'BODY_NOT_OBJECT', 400, {}],
  [`${'{"a":'.repeat(101)}1${'}'.repeat(101)}`, 'BODY_TOO_DEEP', 400, {}],
  ['['.repeat(9000), 'BODY_TOO_DEEP', 400, {}],
  [`{"a":"${'x'.repeat(10_000)}"}`, 'BODY_TOO_LARGE', 413, {}],
])('rejects the body %.20s and starts nothing', async (body, code, status, place) => {
  const { post, runs } = await gateway();
  const answer = await post('/api/v1/journeys/order/start', body);
  expect(answer.status).toBe(status);
  expect(answer.body).toMatchObject({ code, status, ...place });
  expect(answer.headers.get('content-type')).toContain('application/problem+json');
  expect(runs.started).toEqual([]);
});

it.each([
  ['text/plain', 415],
  ['application/json; charset=latin1', 415],
  ['application/x-www-form-urlencoded', 415],
  ['application/json; charset=UTF-8', 200],
  ['application/vnd.acme+json', 200],
])('accepts only JSON in UTF-8: %s', async (type, status) => {
  const { post } = await gateway();
  expect((await post('/api/v1/journeys/order/start', '{}', { 'content-type': type })).status).toBe(status);
});

it('rejects compressed bodies and bodies that are not UTF-8', async () => {
  const { post, send } = await gateway();
  const packed = await post('/api/v1/journeys/order/start', '{}', { 'content-encoding': 'gzip' });
  expect(packed.body).toMatchObject({ code: 'CONTENT_TYPE_UNSUPPORTED', status: 415 });
  const latin = await send('/api/v1/journeys/order/start', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: Buffer.from('{"name":"J\xf6rg"}', 'latin1'),
  });
  expect(latin.body.code).toBe('BODY_INVALID_JSON');
});

it('keys such as __proto__ are ordinary keys', async () => {
  const { post, runs } = await gateway();
  const text = '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"toString":1}';
  expect((await post('/api/v1/journeys/order/start', text)).status).toBe(200);
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  expect(JSON.stringify(runs.started[0]?.body)).toBe(text);
  expect(Object.getPrototypeOf(runs.started[0]?.body)).toBeNull();
});

it('a body that violates the input schema is rejected with every violation and its pointer', async () => {
  const schema = {
    type: 'object',
    required: ['amount', 'toString'],
    additionalProperties: false,
    properties: {
      amount: { type: 'number' },
      toString: {},
      kind: { enum: ['card', { valueOf: 1 }] },
      ids: { type: 'array', uniqueItems: true, items: { pattern: '^[a-z]+$' } },
      'a/b': { const: { x: 1 } },
      email: { type: 'string', format: 'email' },
    },
  };
  const { post, runs } = await gateway({ definitions: [journey('order', { input: { schema } })] });
  const { status, body } = await post('/api/v1/journeys/order/start', {
    amount: 'much',
    kind: 'cash',
    ids: ['ok', 'OK', 'ok'],
    'a/b': { x: 2 },
    email: 'nobody',
    extra: 1,
  });
  expect(status).toBe(400);
  expect(body.code).toBe('INPUT_INVALID');
  expect(body.detail).toContain('/toString is required; ');
  expect(body.errors.map((it: { pointer: string }) => it.pointer).sort()).toEqual(
    ['/a~1b', '/amount', '/email', '/extra', '/ids', '/ids/1', '/kind', '/toString'].sort(),
  );
  for (const error of body.errors) expect(error).toMatchObject({ code: 'INPUT_INVALID', severity: 'error' });
  expect(runs.started).toEqual([]);
  const good = { amount: 1, toString: 0, kind: { valueOf: 1 }, ids: ['a', 'b'], 'a/b': { x: 1 } };
  expect((await post('/api/v1/journeys/order/start', good)).status).toBe(200);
});

it('a pattern that is expensive with backtracking is rejected at once', async () => {
  const schema = { properties: { text: { pattern: '^(a+)+$' } } };
  const { post } = await gateway({ definitions: [journey('order', { input: { schema } })] });
  const answer = await post('/api/v1/journeys/order/start', { text: `${'a'.repeat(5000)}!` });
  expect(answer.body.errors).toHaveLength(1);
});

it('only the first violations are listed, the others are counted', async () => {
  const schema = { properties: { list: { items: { type: 'string' } } } };
  const { post } = await gateway({ definitions: [journey('order', { input: { schema } })] });
  const { body } = await post('/api/v1/journeys/order/start', { list: Array(80).fill(1) });
  expect(body.errors).toHaveLength(50);
  expect(body.errorsOmitted).toBe(30);
});

it('a schema that cannot be compiled is our fault, not the caller’s', async () => {
  const definition = journey('order', { input: { schema: { pattern: '(?=a)' } } });
  const { post, runs } = await gateway({ definitions: [definition] });
  expect((await post('/api/v1/journeys/order/start', {})).body).toMatchObject({ code: 'SCHEMA_UNUSABLE', status: 500 });
  expect(runs.started).toEqual([]);
});

it('an unknown journey is 404 with the nearest name', async () => {
  const { post } = await gateway({ definitions: [journey('order-risk'), api('price')] });
  expect((await post('/api/v1/journeys/order-rsik/start', {})).body).toMatchObject({
    code: 'JOURNEY_UNKNOWN',
    status: 404,
    hint: 'Did you mean order-risk?',
  });
  expect((await post('/api/v1/journeys/price/start', {})).body.hint).toContain('POST /api/v1/apis/price');
  expect((await post('/api/v1/journeys/__proto__/start', {})).status).toBe(404);
});

it('headers and query are copied in before the schema is checked; missing ones are ignored', async () => {
  const definition = journey('order', {
    input: { schema: { type: 'object', required: ['tenant', 'debug'], not: { required: ['absent'] } } },
    http: bindings({
      headersToContext: { 'X-Tenant': 'tenant', 'X-Absent': 'absent' },
      queryToContext: { d: 'debug', gone: 'absent' },
    }),
  });
  const { post, runs } = await gateway({ definitions: [definition] });
  expect((await post('/api/v1/journeys/order/start?d=a%20b&d=c', { n: 1 }, { 'x-tenant': 't1' })).status).toBe(200);
  expect(runs.started[0]?.body).toEqual({ n: 1, tenant: 't1', debug: 'a b' });
  expect((await post('/api/v1/journeys/order/start', {})).body.code).toBe('INPUT_INVALID');
});

it('a required configuration value that is missing or of the wrong type stops the start', async () => {
  const definition = journey('order', {
    platformConfig: {
      limit: { type: 'integer', required: true },
      note: { type: 'string', required: false },
    },
  });
  const start = async (config: Record<string, never>) => {
    const { post, runs } = await gateway({ definitions: [definition], platform: { config: { order: config } } });
    const { body } = await post('/api/v1/journeys/order/start', {});
    return { code: body.code, places: body.errors?.map((it: Finding) => it.pointer), started: runs.started.length };
  };
  const places = ['/spec/platform/config/limit'];
  expect(await start({})).toEqual({ code: 'CONFIG_MISSING', places, started: 0 });
  expect(await start({ limit: 1.5 as never })).toEqual({ code: 'CONFIG_VALUE_INVALID', places, started: 0 });
  expect(await start({ limit: 2 as never })).toEqual({ code: undefined, places: undefined, started: 1 });
});

it.each([
  ['order-42', 200],
  ['x'.repeat(255), 200],
  ['x'.repeat(256), 400],
  ['two words', 400],
  ['caf\u00e9', 400],
])('Idempotency-Key %.10s is %i', async (key, status) => {
  const { post, runs } = await gateway();
  const answer = await post('/api/v1/journeys/order/start', {}, { 'idempotency-key': key });
  expect(answer.status).toBe(status);
  if (status === 200) expect(runs.started[0]?.idempotencyKey).toBe(key);
  else expect(answer.body.code).toBe('IDEMPOTENCY_KEY_INVALID');
});

it('without the header there is no idempotency key', async () => {
  const { post, runs } = await gateway();
  await post('/api/v1/journeys/order/start', {});
  expect(runs.started[0]).not.toHaveProperty('idempotencyKey');
});

it('the problem of the runs reaches the caller', async () => {
  const { post, runs } = await gateway();
  runs.onStart = () => refuse('IDEMPOTENCY_KEY_REUSED');
  expect((await post('/api/v1/journeys/order/start', {})).body).toMatchObject({
    code: 'IDEMPOTENCY_KEY_REUSED',
    status: 422,
  });
});

it('a failed run is 200 with its outcome', async () => {
  const { post, runs } = await gateway();
  const ended = endedView('r', null);
  runs.onStart = () => ({
    ...ended,
    phase: 'FAILED',
    outcome: {
      ...ended.outcome!,
      phase: 'FAILED',
      terminationKind: 'Fail',
      status: 'NO_STOCK',
      error: { code: 'NO_STOCK', reason: 'Sold out' },
      outcomeId: 'lost',
    },
  });
  const { status, body } = await post('/api/v1/journeys/order/start', {});
  expect(status).toBe(200);
  expect(body).toMatchObject({ phase: 'FAILED', status: 'NO_STOCK', error: { code: 'NO_STOCK' }, outcomeId: 'lost' });
  expect(body).not.toHaveProperty('output');
});
