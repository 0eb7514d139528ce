import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import type { JsonObject } from '../../src/base/json/value.js';
import { freePort } from '../../src/temporal/server/tcp-ports.js';
import { type Backend, backend } from './support/backend.js';
import { type HttpGateway, httpGateway } from './support/gateway.js';
import { type Rig, rig } from './support/rig.js';
import { type WorkerProcess, workerProcess } from './support/worker-process.js';

/** Sends each reviewer the URL of their step, and ends when `enough` of them have agreed. A call records the votes. */
const reviewJourney = (url: string) => `
apiVersion: v1
kind: Journey
metadata: { name: review, version: 1.0.0 }
spec:
  key: { expr: context.id }
  lifecycle: { startMode: async }
  start: review
  states:
    review:
      type: map
      map:
        items: context.reviewers
        key: { expr: item }
        maxConcurrency: 2
        until: sizeOf(results filter ($ == "yes")) >= context.enough
        start: tell
        states:
          tell:
            type: task
            task:
              kind: httpCall:v1
              method: POST
              url: "${url}/tell/\${item}"
              body: { expr: '{ url: platform.run.callbacks.approve }' }
            next: approve
          approve:
            type: webhook
            webhook: { input: { schema: { enum: ['yes', 'no'] } } }
            next: record
          record:
            type: task
            task: { kind: 'httpCall:v1', method: POST, url: "${url}/record/\${item}", timeoutMs: 20000 }
            next: keep
          keep: { type: transform, transform: { mapper: { expr: payload }, target: { kind: var }, resultVar: vote }, next: done }
          done: { type: succeed, outputVar: vote }
        resultVar: votes
      next: end
    end: { type: succeed, outputVar: votes }
`;

let rigged: Rig;
let service: Backend;
let gateway: HttpGateway;
let worker: WorkerProcess;

const startWorker = () =>
  workerProcess({
    TEMPORAL_ADDRESS: inject('temporalAddress'),
    JOURNEYMAN_TEMPORAL_TASK_QUEUE: rigged.config.temporal.taskQueue,
  });

beforeAll(async () => {
  service = await backend((path) => (path === '/record/slow' ? 8_000 : 0));
  rigged = await rig({ worker: false });
  const port = await freePort('127.0.0.1');
  gateway = await httpGateway(rigged, [reviewJourney(service.url)], {
    JOURNEYMAN_GATEWAY_PORT: String(port),
    JOURNEYMAN_GATEWAY_PUBLIC_URL: `http://127.0.0.1:${port}`,
    JOURNEYMAN_LIMITS_HISTORY_EVENTS: '60',
  });
  worker = await startWorker();
}, 120_000);
afterAll(async () => {
  await worker?.kill9();
  await gateway?.stop();
  await rigged?.stop();
  await service?.close();
});

const path = (id: string, rest = '') => `/journeys/review/by-key/${id}${rest}`;
const start = async (id: string, reviewers: string[], enough: number) => {
  const { status } = await gateway.post('/journeys/review/start', { id, reviewers, enough });
  expect(status).toBe(202);
};
const openSteps = async (id: string): Promise<string[]> => {
  const { body } = await gateway.get(path(id));
  return ((body.activeStates ?? []) as JsonObject[]).flatMap(({ step }) => (step === undefined ? [] : [String(step)]));
};
const untilOpen = async (id: string, steps: string[]) => {
  await expect.poll(async () => (await openSteps(id)).sort(), { timeout: 90_000 }).toEqual([...steps].sort());
};
const vote = (id: string, item: string, answer: string) =>
  gateway.send(path(id, `/steps/approve/${encodeURIComponent(item)}`), JSON.stringify(answer));
const result = async (id: string) => {
  await expect.poll(async () => (await gateway.get(path(id))).body.phase, { timeout: 120_000 }).not.toBe('RUNNING');
  return (await gateway.get(path(id, '/result'))).body;
};

