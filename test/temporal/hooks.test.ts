import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json/value.js';
import { accessOf } from '../../src/gateway/auth/authenticate.js';
import { eventually } from '../support/eventually.js';
import { prepared } from '../support/prepared.js';
import { type HttpGateway, httpGateway } from './support/gateway.js';
import { deliver, hookEnvironment } from './support/hooks.js';
import { journeyOf, type Rig, rig } from './support/rig.js';

const hook = (more: string) => `
        input: { schema: { type: object, required: [orderId], properties: { n: { type: number } } } }
        signature: { preset: github, secretRef: secret://shop/webhook }
        correlate: { expr: payload.orderId${more} }`;

/** Waits for its release, then for two payments; each of the two steps is a hook. */
const order = (name: string, more = '', key = '') => `
apiVersion: v1
kind: Journey
metadata: { name: ${name}, version: 1.0.0 }
spec:
  key: { expr: context.orderId${key} }
  bindings: { http: { steps: { paid: { headersToContext: { x-sender: sender } } } } }
  start: go
  states:
    go: { type: wait, wait: { channel: manual, input: { schema: true } }, next: paid }
    paid:
      type: webhook
      webhook:${hook(more)}
      next: first
    first: { type: transform, transform: { expr: context.payload, target: { kind: var }, resultVar: first }, next: settled }
    settled:
      type: webhook
      webhook:${hook(more)}
        response: { outputVar: first }
      next: done
    done: { type: succeed, output: { expr: "{ first: context.first, sender: context.sender, last: context.payload }" } }
`;

/** Has one step; requests to its hook start its runs. */
const started = (key = '') => `
apiVersion: v1
kind: Journey
metadata: { name: hook-started${key === '' ? '' : '-once'}, version: 1.0.0 }
spec:
  key: { expr: context.orderId${key} }
  input: { schema: { type: object, properties: { amount: { type: number } } } }
  start: event
  states:
    event:
      type: webhook
      webhook:${hook(', dedupe: { expr: request.headers."x-delivery" }, startIfMissing: { input: { expr: "{ orderId: payload.as default payload.orderId, amount: payload.amount default 1 }" } }')}
      next: which
    which: { type: choice, choices: [{ when: context.payload.last default false, next: done }], default: event }
    done: { type: succeed, outputVar: payload }
`;

