import { expect, it } from 'vitest';
import { refuse } from '../../../src/base/problems/problem.js';
import { loadConfig } from '../../../src/config/load-config.js';
import { load } from '../../../src/language/load-journey.js';
import { InProcessApis } from '../../../src/service/in-process/apis-and-guards.js';
import { apiRequest } from '../../support/api-request.js';
import { api, gateway, journey, runView } from './harness.js';

const envelope = {
  lang: 'dataweave',
  expr: '{ fault: { id: payload.code, text: payload.detail default payload.title } }',
};
const errors = { envelope };
const input = { schema: { required: ['sku'] } };

it('JL-U1 spec.errors.envelope shapes every error body of its journey, and no status', async () => {
  const { post, get, runs } = await gateway({
    definitions: [journey('order', { errors, input }), journey('plain', { input })],
  });
  const refused = await post('/api/v1/journeys/order/start', {});
  expect(refused).toMatchObject({ status: 400, body: { fault: { id: 'INPUT_INVALID' } } });
  expect(refused.headers.get('content-type')).toContain('application/json');
  runs.known.set('r1', runView('r1'));
  runs.submit = async () => refuse('STEP_NOT_ACTIVE', 'Too late.');
  expect(await post('/api/v1/journeys/r1/steps/approval', {})).toMatchObject({
    status: 409,
    body: { fault: { id: 'STEP_NOT_ACTIVE', text: 'Too late.' } },
  });
  expect((await post('/api/v1/journeys/plain/start', {})).body.code).toBe('INPUT_INVALID');
  expect((await get('/api/v1/journeys/unknown')).body.code).toBe('RUN_UNKNOWN');
});

it('a run whose guard rejects the caller looks like one that does not exist, whatever its envelope (dsl 23.1)', async () => {
  const { get, runs } = await gateway({
    definitions: [journey('order', { errors })],
    guards: { admit: async () => refuse('RUN_UNKNOWN') },
  });
  runs.known.set('r1', runView('r1'));
  runs.guarded = true;
  for (const path of ['', '/result']) {
    const [there, not] = await Promise.all(['r1', 'r2'].map((id) => get(`/api/v1/journeys/${id}${path}`)));
    expect(there).toMatchObject({ status: 404, body: { code: 'RUN_UNKNOWN' } });
    const plain = (body: object) => JSON.stringify({ ...body, instance: '', requestId: '' });
    expect(plain(there!.body)).toBe(plain(not!.body));
  }
});

it('JL-U8 a caller rejected by the guard may submit a step and gets 202; a callback URL responds as usual', async () => {
  let admits = false;
  const { post, runs } = await gateway({
    guards: { admit: async () => (admits ? undefined : refuse('RUN_UNKNOWN')) },
  });
  runs.known.set('r1', runView('r1'));
  runs.tokens.set('r1/approval', 'c4llb4ck');
  runs.projection = { total: 5 };
  runs.guarded = true;
  const submit = (query = '') => post(`/api/v1/journeys/r1/steps/approval${query}`, {});
  const { status, body } = await submit();
  expect({ status, body }).toEqual({ status: 202, body: { journeyId: 'r1' } });
  expect(runs.submitted).toHaveLength(1);
  const called = await submit('?callback=c4llb4ck');
  expect(called).toMatchObject({ status: 200, body: { phase: 'RUNNING', total: 5 } });
  expect(called.body).not.toHaveProperty('_links');
  admits = true;
  expect(await submit()).toMatchObject({ status: 200, body: { phase: 'RUNNING', total: 5, _links: {} } });
});

it('spec.errors.envelope shapes the errors of an Api before it runs', async () => {
  const { post } = await gateway({ definitions: [api('price', { errors, input })] });
  expect(await post('/api/v1/apis/price', {})).toMatchObject({ status: 400, body: { fault: { id: 'INPUT_INVALID' } } });
});

it('a mapper that fails leaves the problem as it is', async () => {
  const broken = { envelope: { lang: 'dataweave', expr: 'payload.code + 1' } };
  const { post } = await gateway({ definitions: [journey('order', { errors: broken, input })] });
  expect((await post('/api/v1/journeys/order/start', {})).body.code).toBe('INPUT_INVALID');
});

it('a failing Api responds in its envelope, with access to its context and the status of apiResponses', async () => {
  const { definition } = load({
    text: `
apiVersion: v1
kind: Api
metadata: { name: lookup, version: 1.0.0 }
spec:
  bindings: { http: { apiResponses: { rules: [{ when: { phase: FAILED }, status: 404 }] } } }
  errors:
    envelope:
      format: custom
      mapper: { lang: dataweave, expr: "{ id: payload.code, status: payload.status, sku: context.sku }" }
  start: missing
  states: { missing: { type: fail, errorCode: NOT_THERE, reason: There is no such thing } }
`,
  });
  expect(await new InProcessApis(loadConfig({ env: {} }), {}).call(definition!, apiRequest({ sku: 'x-1' }))).toEqual({
    status: 404,
    headers: { 'content-type': 'application/json' },
    body: { id: 'NOT_THERE', status: 404, sku: 'x-1' },
  });
});
