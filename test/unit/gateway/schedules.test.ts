import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { automation } from '../../support/automation.js';
import { FakeSchedules, scheduleView } from './fake-schedules.js';
import { gateway, journey } from './harness.js';

const base = '/api/v1/schedules';
const document = parse(readFileSync(new URL('../../../docs/openapi.yaml', import.meta.url), 'utf8')) as object;
const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema({ ...document, $id: 'openapi' });

function expectShape(name: string, body: unknown): void {
  const validate = ajv.getSchema(`openapi#/components/schemas/${name}`);
  expect([validate?.(body), validate?.errors], JSON.stringify(body)).toEqual([true, null]);
}

async function served() {
  const schedules = new FakeSchedules();
  schedules.known.set('s-1', scheduleView('s-1'));
  return { schedules, ...(await gateway({ schedules })) };
}

it('every response matches the OpenAPI document', async () => {
  const { get, post, send } = await served();
  expectShape('ScheduleList', (await get(base)).body);
  expectShape('Schedule', (await get(`${base}/s-1`)).body);
  expectShape('ScheduledRunList', (await get(`${base}/s-1/runs`)).body);
  expectShape('Schedule', (await post(`${base}/s-1/pause`, { reason: 'audit' })).body);
  expectShape('Schedule', (await post(`${base}/s-1/resume`)).body);
  const preview = { cadence: { type: 'cron', expression: '30 2 * * *', timezone: 'Europe/Berlin' }, count: 3 };
  expectShape('Preview', (await post(`${base}/preview`, preview)).body);
  for (const path of ['', '/runs']) expectShape('Problem', (await get(`${base}/nope${path}`)).body);
  expect((await send(`${base}/s-1`, { method: 'DELETE' })).status).toBe(204);
  expect((await send(`${base}/s-1`, { method: 'DELETE' })).body).toMatchObject({
    code: 'SCHEDULE_UNKNOWN',
    status: 404,
  });
});

it('filters and pages reach the schedules; invalid ones are rejected', async () => {
  const { get, schedules } = await served();
  await get(`${base}?journeyName=payment&subjectId=u-1&state=paused&pageSize=7&pageToken=abc`);
  expect(schedules.asked).toEqual([
    ['list', { journeyName: 'payment', subjectId: 'u-1', state: 'paused', pageSize: 7, pageToken: 'abc' }],
  ]);
  for (const query of [
    'state=done',
    'pageSize=0',
    'pageSize=201',
    'sate=active',
    'subjectId=',
    'state=active&state=paused',
  ])
    expect((await get(`${base}?${query}`)).body, query).toMatchObject({ code: 'QUERY_INVALID', status: 400 });
  expect((await get(`${base}?sate=active`)).body.hint).toBe('Did you mean state?');
});

it('FLT-14 bulk pause and delete by journey or subject; FLT-12 repair', async () => {
  const { post, send, schedules } = await served();
  schedules.more = {};
  const paused = await post(`${base}/pause?subjectId=u-1`, { reason: 'audit' });
  expectShape('ScheduleBulk', paused.body);
  expect(paused.body).toEqual({ items: [{ scheduleId: 's-1', changed: true, state: 'active' }] });
  expect(schedules.asked).toContainEqual(['pause', 's-1', 'Paused by anonymous: audit']);
  expect((await post(`${base}/resume`)).body).toMatchObject({ code: 'QUERY_INVALID' });
  expectShape('Schedule', (await post(`${base}/s-1/repair`)).body);
  const deleted = await send(`${base}?journeyName=payment`, { method: 'DELETE' });
  expectShape('ScheduleBulk', deleted.body);
  expect([deleted.status, schedules.known.size]).toEqual([200, 0]);
  expect((await send(base, { method: 'DELETE' })).body).toMatchObject({ code: 'QUERY_INVALID' });
});

it('run-now returns the run; the key is the request’s id', async () => {
  const { post, schedules } = await served();
  const answer = await post(`${base}/s-1/run-now`, undefined, { 'idempotency-key': 'k-1' });
  expect([answer.status, answer.body]).toEqual([
    202,
    { executionId: 's-1-now', requestId: 'k-1', statusUrl: '/api/v1/journeys/s-1-now' },
  ]);
  expect(schedules.asked).toContainEqual(['runNow', 's-1', 'k-1']);
});