it('LESS-9 items accept steps over HTTP, by signal and by callback URL, across a worker crash', async () => {
  const reviewers = ['ada', 'ben', 'cy@example.com', 'dan', 'eva'];
  await start('m1', reviewers, 4);
  await untilOpen(
    'm1',
    reviewers.map((it) => `approve/${it}`),
  );
  const { body } = await gateway.get(path('m1'));
  expect(body).toMatchObject({ currentState: 'review' });
  expect(Object.keys(body._links as JsonObject)).toEqual(
    expect.arrayContaining(['approve/ada', 'approve/cy@example.com']),
  );
  const link = (body._links as Record<string, { href: string }>)['approve/cy@example.com']!.href;
  expect(new URL(link).pathname).toBe('/api/v1/journeys/review%2Fm1/steps/approve/cy%40example.com');

  await worker.kill9();
  worker = await startWorker();

  const refused = await gateway.send(path('m1', '/steps/approve'), '"yes"');
  expect(refused).toMatchObject({ status: 400, body: { code: 'STEP_ITEM_REQUIRED' } });
  expect(refused.body.hint).toContain('approve/ada');
  expect(await vote('m1', 'nobody', 'yes')).toMatchObject({ status: 409, body: { code: 'STEP_NOT_ACTIVE' } });
  expect(await vote('m1', 'a/b', 'yes')).toMatchObject({ status: 404, body: { code: 'STEP_UNKNOWN' } });
  expect(await vote('m1', 'ada', 'perhaps')).toMatchObject({ status: 400, body: { code: 'STEP_INVALID' } });

  expect(await vote('m1', 'ada', 'yes')).toMatchObject({ status: 200, body: { phase: 'RUNNING' } });
  expect(await vote('m1', 'ada', 'no')).toMatchObject({ status: 409 });

  const notification = service.seen.find((it) => it.path === '/tell/cy%40example.com')!;
  const callback = new URL((JSON.parse(notification.body) as { url: string }).url);
  expect(callback.pathname).toBe('/api/v1/journeys/review%2Fm1/steps/approve/cy%40example.com');
  const call = (item: string) => {
    const other = callback.pathname.replace('cy%40example.com', item);
    return gateway.send(`${other.replace('/api/v1', '')}${callback.search}`, '"yes"');
  };
  expect(await call('ben')).toMatchObject({ status: 401, body: { code: 'CALLBACK_INVALID' } });
  const called = await call('cy%40example.com');
  expect(called).toMatchObject({ status: 200 });
  expect(called.body._links).toBeUndefined();

  const handle = rigged.client.workflow.getHandle('review/m1');
  await handle.signal('approve/dan', 'no');
  await handle.signal('approve/ben', 'yes');
  await untilOpen('m1', ['approve/eva']);
  expect(await vote('m1', 'eva', 'yes')).toMatchObject({ status: 200 });
  expect(await result('m1')).toMatchObject({ phase: 'SUCCEEDED', output: ['yes', 'yes', 'yes', 'no', 'yes'] });
}, 300_000);

it('LESS-9 a satisfied `until` awaits the call in flight, across a worker crash', async () => {
  await start('m2', ['ada', 'slow', 'cy', 'dan'], 1);
  await untilOpen('m2', ['approve/ada', 'approve/slow', 'approve/cy', 'approve/dan']);
  const handle = rigged.client.workflow.getHandle('review/m2');
  await handle.signal('approve/slow', 'no');
  await expect.poll(() => service.seen.filter((it) => it.path === '/record/slow').length, { timeout: 60_000 }).toBe(1);
  await handle.signal('approve/ada', 'yes');
  // The other steps close at once; the run awaits the call in flight.
  await untilOpen('m2', []);
  expect((await gateway.get(path('m2'))).body).toMatchObject({ phase: 'RUNNING' });
  await worker.kill9();
  worker = await startWorker();
  const outcome = await result('m2');
  expect(outcome).toMatchObject({ phase: 'SUCCEEDED', output: ['yes', 'no', null, null] });
  const records = service.seen.filter((it) => it.path === '/record/slow');
  expect(new Set(records.map(({ key }) => key)).size).toBe(1);
}, 300_000);
