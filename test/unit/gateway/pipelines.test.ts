import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { automation } from '../../support/automation.js';
import { FakePipelines } from './fake-pipelines.js';
import { gateway } from './harness.js';

const base = '/api/v1/pipelines';
const mails = `${base}/inbox/topics/mails/events`;

it('shows pipelines, their topics and their events by status (R4-32 to R4-35)', async () => {
  const pipelines = new FakePipelines();
  const { get } = await gateway({ pipelines });
  expect((await get(base)).body.items).toMatchObject([{ name: 'inbox', status: 'running' }]);
  const { body } = await get(`${base}/inbox`);
  expect(body).toMatchObject({
    topics: { mails: { pending: 1 } },
    producers: { poll: { nextRunAt: '2030-01-01T00:05:00.000Z', cadence: 'every 5 minutes' } },
    consumers: { answer: { state: 'ready' } },
  });
  expect((await get(`${base}/inbox/topics`)).body.items).toMatchObject([{ topic: 'mails', pending: 1 }]);
  expect((await get(`${mails}?status=pending&pageSize=1`)).body).toMatchObject({ nextPageToken: 'next' });
  expect(pipelines.calls.at(-1)).toEqual(['events', 'inbox', 'mails', { pageSize: 1, status: 'pending' }]);
  expect(await get(`${mails}?status=lost`)).toMatchObject({ status: 400, body: { code: 'QUERY_INVALID' } });
  expect(await get(`${base}/outbox`)).toMatchObject({ status: 404, body: { code: 'PIPELINE_UNKNOWN' } });
  expect((await get(`${base}/inbox/runs?pageSize=5`)).body).toEqual({ items: [] });
});

it('publishes an event once for each id', async () => {
  const pipelines = new FakePipelines();
  const { post } = await gateway({ pipelines });
  expect(await post(mails, { id: 'm-1', payload: { n: 1 } })).toMatchObject({
    status: 202,
    body: { topic: 'mails', id: 'm-1', result: 'accepted' },
  });
  expect(await post(mails, { id: 'm-1', payload: { n: 1 } })).toMatchObject({
    status: 200,
    body: { result: 'duplicate' },
  });
  expect(await post(mails, { payload: null }, { 'idempotency-key': 'k-1' })).toMatchObject({ body: { id: 'k-1' } });
  expect((await post(mails, { payload: [] })).body.id).toMatch(/^[0-9a-f-]{36}$/);
  expect(await post(mails, { id: 'm-2' })).toMatchObject({ status: 400, body: { pointer: '/payload' } });
  expect(await post(mails, { id: 7, payload: 1 })).toMatchObject({ status: 400, body: { pointer: '/id' } });
  expect(await post(mails, { id: 'm-2', playload: 1 })).toMatchObject({ status: 400, body: { pointer: '/playload' } });
});

it('reports a full topic with Retry-After', async () => {
  const pipelines = new FakePipelines();
  pipelines.full = true;
  const { post } = await gateway({ pipelines });
  const answer = await post(mails, { payload: 1 });
  expect(answer).toMatchObject({ status: 429, body: { code: 'TOPIC_FULL' } });
  expect(answer.headers.get('retry-after')).toBe('5');
});

it('triggers, pauses, resumes and resolves', async () => {
  const pipelines = new FakePipelines();
  const { post } = await gateway({ pipelines });
  expect(await post(`${base}/inbox/handlers/poll/trigger`, {}, { 'idempotency-key': 'r-1' })).toMatchObject({
    status: 202,
    body: { result: 'queued', requestId: 'r-1' },
  });
  expect(await post(`${base}/inbox/pause`, { reason: 'later' })).toMatchObject({
    status: 200,
    body: { result: 'done' },
  });
  expect(await post(`${base}/inbox/resume`)).toMatchObject({ status: 200, body: { result: 'unchanged' } });
  expect(await post(`${base}/inbox/runs/answer-1/resolve`, { how: 'retry' })).toMatchObject({ status: 200 });
  expect(pipelines.calls).toEqual([
    ['trigger', 'inbox', 'poll', 'r-1'],
    ['pause', 'inbox', expect.stringMatching(/: later$/)],
    ['resume', 'inbox'],
    ['resolve', 'inbox', 'answer-1', 'retry'],
  ]);
  expect(await post(`${base}/inbox/runs/answer-1/resolve`, { how: 'guess' })).toMatchObject({ status: 400 });
});

