import { expect, it } from 'vitest';
import { stepRequest } from '../../../src/service/inbound-request.js';
import { automation } from '../../support/automation.js';
import { endedView, gateway, journey, runView } from './harness.js';

const get = (href: string) => ({ href, method: 'GET' });
const post = (href: string) => ({ href, method: 'POST' });

it('the status has the standard fields, the active states and links', async () => {
  const { get: fetch, runs } = await gateway();
  runs.known.set('r1', runView('r1', { steps: ['approval', 'letter'] }));
  expect((await fetch('/api/v1/journeys/r1')).body).toEqual({
    journeyId: 'r1',
    journeyName: 'order',
    journeyVersion: '1.0.0',
    phase: 'RUNNING',
    currentState: 'approval',
    updatedAt: '2030-01-31T09:00:00Z',
    activeStates: [{ state: 'approval', type: 'wait' }],
    tags: ['vip'],
    attributes: { subjectId: 'u-1' },
    _links: {
      self: get('/api/v1/journeys/r1'),
      result: get('/api/v1/journeys/r1/result'),
      approval: post('/api/v1/journeys/r1/steps/approval'),
      letter: post('/api/v1/journeys/r1/steps/letter'),
      cancel: post('/api/v1/journeys/r1/steps/cancel'),
    },
  });
});

it.each([
  ['not cancellable', runView('r', { cancellable: false }), ['self', 'result', 'approval']],
  ['ended', endedView('r', {}), ['self', 'result']],
])('links of a run that is %s', async (_, view, names) => {
  const { get: fetch, runs } = await gateway();
  runs.known.set('r', view);
  expect(Object.keys((await fetch('/api/v1/journeys/r')).body._links)).toEqual(names);
});

it('FLT-8 the self link of an outcome is the result', async () => {
  const { get: fetch, runs } = await gateway();
  runs.known.set('r', endedView('r', {}));
  expect((await fetch('/api/v1/journeys/r/result')).body._links).toEqual({ self: get('/api/v1/journeys/r/result') });
});

it('a journey can disable links', async () => {
  const definition = journey('order', { lifecycle: { cancellable: true, startMode: 'async' } });
  const { get: fetch, post: send, runs } = await gateway({ definitions: [definition] });
  const ended = endedView('r', {}, { links: false });
  runs.onStart = () => ended;
  runs.known.set('r', ended);
  expect((await fetch('/api/v1/journeys/r')).body).not.toHaveProperty('_links');
  expect((await fetch('/api/v1/journeys/r/result')).body).not.toHaveProperty('_links');
  expect((await send('/api/v1/journeys/order/start', {})).body).not.toHaveProperty('_links');
});

it('ids with reserved characters are encoded in URLs', async () => {
  const { get: fetch, runs } = await gateway();
  const id = 'schedule/däily report-2030-01-31T09:00:00Z';
  runs.known.set(id, runView(id));
  const { body } = await fetch(`/api/v1/journeys/${encodeURIComponent(id)}`);
  expect(body.journeyId).toBe(id);
  expect((await fetch(body._links.self.href)).body.journeyId).toBe(id);
});

it('the result is 409 before the end, 404 for an unknown run', async () => {
  const { get: fetch, runs } = await gateway();
  runs.known.set('r', runView('r'));
  expect((await fetch('/api/v1/journeys/r/result')).body).toMatchObject({ code: 'RESULT_NOT_READY', status: 409 });
  runs.known.set('r', endedView('r', { status: 'PAID' }));
  expect((await fetch('/api/v1/journeys/r/result')).body).toMatchObject({
    phase: 'SUCCEEDED',
    output: { status: 'PAID' },
  });
  expect((await fetch('/api/v1/journeys/x/result')).body).toMatchObject({ code: 'RUN_UNKNOWN', status: 404 });
  expect((await fetch('/api/v1/journeys/x')).body).toMatchObject({ code: 'RUN_UNKNOWN', status: 404 });
});

