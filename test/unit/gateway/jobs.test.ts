import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { Role } from '../../../src/config/config-types.js';
import { automation, jobArgs } from '../../support/automation.js';
import { api, gateway } from './harness.js';

const base = '/api/v1/jobs';
const inEng = '?orchestratorId=eng';
const document = parse(readFileSync(new URL('../../../docs/openapi.yaml', import.meta.url), 'utf8')) as object;
const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema({ ...document, $id: 'openapi' });

function expectShape(name: string, body: unknown): void {
  const validate = ajv.getSchema(`openapi#/components/schemas/${name}`);
  expect([validate?.(body), validate?.errors], JSON.stringify(body)).toEqual([true, null]);
}

async function served(apiKeys: { id: string; roles: Role[] }[] = []) {
  const rig = automation();
  const hash = (id: string) => `sha256:${createHash('sha256').update(`jm_${id}`).digest('hex')}`;
  const http = await gateway({ automation: rig, apiKeys: apiKeys.map((it) => ({ ...it, hash: hash(it.id) })) });
  const patch = (path: string, body: unknown, headers = {}) =>
    http.send(path, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  const remove = (path: string, headers = {}) => http.send(path, { method: 'DELETE', headers });
  return { ...http, rig, patch, remove };
}

const as = (id: string) => ({ 'x-api-key': `jm_${id}` });

it('every response matches the OpenAPI document; R3-58 list and show include the last run', async () => {
  const { get, post, patch, remove } = await served();
  const made = await post(base, jobArgs());
  expect([made.status, made.headers.get('location')]).toEqual([201, `${base}/${made.body.jobId}${inEng}`]);
  expectShape('Job', made.body);
  const one = `${base}/${made.body.jobId}`;
  const list = (await get(`${base}${inEng}`)).body;
  expectShape('JobList', list);
  for (const key of ['nextRunAt', 'lastRunAt', 'lastResult', 'state']) expect(list.items[0]).toHaveProperty(key);
  expectShape('Job', (await get(`${one}${inEng}`)).body);
  expectShape('Job', (await patch(`${one}${inEng}`, { name: 'n' })).body);
  for (const action of ['pause', 'resume', 'repair']) expectShape('Job', (await post(`${one}/${action}${inEng}`)).body);
  const run = await post(`${one}/run-now${inEng}`, undefined, { 'idempotency-key': 'k' });
  expect([run.status, run.body]).toEqual([202, { executionId: `${made.body.jobId}-now-k`, requestId: 'k' }]);
  expectShape('JobRunStarted', run.body);
  expectShape('JobRunList', (await get(`${one}/runs${inEng}&pageSize=5`)).body);
  const added = await post(`/api/v1/queue${inEng}`, { targetAction: { type: 'workflow_start', workflowId: 'report' } });
  expect(added.status).toBe(202);
  expectShape('JobRunStarted', added.body);
  expectShape('JobRun', (await get(added.body.statusUrl)).body);
  expectShape('JobRunList', (await get('/api/v1/queue?phase=incoming')).body);
  expectShape('FunctionList', (await get('/api/v1/functions')).body);
  expectShape('OrchestratorList', (await get('/api/v1/orchestrators')).body);
  expectShape('Job', (await remove(`${one}${inEng}`)).body);
  expectShape('Problem', (await get(`${base}/nope${inEng}`)).body);
});

it('R3-59 the overview lists the workers of each queue with their last heartbeat', async () => {
  const { get } = await served();
  const { items } = (await get('/api/v1/orchestrators')).body;
  expect(items.map((it: { orchestratorId: string }) => it.orchestratorId)).toEqual(['main', 'eng', 'ops']);
  expect(items[1]).toMatchObject({
    workers: [{ identity: 'worker-1' }],
    lastHeartbeatAt: '2030-01-01T00:00:00.000Z',
    channelProfiles: [{ id: 'slack_main', channel: 'slack' }],
  });
  expect(JSON.stringify(items)).not.toContain('/roots');
});

it('SCH-D17 the response of GET can be sent to PATCH and POST', async () => {
  const { get, post, patch } = await served();
  const { jobId } = (await post(base, jobArgs({ name: 'a' }))).body;
  const shown = (await get(`${base}/${jobId}${inEng}`)).body;
  expect((await patch(`${base}/${jobId}${inEng}`, shown)).body).toMatchObject({ changed: false, name: 'a' });
  const copied = await post(base, shown);
  expect([copied.status, copied.body.name]).toEqual([201, 'a']);
  expect(copied.body.jobId).not.toBe(jobId);
});

it('R3-25 R3-26 R3-29 R3-30 the scope is given, or derived from the profile', async () => {
  const { get, post } = await served();
  expect((await get(base)).body).toMatchObject({
    code: 'ORCHESTRATOR_REQUIRED',
    status: 400,
    hint: expect.any(String),
  });
  expect((await get(`${base}?orchestratorId=nobody`)).body).toMatchObject({
    code: 'ORCHESTRATOR_UNKNOWN',
    status: 404,
  });
  expect((await get(`${base}?channelProfileId=nobody`)).body).toMatchObject({ code: 'CHANNEL_PROFILE_UNKNOWN' });
  expect((await get(`${base}?orchestratorId=..%2Feng`)).body).toMatchObject({ code: 'PATH_REFUSED' });
  const { orchestratorId: _, ...args } = jobArgs();
  expect((await post(base, args)).body).toMatchObject({ code: 'ORCHESTRATOR_REQUIRED' });
  const made = await post(`${base}?channelProfileId=slack_main`, args);
  expect(made.body).toMatchObject({
    orchestratorId: 'eng',
    createdBy: { caller: 'anonymous', channelProfileId: 'slack_main' },
  });
  expect((await post(`${base}?channelProfileId=slack_main`, jobArgs({ orchestratorId: 'ops' }))).body).toMatchObject({
    code: 'ACCESS_DENIED',
  });
  expect((await post(`${base}?orchestratorId=ops`, jobArgs())).body).toMatchObject({ code: 'QUERY_INVALID' });
});

it('X3-12 SCH-D11 a foreign job is 404 on every route, and a path as id is rejected', async () => {
  const { get, post, patch, remove } = await served();
  const { jobId } = (await post(base, jobArgs())).body;
  const one = `${base}/${jobId}`;
  const foreign = '?orchestratorId=ops';
  const answers = [
    await get(`${one}${foreign}`),
    await patch(`${one}${foreign}`, { name: 'x' }),
    await remove(`${one}${foreign}`),
    await post(`${one}/pause${foreign}`),
    await post(`${one}/resume${foreign}`),
    await post(`${one}/run-now${foreign}`),
    await get(`${one}/runs${foreign}`),
  ];
  expect(answers.map(({ body }) => body.code)).toEqual(answers.map(() => 'JOB_UNKNOWN'));
  const path = await get(`${base}/..%2F..%2Fsecret${inEng}`);
  expect([path.status, path.body.code]).toEqual([400, 'PATH_REFUSED']);
  expect(path.text.replace(path.body.instance ?? '', '')).not.toContain('secret');
});

it('pointers of findings refer to the request body', async () => {
  const { post, patch } = await served();
  const { jobId } = (await post(base, jobArgs())).body;
  const sent = await patch(`${base}/${jobId}${inEng}`, { colour: 'red', allowOverlap: 'yes' });
  expect(sent.body.errors.map(({ pointer }: { pointer: string }) => pointer).sort()).toEqual([
    '/allowOverlap',
    '/colour',
  ]);
  const cadence = await patch(`${base}/${jobId}${inEng}`, { schedule: { type: 'interval', everySeconds: 1 } });
  expect(cadence.body.errors).toMatchObject([{ pointer: '/schedule/everySeconds', code: 'CADENCE_TOO_SHORT' }]);
  expect((await post(`${base}/${jobId}/pause${inEng}`, { resaon: 'x' })).body).toMatchObject({ code: 'JOB_INVALID' });
  expect((await post(`/api/v1/queue${inEng}`, { target: {} })).body).toMatchObject({
    detail: 'unknown argument `target`',
  });
});

it('a repeated Idempotency-Key or channel message creates one job', async () => {
  const { post, rig } = await served();
  for (let i = 0; i < 2; i++) await post(base, jobArgs(), { 'idempotency-key': 'k' });
  const url = `${base}?channelProfileId=slack_main&senderId=U42&sender=Dana&requestMessageId=m-1`;
  for (let i = 0; i < 2; i++) await post(url, jobArgs());
  expect(rig.jobs.records.size).toBe(2);
  rig.clock += 1;
  expect((await post(base, jobArgs({ name: 'other' }), { 'idempotency-key': 'k' })).status).toBe(422);
});

describe('SCH-D18 permissions', () => {
  const keys: { id: string; roles: Role[] }[] = [
    { id: 'ann', roles: ['operator'] },
    { id: 'bot', roles: ['channel'] },
    { id: 'stranger', roles: ['channel'] },
    { id: 'shop', roles: ['client'] },
  ];
  const sender = 'senderId=U42&sender=D%C3%A1na&requestMessageId=m-1';

  it('R3-09 a channel may name the sender, for its own profile', async () => {
    const { post, rig } = await served(keys);
    const made = await post(`${base}?channelProfileId=slack_main&${sender}`, jobArgs(), as('bot'));
    const createdBy = {
      caller: 'key:bot',
      channelProfileId: 'slack_main',
      senderId: 'U42',
      sender: 'Dána',
      requestMessageId: 'm-1',
    };
    expect([made.status, made.body.createdBy]).toEqual([201, createdBy]);
    expect(rig.logged).toMatchObject([{ event: 'scheduler.job.created', by: createdBy }]);
    await post(
      `/api/v1/queue?channelProfileId=slack_main&${sender}`,
      { targetAction: jobArgs().targetAction },
      as('bot'),
    );
    expect([...rig.dispatcher.envelopes.values()]).toMatchObject([{ origin: 'channel', requestedBy: createdBy }]);
  });

  it('other callers may not', async () => {
    const { get, post } = await served(keys);
    const profile = `${base}?channelProfileId=slack_main`;
    expect((await post(`${profile}&${sender}`, jobArgs(), as('ann'))).body).toMatchObject({ code: 'FORBIDDEN' });
    expect((await post(profile, jobArgs(), as('ann'))).body.createdBy).toEqual({
      caller: 'key:ann',
      channelProfileId: 'slack_main',
    });
    expect((await post(profile, jobArgs(), as('stranger'))).body).toMatchObject({
      code: 'FORBIDDEN',
      hint: 'List it under channelProfiles.slack_main.callers in the configuration.',
    });
    expect((await get(`${base}${inEng}`, as('bot'))).body).toMatchObject({ code: 'ORCHESTRATOR_REQUIRED' });
    expect((await get(`${base}?channelProfileId=slack_ops`, as('bot'))).body).toMatchObject({ code: 'FORBIDDEN' });
    expect((await get(`${base}${inEng}`, as('shop'))).status).toBe(403);
    expect((await get('/api/v1/orchestrators', as('bot'))).status).toBe(403);
    expect((await get('/api/v1/queue', as('bot'))).body).toMatchObject({ code: 'ORCHESTRATOR_REQUIRED' });
    expect((await get(`${base}${inEng}`)).status).toBe(401);
  });

  it('R3-22 a channel may use the functions of its orchestrator, an operator all', async () => {
    const { get } = await served(keys);
    const ids = async (query: string, who: string) =>
      (await get(`/api/v1/functions${query}`, as(who))).body.items.map((it: { functionId: string }) => it.functionId);
    expect(await ids('', 'ann')).toContain('schedule.create');
    expect(await ids('?orchestratorId=ops', 'ann')).toEqual(['schedule.create', 'schedule.list']);
    expect(await ids('?channelProfileId=slack_main', 'bot')).toContain('journey.start');
  });
});

it('an Api cannot have these paths', async () => {
  const http = { start: { headersToContext: {}, queryToContext: {}, headersPassthrough: [] }, steps: {} };
  const greedy = ['/jobs', '/queue', '/schedules/pause'].map((path, i) =>
    api(`greedy-${i}`, { http: { ...http, route: { path, method: 'POST' } } }),
  );
  const { post } = await gateway({ definitions: greedy, answer: () => ({ status: 200, headers: {}, body: 'mine' }) });
  expect((await post(base, {})).body).toMatchObject({ code: 'ORCHESTRATOR_REQUIRED' });
  expect((await post('/api/v1/queue', {})).body).toMatchObject({ code: 'ORCHESTRATOR_REQUIRED' });
  expect((await post('/api/v1/schedules/pause', {})).body).toMatchObject({ code: 'QUERY_INVALID' });
});