it('R14-audit: changes of pipelines are recorded, requests without effect are not', async () => {
  const rig = automation();
  const { post } = await gateway({ pipelines: new FakePipelines(), automation: rig });
  const headers = { 'x-request-id': 'r-1' };
  await post(`${base}/inbox/handlers/poll/trigger`, {}, headers);
  await post(`${base}/inbox/pause`, { reason: 'later' }, headers);
  await post(`${base}/inbox/resume`, {}, headers);
  await post(`${base}/inbox/runs/answer-1/resolve`, { how: 'skip' }, headers);
  await post(mails, { payload: 1 }, headers);
  const common = { orchestratorId: 'main', pipeline: 'inbox', by: { caller: 'anonymous' }, requestId: 'r-1' };
  expect(rig.logged).toEqual([
    { event: 'pipeline.triggered', ...common, detail: { handler: 'poll', result: 'queued' } },
    { event: 'pipeline.paused', ...common, detail: { reason: 'Paused by anonymous: later', result: 'done' } },
    { event: 'pipeline.resolved', ...common, detail: { run: 'answer-1', how: 'skip', result: 'done' } },
  ]);
});

it('clients may publish only if configured, to pipelines whose journeys they may start', async () => {
  const key = (id: string, journeys: string[]) => ({
    id,
    roles: ['client' as const],
    hash: `sha256:${createHash('sha256').update(`jm_${id}`).digest('hex')}`,
    journeys,
  });
  const apiKeys = [key('shop', ['*']), key('desk', ['fetch', 'repl*']), key('guest', ['fetch'])];
  const as = (id: string) => ({ 'x-api-key': `jm_${id}` });
  const closed = await gateway({ apiKeys });
  expect(await closed.post(mails, { payload: 1 }, as('shop'))).toMatchObject({
    status: 403,
    body: { code: 'FORBIDDEN' },
  });
  expect(await closed.get(`${base}/inbox`, as('shop'))).toMatchObject({ status: 403 });
  expect(await closed.post(`${base}/inbox/pause`, {}, as('shop'))).toMatchObject({ status: 403 });
  const { post } = await gateway({ apiKeys, clientsPublish: true });
  for (const id of ['shop', 'desk']) expect(await post(mails, { payload: 1 }, as(id))).toMatchObject({ status: 202 });
  // R14-access: a hidden pipeline is reported like one that does not exist.
  const response = async (name: string) => {
    const { status, body } = await post(mails.replace('inbox', name), { payload: 1 }, as('guest'));
    return { ...body, status, instance: null, detail: String(body.detail).replace(name, '…') };
  };
  expect(await response('inbox')).toMatchObject({ status: 404, code: 'PIPELINE_UNKNOWN' });
  expect(await response('inbox')).toEqual(await response('nothing'));
});

it('GAP-26 the caller belongs to the id of an event, except for operators', async () => {
  const key = (id: string, role: 'client' | 'operator') => ({
    id,
    roles: [role],
    hash: `sha256:${createHash('sha256').update(`jm_${id}`).digest('hex')}`,
  });
  const pipelines = new FakePipelines();
  const apiKeys = [key('ada', 'client'), key('bob', 'client'), key('ops', 'operator')];
  const { post } = await gateway({ pipelines, apiKeys, clientsPublish: true });
  const publish = async (id: string, as: string) => {
    const { body } = await post(mails, { id, payload: as }, { 'x-api-key': `jm_${as}` });
    return [body.id, body.result];
  };
  expect(await publish('m-1', 'ada')).toEqual(['m-1', 'accepted']);
  expect(await publish('m-1', 'bob')).toEqual(['m-1', 'accepted']);
  expect(await publish('m-1', 'bob')).toEqual(['m-1', 'duplicate']);
  expect(await publish('m-1', 'ops')).toEqual(['m-1', 'accepted']);
  const long = 'x'.repeat(128);
  expect(await publish(long, 'ada')).toEqual([long, 'accepted']);
  expect(await publish(long, 'ada')).toEqual([long, 'duplicate']);
});
