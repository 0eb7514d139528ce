import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asActivities } from '../../activities/effects-as-activities.js';
import type { Json, JsonObject } from '../../src/base/json/value.js';
import { ProblemError } from '../../src/base/problems/problem.js';
import { accessOf } from '../../src/gateway/auth/authenticate.js';
import { httpRequestOf } from '../../src/language/tasks/http-call/request-and-result-types.js';
import { isIdempotencyKey, type StartRun } from '../../src/service/runs-interface.js';
import { prepared } from '../support/prepared.js';
import { type HttpGateway, httpGateway } from './support/gateway.js';
import { journeyOf, type Rig, rig } from './support/rig.js';

/** Calls a service, waits for a decision, and is compensated by a separate run if the decision is negative. */
const order = (key = '', mode = 'sync', name = 'keyed-order') => `
apiVersion: v1
kind: Journey
metadata: { name: ${name}, version: 1.0.0 }
spec:
  key: { lang: dataweave, expr: context.orderId${key} }
  lifecycle: { startMode: ${mode} }
  start: charge
  states:
    charge:
      type: task
      task: { kind: "httpCall:v1", method: POST, url: "https://bank.test/charge", body: {}, resultVar: charged }
      next: decide
    decide: { type: wait, wait: { channel: manual, input: { schema: { type: object } } }, next: which }
    which:
      type: choice
      choices: [{ when: { predicate: { lang: dataweave, expr: context.payload.ok default true } }, next: done }]
      default: failed
    done: { type: succeed, outputVar: payload }
    failed: { type: fail, errorCode: "NO", reason: "no" }
  compensation:
    start: undo
    states: { undo: { type: succeed } }
`;

const calling = `
apiVersion: v1
kind: Journey
metadata: { name: keyed-calling, version: 1.0.0 }
spec:
  key: { lang: dataweave, expr: context.orderId }
  start: hand-out
  states:
    hand-out:
      type: transform
      transform: { mapper: { lang: dataweave, expr: platform.run.callbacks }, target: { kind: var }, resultVar: urls }
      next: answer
    answer: { type: webhook, webhook: { input: { schema: true } }, next: done }
    done: { type: succeed, outputVar: urls }
`;

const refused = async (work: Promise<unknown>) => {
  const problem = await work.then(
    () => undefined,
    (error) => (error instanceof ProblemError ? error.problem : Promise.reject(error)),
  );
  return problem && { status: problem.status, code: problem.code };
};