describe('LESS-5 a hook', () => {
  let rigged: Rig;
  let gateway: HttpGateway;
  beforeAll(async () => {
    rigged = await rig({ env: { JOURNEYMAN_LIMITS_HISTORY_EVENTS: '20' } });
    gateway = await httpGateway(
      rigged,
      [
        order('hook-order'),
        order('hook-deduped', ', dedupe: { expr: request.headers."x-delivery" }'),
        started(),
        started(', once: true'),
      ],
      hookEnvironment(),
    );
  });
  afterAll(async () => {
    await gateway.stop();
    await rigged.stop();
  });

  const newKey = () => `order-${randomUUID().slice(0, 8)}`;
  const send = (path: string, payload: JsonObject, headers: Record<string, string> = {}) =>
    deliver(gateway.url, path, payload, headers);
  const start = async (journey: string, orderId: string) => {
    const { body } = await gateway.post(`/journeys/${journey}/start`, { orderId });
    expect(body).toMatchObject({ journeyId: `${journey}/${orderId}`, phase: 'RUNNING' });
  };
  const go = (journey: string, orderId: string) => gateway.post(`/journeys/${journey}/by-key/${orderId}/steps/go`);
  const result = (journey: string, orderId: string) => gateway.get(`/journeys/${journey}/by-key/${orderId}/result`);

  it('submits the step of the run with its key', async () => {
    const orderId = newKey();
    await start('hook-order', orderId);
    await go('hook-order', orderId);
    const first = await send('hook-order/paid', { orderId, n: 1 }, { 'x-sender': 'bank' });
    expect(first).toMatchObject({ status: 200, body: { journeyId: `hook-order/${orderId}`, currentState: 'settled' } });
    expect(first.body).toMatchObject({ tags: [], attributes: {}, activeStates: [] });
    expect(first.body._links).toBeUndefined();
    const last = await send('hook-order/settled', { orderId, n: 2 });
    expect(last).toMatchObject({ status: 200, body: { phase: 'SUCCEEDED', orderId, n: 1 } });
    const { body } = await result('hook-order', orderId);
    expect(body).toMatchObject({ output: { first: { orderId, n: 1 }, sender: 'bank', last: { orderId, n: 2 } } });
    const late = await send('hook-order/settled', { orderId });
    expect(late).toMatchObject({ status: 404, body: { code: 'RUN_UNKNOWN' } });
  });

  it('keeps early deliveries, with the headers that the step copies, across continue-as-new', async () => {
    const orderId = newKey();
    const { journeyId } = await rigged.start(order('hook-order'), { orderId }, { caller: 'anonymous' });
    const execution = async () => (await rigged.client.workflow.getHandle(journeyId).describe()).runId;
    const before = await execution();
    const kept = { status: 202, body: { journeyId: `hook-order/${orderId}`, kept: true } };
    for (const n of [2, 3, 4]) expect(await send('hook-order/settled', { orderId, n })).toMatchObject(kept);
    expect(await send('hook-order/paid', { orderId, n: 1 }, { 'x-sender': 'bank' })).toMatchObject(kept);
    await rigged.restartWorker();
    // A run does not continue as new while a caller waits; a signal has no caller.
    await rigged.client.workflow.getHandle(journeyId).signal('go', {});
    const { body } = await eventually(
      () => result('hook-order', orderId),
      ({ status }) => status === 200,
    );
    expect(body).toMatchObject({ output: { first: { n: 1 }, sender: 'bank', last: { n: 2 } } });
    expect(await execution()).not.toBe(before);
  });

  it('keeps ten deliveries and rejects the eleventh, so that no accepted one is lost', async () => {
    const orderId = newKey();
    await start('hook-order', orderId);
    for (let n = 0; n < 10; n++) expect(await send('hook-order/paid', { orderId, n })).toMatchObject({ status: 202 });
    expect(await send('hook-order/paid', { orderId, n: 10 })).toMatchObject({
      status: 503,
      body: { code: 'STEP_FULL' },
    });
    expect(await send('hook-order/settled', { orderId, n: 0 })).toMatchObject({ status: 202 });
    expect(await go('hook-order', orderId)).toMatchObject({ body: { phase: 'SUCCEEDED' } });
  });

  it('checks in the documented order: path, signature, body, key, run', async () => {
    const wrong = { 'x-hub-signature-256': 'sha256=00' };
    const hookUnknown = { status: 404, body: { code: 'HOOK_UNKNOWN' } };
    for (const path of ['nothing/paid', 'hook-order/go', 'hook-order/nothing', 'constructor/constructor'])
      expect(await send(path, {}, wrong), path).toMatchObject(hookUnknown);
    const unsigned = { status: 401, body: { code: 'SIGNATURE_INVALID' } };
    expect(await send('hook-order/paid', { orderId: 'a/b' }, wrong)).toMatchObject(unsigned);
    const text = await send('hook-order/paid', {}, { 'content-type': 'text/plain' });
    expect(text).toMatchObject({ status: 415, body: { code: 'CONTENT_TYPE_UNSUPPORTED' } });
    for (const orderId of ['a/b', '', null, { a: 1 }])
      expect(await send('hook-order/paid', { orderId })).toMatchObject({ status: 400, body: { code: 'KEY_INVALID' } });
    const runUnknown = { status: 404, body: { code: 'RUN_UNKNOWN' } };
    expect(await send('hook-order/paid', { orderId: newKey() })).toMatchObject(runUnknown);
    const orderId = newKey();
    await start('hook-order', orderId);
    const invalid = await send(
      'hook-started/event',
      { as: orderId, orderId: 12, amount: 'much' },
      { 'x-delivery': '1' },
    );
    expect(invalid).toMatchObject({ status: 400, body: { code: 'INPUT_INVALID' } });
  });

  it('validates early deliveries on arrival', async () => {
    const orderId = newKey();
    await start('hook-order', orderId);
    const invalid = { status: 400, body: { code: 'STEP_INVALID', errors: [{ pointer: '/n' }] } };
    expect(await send('hook-order/paid', { orderId, n: 'one' })).toMatchObject(invalid);
    expect(await go('hook-order', orderId)).toMatchObject({ body: { currentState: 'paid' } });
    expect(await send('hook-order/paid', { orderId, n: 'one' })).toMatchObject(invalid);
    const missing = await send('hook-started/event', { orderId: newKey(), n: 'one' }, { 'x-delivery': 'a' });
    expect(missing).toMatchObject(invalid);
    const nameless = await send('hook-deduped/paid', { orderId }, {});
    expect(nameless).toMatchObject({ status: 400, body: { code: 'DELIVERY_ID_INVALID' } });
  });

  it('drops repeated deliveries, also of early ones and after the end of the run', async () => {
    const orderId = newKey();
    await start('hook-deduped', orderId);
    const headers = { 'x-delivery': randomUUID() };
    const repeated = { status: 200, body: { journeyId: `hook-deduped/${orderId}`, repeated: true } };
    expect(await send('hook-deduped/paid', { orderId, n: 1 }, headers)).toMatchObject({ status: 202 });
    expect(await send('hook-deduped/paid', { orderId, n: 1 }, headers)).toMatchObject(repeated);
    await go('hook-deduped', orderId);
    expect(await send('hook-deduped/paid', { orderId, n: 9 }, headers)).toMatchObject(repeated);
    const last = { 'x-delivery': randomUUID() };
    expect(await send('hook-deduped/settled', { orderId, n: 2 }, last)).toMatchObject({ body: { phase: 'SUCCEEDED' } });
    expect(await send('hook-deduped/settled', { orderId, n: 2 }, last)).toMatchObject(repeated);
    const { body } = await result('hook-deduped', orderId);
    expect(body).toMatchObject({ output: { first: { n: 1 }, last: { n: 2 } } });
  });

  it('accepts an Idempotency-Key without dedupe, as steps do', async () => {
    const orderId = newKey();
    await start('hook-order', orderId);
    const headers = { 'idempotency-key': 'once' };
    for (let n = 0; n < 2; n++)
      expect(await send('hook-order/paid', { orderId }, headers)).toMatchObject({ status: 202, body: { kept: true } });
    const other = await send('hook-order/paid', { orderId, n: 1 }, headers);
    expect(other).toMatchObject({ status: 422, body: { code: 'IDEMPOTENCY_KEY_REUSED' } });
    expect(await go('hook-order', orderId)).toMatchObject({ body: { currentState: 'settled' } });
  });

  it('starts a missing run once for any number of concurrent requests', async () => {
    const orderId = newKey();
    const deliveries = Array.from({ length: 8 }, (_, n) => ({ orderId, n, amount: n }));
    const answers = await Promise.all(
      deliveries.map((it) => send('hook-started/event', it, { 'x-delivery': `${orderId}-${it.n}` })),
    );
    for (const it of answers) expect([200, 202]).toContain(it.status);
    const handle = rigged.client.workflow.getHandle(`hook-started/${orderId}`);
    const taken = async () =>
      (await handle.fetchHistory()).events!.filter((it) => it.workflowExecutionUpdateAcceptedEventAttributes).length;
    expect(await eventually(taken, (count) => count >= 8)).toBe(8);
    const end = await send('hook-started/event', { orderId, last: true }, { 'x-delivery': `${orderId}-end` });
    expect(end.status).toBe(200);
    const closed = await eventually(
      () => result('hook-started', orderId),
      ({ status }) => status === 200,
    );
    expect(closed.body).toMatchObject({ phase: 'SUCCEEDED' });
    const repeated = await send('hook-started/event', { orderId, n: 0 }, { 'x-delivery': `${orderId}-0` });
    expect(repeated).toMatchObject({ status: 200, body: { repeated: true } });
    const restarted = await send('hook-started/event', { orderId, last: true }, { 'x-delivery': `${orderId}-new` });
    expect([200, 202]).toContain(restarted.status);
  });

  it('does not start runs of other keys, or a second run with `once`', async () => {
    const orderId = newKey();
    const other = await send('hook-started/event', { orderId, as: newKey() }, { 'x-delivery': '1' });
    expect(other).toMatchObject({ status: 400, body: { code: 'HOOK_KEY_DIFFERS' } });
    const invalid = await send('hook-started/event', { orderId, amount: 'x' }, { 'x-delivery': '1' });
    expect(invalid).toMatchObject({ status: 400, body: { code: 'INPUT_INVALID' } });
    expect(await result('hook-started', orderId)).toMatchObject({ status: 404 });
    await send('hook-started-once/event', { orderId, last: true }, { 'x-delivery': 'a' });
    await eventually(
      () => result('hook-started-once', orderId),
      ({ status }) => status === 200,
    );
    const again = await send('hook-started-once/event', { orderId }, { 'x-delivery': 'b' });
    expect(again).toMatchObject({ status: 404, body: { code: 'RUN_UNKNOWN' } });
  });

  it('reaches runs of any owner; runs that it starts belong to the configured owner', async () => {
    const orderId = newKey();
    const as = (caller: string) => rigged.runs.as(accessOf(caller, ['client'], {}));
    const definition = journeyOf(started());
    const mine = { ...prepared(definition, { orderId }), mode: 'sync' as const, caller: 'key:mine' };
    await as('key:mine').start(mine);
    const end = await send('hook-started/event', { orderId, last: true }, { 'x-delivery': 'a' });
    expect(end).toMatchObject({ status: 200, body: { phase: 'SUCCEEDED' } });
    // The key of an ended run belongs to its owner.
    const restarted = await send('hook-started/event', { orderId }, { 'x-delivery': 'b' });
    expect(restarted).toMatchObject({ status: 409, body: { code: 'KEY_IN_USE' } });
    const own = newKey();
    await send('hook-started/event', { orderId: own }, { 'x-delivery': 'c' });
    await expect(as('key:mine').status(`hook-started/${own}`)).rejects.toThrow();
    expect(await as('hooks').status(`hook-started/${own}`)).toMatchObject({ phase: 'RUNNING' });
  });
});
