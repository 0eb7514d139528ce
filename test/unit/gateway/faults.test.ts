import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { ApiKeyConfig } from '../../../src/config/config-types.js';
import { readSecret } from '../../../src/config/read-secret.js';
import { FakeSchedules, scheduleView } from './fake-schedules.js';
import { api, gateway, journey } from './harness.js';

const key: ApiKeyConfig = {
  id: 'shop',
  roles: ['client'],
  hash: `sha256:${createHash('sha256').update('jm_shop').digest('hex')}`,
};
const known = { authorization: 'Bearer jm_shop' };
const base = '/api/v1/schedules';

async function withSchedule() {
  const schedules = new FakeSchedules();
  schedules.known.set('s-1', scheduleView('s-1'));
  return { ...(await gateway({ schedules })), schedules };
}

describe('FLT-22 schedules over HTTP', () => {
  it.each([{}, [], 3, null, true])('a preview with the body %j is rejected', async (from) => {
    const { post } = await withSchedule();
    const cadence = { type: 'interval', every: 'P1D' };
    const { status, body } = await post(`${base}/preview`, { cadence, from });
    expect([status, body.code, body.pointer]).toEqual([400, 'SCHEDULE_INVALID', '/from']);
    expect(body.errors).toMatchObject([{ message: '"from" is not a text' }]);
  });

  it.each(['PATCH', 'DELETE', 'GET'])('%s on the preview is 405', async (method) => {
    const { send, schedules } = await withSchedule();
    const { status, headers } = await send(`${base}/preview`, { method });
    expect([status, headers.get('allow')]).toEqual([405, 'POST']);
    expect(schedules.asked).toEqual([]);
  });

  it.each([
    ['pause', { reasn: 'audit' }, '/reasn'],
    ['resume', { reason: 'done', until: 'now' }, '/until'],
    ['run-now', { at: 'noon' }, '/at'],
  ])('%s rejects unknown keys, and does nothing', async (action, body, pointer) => {
    const { post, schedules } = await withSchedule();
    const answer = await post(`${base}/s-1/${action}`, body);
    expect([answer.status, answer.body.code, answer.body.pointer]).toEqual([400, 'SCHEDULE_INVALID', pointer]);
    expect(schedules.asked).toEqual([]);
  });
});

describe('FLT-22 responses to unauthenticated callers', () => {
  const definitions = [journey('order'), api('price')];

  it('without credentials, existing and missing Apis are indistinguishable', async () => {
    const { send } = await gateway({ definitions, apiKeys: [key] });
    const responses = [];
    for (const path of ['/api/v1/apis/prize', '/api/v1/apis/price', '/api/v1/nothing']) {
      for (const method of ['GET', 'POST']) {
        const { status, text } = await send(path, { method });
        responses.push([status, text.includes('price')]);
      }
    }
    expect(responses).toEqual(responses.map(() => [401, false]));
    const { status, body } = await send('/api/v1/apis/prize', { method: 'POST', headers: known });
    expect([status, body.hint]).toEqual([404, 'Did you mean price?']);
    expect((await send('/api/v1/apis/price', { headers: known })).status).toBe(405);
  });

  it('the source of an unreadable secret is logged, not returned', async () => {
    const { post, runs, log } = await gateway();
    runs.onStart = () => {
      readSecret('secret://journeyman/idempotency', { file: '/run/secrets/hidden' }, {});
      throw new Error('not reached');
    };
    const { status, body, text } = await post('/api/v1/journeys/order/start', {});
    expect([status, body.code]).toEqual([500, 'SECRET_UNAVAILABLE']);
    expect(text).not.toContain('hidden');
    expect(log()).toContain('/run/secrets/hidden');
  });
});

describe('FLT-22 the log', () => {
  const lines = (log: string) =>
    log
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);

  it('has the run of a start, and the address of every caller', async () => {
    const { get, post, log } = await gateway();
    const { body } = await post('/api/v1/journeys/order/start', {});
    await get('/api/v1/journeys/none');
    expect(lines(log())).toMatchObject([
      { path: '/api/v1/journeys/order/start', run: body.journeyId, address: expect.stringMatching(/127\.0\.0\.1$/) },
      { path: '/api/v1/journeys/none', code: 'RUN_UNKNOWN', address: expect.stringMatching(/127\.0\.0\.1$/) },
    ]);
  });

  it('has the cause when the identity provider’s keys cannot be fetched', async () => {
    const { get, log } = await gateway({
      jwt: {
        issuer: 'https://id.example.com',
        audience: 'journeyman',
        jwksUri: 'http://127.0.0.1:1/jwks',
        rolesClaim: 'roles',
        roleMap: {},
      },
    });
    const token = ['{"alg":"ES256","kid":"k"}', '{"sub":"a"}', 'x'].map((it) => Buffer.from(it).toString('base64url'));
    const { body } = await get('/api/v1/journeys/r', { authorization: `Bearer ${token.join('.')}` });
    expect(body.code).toBe('AUTH_UNAVAILABLE');
    const [line] = lines(log());
    expect(line).toMatchObject({ msg: 'The identity provider’s keys cannot be fetched', level: 40 });
    expect(line?.reason).toMatch(/ECONNREFUSED|bad port/);
  });
});