describe('LESS-4 a business key', () => {
  let rigged: Rig;
  let gateway: HttpGateway;
  const charges: string[] = [];
  beforeAll(async () => {
    const http = async (input: Json) => {
      charges.push(String(httpRequestOf(input).headers['idempotency-key']));
      return { ok: true, status: 200, headers: {}, body: {} };
    };
    rigged = await rig({ activities: asActivities({ http }) });
    gateway = await httpGateway(rigged, [order(), calling, order(', onExisting: reject', 'async', 'keyed-strict')]);
  });
  afterAll(async () => {
    await gateway.stop();
    await rigged.stop();
  });

  const newKey = () => `order-${randomUUID().slice(0, 8)}`;
  const start = (body: JsonObject, more: Partial<StartRun> = {}, key = '', mode = 'sync') =>
    rigged.start(order(key, mode), body, more);
  const submit = (id: string, payload: JsonObject = {}) =>
    rigged.runs.submit({ id, stepId: 'decide', payload, caller: 'test', headers: {} });

  it('is the id of the run, in Temporal and in the gateway', async () => {
    const orderId = newKey();
    const run = await start({ orderId });
    expect(run).toMatchObject({ journeyId: `keyed-order/${orderId}`, steps: ['decide'] });
    const { type } = await rigged.client.workflow.getHandle(`keyed-order/${orderId}`).describe();
    expect(type).toBe('keyed-order');
  });

  it('of a running run attaches with one update, in both modes', async () => {
    const orderId = newKey();
    const first = await start({ orderId });
    for (const mode of ['sync', 'async'] as const)
      expect(await start({ orderId }, { mode })).toMatchObject({ journeyId: first.journeyId, phase: 'RUNNING' });
    const { events } = await rigged.client.workflow.getHandle(first.journeyId).fetchHistory();
    expect((events ?? []).filter((it) => it.workflowExecutionUpdateAcceptedEventAttributes)).toHaveLength(1);
  });

  it('with another input is rejected instead of ignored', async () => {
    const orderId = newKey();
    await start({ orderId, n: 1 });
    expect(await refused(start({ orderId, n: 2 }))).toEqual({ status: 409, code: 'KEY_INPUT_DIFFERS' });
  });

  it('of an ended run starts a new run, with new idempotency keys and its own compensation', async () => {
    const orderId = newKey();
    const ends: string[] = [];
    for (let n = 0; n < 2; n++) {
      const { journeyId } = await start({ orderId, n });
      const ended = await submit(journeyId, { ok: false });
      expect(ended).toMatchObject({ phase: 'FAILED', outcome: { compensation: { mode: 'async' } } });
      ends.push((ended.outcome!.compensation as { journeyId: string }).journeyId);
    }
    const own = charges.filter((it) => it.includes(orderId));
    expect(new Set(own).size).toBe(2);
    expect(new Set(ends).size).toBe(2);
    for (const id of ends) {
      const compensation = rigged.client.workflow.getHandle(id);
      // The caller gets a response before the compensation has started.
      await expect
        .poll(() =>
          compensation.describe().then(
            ({ status }) => status.name,
            () => 'unknown',
          ),
        )
        .toBe('COMPLETED');
    }
  });

  it('of an ended run stays reserved with `once`', async () => {
    const orderId = newKey();
    const { journeyId } = await start({ orderId }, {}, ', once: true');
    await submit(journeyId);
    expect(await start({ orderId }, {}, ', once: true')).toMatchObject({ journeyId, phase: 'SUCCEEDED' });
    const other = start({ orderId, n: 1 }, {}, ', once: true');
    expect(await refused(other)).toEqual({ status: 409, code: 'KEY_INPUT_DIFFERS' });
    const strict = start({ orderId }, {}, ', once: true, onExisting: reject');
    expect(await refused(strict)).toEqual({ status: 409, code: 'KEY_IN_USE' });
  });

  it('is rejected during its run with `onExisting: reject`', async () => {
    const orderId = newKey();
    await start({ orderId }, {}, ', onExisting: reject');
    expect(await refused(start({ orderId }, {}, ', onExisting: reject'))).toEqual({ status: 409, code: 'KEY_IN_USE' });
  });

  it('with an Idempotency-Key repeats the request, also after the end of the run', async () => {
    const orderId = newKey();
    const request = { idempotencyKey: 'request-1' };
    const key = ', onExisting: reject';
    const { journeyId } = await start({ orderId }, request, key);
    expect(await start({ orderId }, request, key)).toMatchObject({ journeyId, phase: 'RUNNING' });
    await submit(journeyId);
    expect(await start({ orderId }, request, key)).toMatchObject({ journeyId, phase: 'SUCCEEDED' });
    const reused = start({ orderId, n: 2 }, request, key);
    expect(await refused(reused)).toEqual({ status: 422, code: 'IDEMPOTENCY_KEY_REUSED' });
    expect(await start({ orderId }, { idempotencyKey: 'request-2' }, key)).toMatchObject({ phase: 'RUNNING' });
  });

  it('a hundred concurrent starts through two gateways create one run', async () => {
    const orderId = newKey();
    const before = charges.length;
    const answers = await Promise.all([
      ...Array.from({ length: 50 }, () => start({ orderId })),
      ...Array.from({ length: 50 }, () => gateway.post('/journeys/keyed-order/start', { orderId })),
    ]);
    expect(new Set(answers.map((it) => ('body' in it ? it.body.journeyId : it.journeyId)))).toEqual(
      new Set([`keyed-order/${orderId}`]),
    );
    expect(charges.length - before).toBe(1);
  });

  it('of another owner is a 404 to read and a 409 to start, in any state of the run', async () => {
    const orderId = newKey();
    const definition = journeyOf(order());
    const as = (caller: string) => rigged.runs.as(accessOf(caller, ['client'], {}));
    const startAs = (caller: string, body: JsonObject) =>
      as(caller).start({ ...prepared(definition, body), mode: 'sync', caller });
    const { journeyId } = await startAs('key:mine', { orderId });
    expect(await startAs('key:mine', { orderId })).toMatchObject({ journeyId });
    expect(await refused(as('key:other').status(journeyId))).toEqual({ status: 404, code: 'RUN_UNKNOWN' });
    const inUse = { status: 409, code: 'KEY_IN_USE' };
    expect(await refused(startAs('key:other', { orderId }))).toEqual(inUse);
    expect(await refused(startAs('key:other', { orderId, n: 2 }))).toEqual(inUse);
    await submit(journeyId);
    expect(await refused(startAs('key:other', { orderId }))).toEqual(inUse);
    expect(await as('key:mine').status(journeyId)).toMatchObject({ phase: 'SUCCEEDED' });
  });

  it('identifies the run in every route, by key and as an id with an encoded slash', async () => {
    const orderId = newKey();
    const { body, status } = await gateway.post('/journeys/keyed-order/start', { orderId });
    expect(status).toBe(200);
    const id = `keyed-order/${orderId}`;
    expect(body._links).toMatchObject({ self: { href: `/api/v1/journeys/${encodeURIComponent(id)}` } });
    for (const run of [`/journeys/keyed-order/by-key/${orderId}`, `/journeys/${encodeURIComponent(id)}`]) {
      expect(await gateway.get(run)).toMatchObject({ status: 200, body: { journeyId: id, phase: 'RUNNING' } });
      expect(await gateway.get(`${run}/result`)).toMatchObject({ status: 409 });
      expect(await gateway.get(`${run}/trail`)).toMatchObject({ status: 200 });
      expect(await gateway.post(`${run}/migrate`, { to: '1.0.0' })).toMatchObject({ status: 200 });
      expect(await gateway.post(`${run}/retry`)).toMatchObject({ status: 409, body: { code: 'RESULT_NOT_READY' } });
      expect(await gateway.post(`${run}/reset`, { state: 'charge' })).toMatchObject({ status: 409 });
    }
    const byKey = `/journeys/keyed-order/by-key/${orderId}`;
    expect(await gateway.post(`${byKey}/steps/decide`, { a: 1 })).toMatchObject({ body: { phase: 'SUCCEEDED' } });
    expect(await gateway.get(`${byKey}/result`)).toMatchObject({ body: { output: { a: 1 } } });
    const again = await gateway.post('/journeys/keyed-order/start', { orderId });
    expect(again.body).toMatchObject({ journeyId: id, phase: 'RUNNING' });
    expect(await gateway.post(`${byKey}/steps/cancel`)).toMatchObject({ body: { phase: 'FAILED' } });
    const unknown = { status: 404, body: { code: 'RUN_UNKNOWN' } };
    for (const key of ['none', '%20', 'a%2Fb', 'x'.repeat(2_000)])
      expect(await gateway.get(`/journeys/keyed-order/by-key/${key}`)).toMatchObject(unknown);
  });

  it('that is invalid is a 400', async () => {
    const invalid = { status: 400, body: { code: 'KEY_INVALID' } };
    for (const orderId of ['', ' ', 'a/b', 'a\nb', 'x'.repeat(129), '..', null, true, { a: 1 }, ['a'], '\ud800'])
      expect(await gateway.post('/journeys/keyed-order/start', { orderId }), String(orderId)).toMatchObject(invalid);
    for (const orderId of [Math.floor(Math.random() * 1e12), `käse ${newKey()}?#&%`])
      expect(await gateway.post('/journeys/keyed-order/start', { orderId })).toMatchObject({
        status: 200,
        body: { journeyId: `keyed-order/${orderId}` },
      });
  });

  it('may contain any characters; calls of its run still have a valid Idempotency-Key', async () => {
    for (const orderId of [`käse ☃ 😀 ${newKey()}`, `${'漢'.repeat(100)}${newKey()}`]) {
      const before = charges.length;
      const started = await gateway.post('/journeys/keyed-order/start', { orderId });
      expect(started).toMatchObject({ status: 200, body: { journeyId: `keyed-order/${orderId}`, phase: 'RUNNING' } });
      expect(charges).toHaveLength(before + 1);
      expect(charges[before]).toSatisfy(isIdempotencyKey);
    }
  });

  it('a callback URL reaches the run that issued it, not the next one with its key', async () => {
    const orderId = newKey();
    const urls: string[] = [];
    for (let n = 0; n < 2; n++) {
      await gateway.post('/journeys/keyed-calling/start', { orderId });
      const context = await rigged.client.workflow.getHandle(`keyed-calling/${orderId}`).query<JsonObject>('context');
      const url = new URL(String((context.urls as JsonObject).answer));
      urls.push(`${url.pathname.replace('/api/v1', '')}${url.search}`);
      expect(url.pathname).toContain(`/keyed-calling%2F${orderId}/`);
      if (n > 0)
        expect(await gateway.post(urls[0]!)).toMatchObject({ status: 401, body: { code: 'CALLBACK_INVALID' } });
      expect(await gateway.post(urls[n]!)).toMatchObject({ status: 200, body: { phase: 'SUCCEEDED' } });
    }
  });

  it('async starts return the existing run', async () => {
    const orderId = newKey();
    const path = '/journeys/keyed-strict/start';
    expect(await gateway.post(path, { orderId })).toMatchObject({ status: 202 });
    const second = await gateway.post(path, { orderId });
    expect(second).toMatchObject({ status: 409, body: { code: 'KEY_IN_USE' } });
    expect(await start({ orderId: newKey() }, {}, '', 'async')).toMatchObject({ phase: 'RUNNING' });
  });
});