it('projected fields never replace the standard ones', async () => {
  const { get: fetch, post: send, runs } = await gateway();
  const hostile = { journeyId: 'x', phase: 'x', _links: 'x', tags: 'x', attributes: 'x', journeyName: 'x' };
  const ended = endedView('r', 'out', { links: false });
  runs.known.set('r', {
    ...ended,
    outcome: { ...ended.outcome!, projection: { ...hostile, status: 'x', output: 'x', error: 'x', receipt: 7 } },
  });
  const outcome = (await fetch('/api/v1/journeys/r/result')).body;
  expect(outcome).toMatchObject({ journeyId: 'r', phase: 'SUCCEEDED', status: 'SUCCEEDED', output: 'out', receipt: 7 });
  for (const field of ['error', '_links']) expect(outcome).not.toHaveProperty(field);

  runs.known.set('s', runView('s', { links: false }));
  runs.projection = { ...hostile, currentState: 'x', updatedAt: 'x', activeStates: ['mine'], approvedBy: 'Ada' };
  const status = (await send('/api/v1/journeys/s/steps/approval', {})).body;
  expect(status).toMatchObject({ journeyId: 's', phase: 'RUNNING', currentState: 'approval', approvedBy: 'Ada' });
  expect(status.activeStates).toEqual(['mine']);
  expect(status).not.toHaveProperty('_links');
});