it('the note contains the caller and the reason of a pause', async () => {
  const { post, schedules } = await served();
  await post(`${base}/s-1/pause`, { reason: 'audit' });
  await post(`${base}/s-1/pause`);
  expect(schedules.asked).toEqual([
    ['pause', 's-1', 'Paused by anonymous: audit'],
    ['pause', 's-1', 'Paused by anonymous'],
  ]);
  expect((await post(`${base}/s-1/pause`, { reason: 7 })).body).toMatchObject({ pointer: '/reason' });
});

it('a preview reports all findings with their pointers', async () => {
  const { post } = await served();
  const { status, body } = await post(`${base}/preview`, { cadence: { type: 'cron', expression: '* *' }, count: 0 });
  expect(status).toBe(400);
  expect(body.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual(['/count', '/cadence/timezone']);
  const dst = await post(`${base}/preview`, {
    cadence: { type: 'cron', expression: '30 2 * * *', timezone: 'Europe/Berlin' },
    from: '2027-03-27T12:00:00Z',
    count: 2,
  });
  expect(dst.body.runs[0]).toEqual({
    instant: '2027-03-28T01:00:00.000Z',
    local: '2027-03-28T03:00:00',
    offset: '+02:00',
    note: 'moved from 02:30, which does not exist that day',
  });
});

it('other methods get 405 with the allowed ones', async () => {
  const { send } = await served();
  const answer = await send(`${base}/s-1`, { method: 'PUT' });
  expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD, PATCH, DELETE']);
});

it('R14-audit: changes of schedules are recorded', async () => {
  const rig = automation();
  const schedules = new FakeSchedules();
  schedules.known.set('s-1', scheduleView('s-1'));
  const definitions = [journey('payment', { version: '2.0.0' })];
  const { post, send } = await gateway({ schedules, automation: rig, definitions });
  const headers = { 'x-request-id': 'r-1', 'content-type': 'application/json' };
  await post(`${base}/s-1/pause`, { reason: 'too many' }, headers);
  await post(`${base}/s-1/resume`, {}, headers);
  await post(`${base}/s-1/repair`, {}, headers);
  await post(`${base}/s-1/run-now`, {}, headers);
  expectShape('Schedule', (await post(`${base}/s-1/migrate`, { to: '2.0.0' }, headers)).body);
  expect((await post(`${base}/s-1/migrate`, { to: '3' }, headers)).body).toMatchObject({ code: 'JOURNEY_UNKNOWN' });
  expect((await post(`${base}/s-1/migrate`, {}, headers)).body).toMatchObject({
    code: 'SCHEDULE_INVALID',
    pointer: '/to',
  });
  schedules.update = async () => scheduleView('s-1', { maxRuns: 3 });
  await send(`${base}/s-1`, { method: 'PATCH', headers, body: '{"maxRuns":3}' });
  await send(`${base}/s-1`, { method: 'DELETE', headers });
  await send(`${base}/s-1`, { method: 'DELETE', headers });
  const common = { orchestratorId: 'main', scheduleId: 's-1', by: { caller: 'anonymous' }, requestId: 'r-1' };
  expect(rig.logged).toEqual([
    {
      event: 'schedule.paused',
      ...common,
      before: { state: 'active' },
      after: { state: 'active' },
      detail: { reason: 'Paused by anonymous: too many' },
    },
    { event: 'schedule.repaired', ...common, before: { drift: [] }, after: { drift: [] } },
    { event: 'schedule.run_now', ...common, executionId: 's-1-now' },
    {
      event: 'schedule.migrated',
      ...common,
      before: { journeyVersion: '1.0.0' },
      after: { scheduleId: 's-1-migrated', journeyVersion: '2.0.0' },
    },
    { event: 'schedule.updated', ...common, before: { maxRuns: 12 }, after: { maxRuns: 3 } },
    { event: 'schedule.deleted', ...common, before: { journeyName: 'payment', state: 'active' } },
  ]);
});