it.each([[{ ok: true }], [[1, 2]], ['text'], [0], [false], [null]])(
  'a step accepts any JSON value: %j',
  async (payload) => {
    const { send, runs } = await gateway();
    runs.known.set('r', runView('r'));
    const { status, body } = await send('/api/v1/journeys/r/steps/approval?retry=1', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': 'k1', 'x-from': 'mail' },
      body: JSON.stringify(payload),
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({ journeyId: 'r', currentState: 'approval' });
    expect(runs.submitted[0]).toMatchObject({
      id: 'r',
      stepId: 'approval',
      idempotencyKey: 'k1',
    });
    expect(runs.submitted[0]?.payload).toEqual(payload);
    expect(runs.submitted[0]?.query?.get('retry')).toBe('1');
    expect(runs.submitted[0]?.headers['x-from']).toBe('mail');
  },
);

it('the first of repeated query parameters is used, for a start and for a step', async () => {
  const binding = { headersToContext: {}, queryToContext: { q: 'asked' }, headersPassthrough: [] };
  const definition = journey('order', { http: { start: binding, steps: { approval: binding } } });
  const { post: send, runs } = await gateway({ definitions: [definition] });
  await send('/api/v1/journeys/order/start?q=first&q=last', {});
  expect(runs.started[0]?.body).toMatchObject({ asked: 'first' });
  runs.known.set('r', runView('r'));
  await send('/api/v1/journeys/r/steps/approval?q=first&q=last', {});
  const { headers, query } = runs.submitted[0]!;
  expect(stepRequest(definition.http.steps, 'approval', { headers, query: query! }).fields).toEqual({ asked: 'first' });
});

it('a step without a body submits null', async () => {
  const { post: send, runs } = await gateway();
  runs.known.set('r', runView('r'));
  await send('/api/v1/journeys/r/steps/approval');
  expect(runs.submitted[0]?.payload).toBeNull();
});

it('a step that ends the run returns the status with its terminal phase (A16)', async () => {
  const { post: send, runs } = await gateway();
  runs.submit = async () => ({ ...endedView('r', 1), projection: { thanks: true } });
  const { status, body } = await send('/api/v1/journeys/r/steps/approval', {});
  expect(status).toBe(200);
  expect(body).toMatchObject({ phase: 'SUCCEEDED', thanks: true, currentState: 'approval' });
  expect(body).not.toHaveProperty('output');
});

it('an invalid submission is rejected before anything is submitted', async () => {
  const { post: send, runs } = await gateway();
  runs.known.set('r', runView('r'));
  expect((await send('/api/v1/journeys/r/steps/other', {})).body).toMatchObject({
    code: 'STEP_NOT_ACTIVE',
    status: 409,
  });
  expect((await send('/api/v1/journeys/x/steps/approval', {})).body).toMatchObject({
    code: 'RUN_UNKNOWN',
    status: 404,
  });
  expect((await send('/api/v1/journeys/r/steps/approval', '{')).body.code).toBe('BODY_INVALID_JSON');
  expect((await send('/api/v1/journeys/r/steps/approval', {}, { 'idempotency-key': 'a b' })).status).toBe(400);
  expect(runs.submitted).toEqual([]);
});

it('cancel is a step of its own; it needs no body', async () => {
  const { post: send, runs } = await gateway();
  runs.known.set('r', endedView('r', null));
  expect((await send('/api/v1/journeys/r/steps/cancel')).body).toMatchObject({ journeyId: 'r' });
  expect((await send('/api/v1/journeys/r/steps/cancel', {})).status).toBe(200);
  expect(runs.cancelled).toEqual(['r', 'r']);
  expect(runs.submitted).toEqual([]);
});

it('a list accepts all filters and returns its page token', async () => {
  const { get: fetch, runs } = await gateway();
  runs.known.set('r', runView('r'));
  runs.nextPageToken = 'next==';
  const query =
    'journeyName=order&phase=RUNNING&subjectId=u&tenantId=t&tag=a&tag=b%20c&orderId=7&attributes.lane=x&pageSize=5&pageToken=p';
  const { body } = await fetch(`/api/v1/journeys?${query}`);
  expect(body.items).toEqual([expect.objectContaining({ journeyId: 'r', phase: 'RUNNING' })]);
  expect(body.nextPageToken).toBe('next==');
  expect(runs.listed[0]).toEqual({
    journeyName: 'order',
    phase: 'RUNNING',
    subjectId: 'u',
    tenantId: 't',
    tags: ['a', 'b c'],
    attributes: Object.assign(Object.create(null), { orderId: '7', lane: 'x' }),
    pageSize: 5,
    pageToken: 'p',
  });
  runs.nextPageToken = undefined;
  expect((await fetch('/api/v1/journeys')).body).not.toHaveProperty('nextPageToken');
});

it.each([
  ['phase=Running', undefined],
  ['phase=RUNNING&phase=FAILED', undefined],
  ['pageSize=0', undefined],
  ['pageSize=201', undefined],
  ['pageSize=ten', undefined],
  ['journeyName=', undefined],
  [`subjectId=${'x'.repeat(1001)}`, undefined],
  ['jorneyName=x', 'Did you mean journeyName?'],
  ['attributes.=x', undefined],
])('a list rejects ?%.30s', async (query, hint) => {
  const { get: fetch, runs } = await gateway();
  const { body } = await fetch(`/api/v1/journeys?${query}`);
  expect(body).toMatchObject({ code: 'QUERY_INVALID', status: 400, ...(hint ? { hint } : {}) });
  expect(runs.listed).toEqual([]);
});

it('a run migrates to a served version, recorded once in the audit log', async () => {
  const rig = automation();
  const definitions = [journey('order', { version: '2.0.0' })];
  const { post: send, runs } = await gateway({ automation: rig, definitions });
  runs.known.set('r', runView('r'));
  const migrate = (body: object) => send('/api/v1/journeys/r/migrate', body, { 'x-request-id': 'q-1' });
  const answer = {
    journeyId: 'r',
    journeyName: 'order',
    journeyVersion: '2.0.0',
    migratedFrom: '1.0.0',
    state: 'approval',
    changed: true,
    statusUrl: '/api/v1/journeys/r',
  };
  expect(await migrate({ to: '2.0.0' })).toMatchObject({ status: 200, body: answer });
  expect((await migrate({ to: '2.0.0' })).body).toMatchObject({ changed: false });
  expect((await migrate({ to: '3.0.0' })).body).toMatchObject({
    code: 'JOURNEY_UNKNOWN',
    hint: 'The newest is 2.0.0.',
  });
  for (const [body, pointer] of [
    [{}, '/to'],
    [{ to: 2 }, '/to'],
    [{ to: '2.0.0', now: true }, '/now'],
  ] as const)
    expect((await migrate(body)).body).toMatchObject({ status: 400, code: 'INPUT_INVALID', pointer });
  expect(rig.logged).toEqual([
    {
      event: 'run.migrated',
      orchestratorId: 'main',
      executionId: 'r',
      by: { caller: 'anonymous' },
      requestId: 'q-1',
      before: { journeyVersion: '1.0.0' },
      after: { journeyVersion: '2.0.0' },
      detail: { journeyName: 'order', state: 'approval' },
    },
  ]);
});
