import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { asActivities } from '../../activities/effects-as-activities.js';
import { createHttpClient } from '../../activities/http-call/http-client.js';
import { httpEffect } from '../../activities/http-call/http-effect.js';
import { loadConfig } from '../../src/config/load-config.js';
import { eventually } from '../support/eventually.js';
import { httpGateway } from './support/gateway.js';
import { type Rig, rig } from './support/rig.js';
import { type WorkerProcess, workerProcess } from './support/worker-process.js';

/** The requests that a service received and their effects. */
interface Ledger {
  url: string;
  /** Requests in order of arrival. */
  received: { method: string; path: string; key: string | undefined }[];
  /** Items that were created and not deleted. */
  created: Set<string>;
  close(): Promise<void>;
}

/** A service whose path sets its response: `/make/<id>/<status>/<ms>`; `/undo/<id>` deletes. It takes effect even if the caller is gone. */
async function ledger(): Promise<Ledger> {
  const received: Ledger['received'] = [];
  const created = new Set<string>();
  const server = createServer((request, response) => {
    const { method = '', url: path = '', headers } = request;
    received.push({ method, path, key: headers['idempotency-key'] as string | undefined });
    const [, what, id = '', status = '200', ms = '0'] = path.split('/');
    setTimeout(() => {
      if (what === 'undo') created.delete(id);
      else if (status === '201') created.add(id);
      response.writeHead(what === 'undo' ? 200 : Number(status), { 'content-type': 'application/json' });
      response.end(JSON.stringify({ id }));
    }, Number(ms));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    created,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

const post = (url: string, path: string, resultVar: string, more = '') =>
  `{ type: task, task: { kind: "httpCall:v1", method: POST, url: "${url}${path}", timeoutMs: 8000, resultVar: ${resultVar}${more} }, next: `;

/** Undoes every item named in a list of results. */
const undoing = (url: string, list: string) => `
  compensation:
    mode: sync
    start: undo
    states:
      undo:
        type: map
        map:
          items: { mapper: { lang: dataweave, expr: '${list}' } }
          start: call
          states:
            call: ${post(url, '/undo/${item}', 'u')}done }
            done: { type: succeed }
        next: done
      done: { type: succeed }
`;

/** Creates something for every item, and ends at the first failure. */
const saga = (name: string, url: string, more = '') => `
apiVersion: v1
kind: Journey
metadata: { name: ${name}, version: 1.0.0 }
spec:
  lifecycle: { startMode: async }
  ${more}
  start: each
  states:
    each:
      type: map
      map:
        items: { mapper: { lang: dataweave, expr: context.of } }
        start: make
        states:
          make: ${post(url, '/make/${item.id}/${item.status}/${item.ms}', 'r')}ok }
          ok: { type: choice, choices: [{ when: { predicate: { lang: dataweave, expr: context.r.ok } }, next: done }], default: bad }
          done: { type: succeed, outputVar: r }
          bad: { type: fail, errorCode: REFUSED, reason: It was refused }
        resultVar: all
      next: end
    end: { type: succeed }
${undoing(url, '(context.all filter ($.ok == true)) map $.body.id')}
`;

/** Two branches that create something; the quick one fails. */
const trip = (url: string) => `
apiVersion: v1
kind: Journey
metadata: { name: trip, version: 1.0.0 }
spec:
  lifecycle: { startMode: async }
  start: both
  states:
    both:
      type: parallel
      parallel:
        branches:
          - name: flight
            start: fly
            states:
              fly: ${post(url, '/make/flight-${context.n}/201/2000', 'flight')}seat }
              seat: ${post(url, '/make/seat-${context.n}/201/0', 'seat')}done }
              done: { type: succeed }
          - name: hotel
            start: stay
            states:
              stay: ${post(url, '/make/hotel-${context.n}/409/200', 'hotel')}full }
              full: { type: fail, errorCode: FULL, reason: No room }
        join: { strategy: allOf, errorPolicy: failFast }
      next: end
    end: { type: succeed }
${undoing(url, '([context.flight, context.seat] filter ($.ok == true)) map $.body.id')}
`;

/** A charge during which the worker may be killed. */
const charge = (url: string, name: string, more: string) => `
apiVersion: v1
kind: Journey
metadata: { name: ${name}, version: 1.0.0 }
spec:
  lifecycle: { startMode: async }
  start: charge
  states:
    charge: ${post(url, '/make/${context.n}/201/1500', 'charged', more)}done }
    done: { type: succeed, outputVar: charged }
`;

describe('calls in flight', () => {
  let service: Ledger;
  let rigged: Rig;
  const http = createHttpClient({
    http: loadConfig({ env: {} }).http,
    log: { warn: () => undefined, debug: () => undefined },
    loopbackAllowed: true,
  });
  beforeAll(async () => {
    service = await ledger();
    rigged = await rig({ activities: asActivities({ http: httpEffect(http) }) });
  });
  afterAll(async () => {
    await rigged.stop();
    await http.close();
    await service.close();
  });

  const outcomeOf = async (id: string) => {
    await rigged.client.workflow
      .getHandle(id)
      .result()
      .catch(() => undefined);
    return (await rigged.runs.result(id)).outcome!;
  };
  const asked = (path: string) => service.received.some((request) => request.path.startsWith(path));
  const items = (name: string, ...answers: [status: number, ms: number][]) =>
    answers.map(([status, ms], n) => ({ id: `${name}-${n}`, status, ms }));

  it('GAP-2 a map that ends at its first failure undoes calls that complete afterwards', async () => {
    const of = items('first', [409, 200], [201, 1_500], [201, 0], [201, 2_500]);
    const { journeyId } = await rigged.start(saga('saga', service.url), { of });
    const outcome = await outcomeOf(journeyId);
    expect(outcome).toMatchObject({ error: { code: 'REFUSED' }, compensation: { mode: 'sync', phase: 'SUCCEEDED' } });
    expect(outcome).not.toHaveProperty('uncertain');
    expect([...service.created].filter((id) => id.startsWith('first'))).toEqual([]);
    expect(service.received.filter(({ path }) => path.startsWith('/undo/first'))).toHaveLength(3);
  });

  it('GAP-2 a failed parallel undoes later effects of other branches and starts no further calls', async () => {
    const { journeyId } = await rigged.start(trip(service.url), { n: 1 });
    expect(await outcomeOf(journeyId)).toMatchObject({
      error: { code: 'FULL' },
      compensation: { mode: 'sync', phase: 'SUCCEEDED' },
    });
    expect(asked('/undo/flight-1')).toBe(true);
    expect(asked('/make/seat-1')).toBe(false);
    expect(service.created.has('flight-1')).toBe(false);
  });

  it('GAP-2 a cancel awaits the calls in flight and closes the run as cancelled', async () => {
    const { journeyId } = await rigged.start(saga('cancelled-saga', service.url), {
      of: items('cancel', [201, 2_000], [201, 0]),
    });
    await eventually(
      () => asked('/make/cancel-0'),
      (it) => it,
    );
    await rigged.runs.cancel(journeyId);
    expect(await outcomeOf(journeyId)).toMatchObject({
      terminationKind: 'Cancel',
      compensation: { mode: 'sync', phase: 'SUCCEEDED' },
    });
    expect([...service.created].filter((id) => id.startsWith('cancel'))).toEqual([]);
    expect(asked('/undo/cancel-0')).toBe(true);
    const { status } = await rigged.client.workflow.getHandle(journeyId).describe();
    expect(status.name).toBe('CANCELLED');
  });

  it('GAP-2 a deadline awaits the calls in flight and reports unanswered ones', async () => {
    const deadline = 'execution: { maxDurationSec: 2, onTimeout: { errorCode: TOO_SLOW, reason: Over } }';
    const of = items('late', [201, 3_500], [201, 9_500]);
    const { journeyId } = await rigged.start(saga('late-saga', service.url, deadline), { of });
    const outcome = await outcomeOf(journeyId);
    expect(outcome).toMatchObject({ error: { code: 'TOO_SLOW' }, terminationKind: 'Timeout' });
    expect(outcome.uncertain).toEqual([
      {
        state: 'make',
        within: 'each#1.1',
        call: expect.stringMatching(/^POST 127\.0\.0\.1:\d+\/make\/late-1\/201\/9500$/),
        error: 'TIMEOUT: no complete answer within 8000 ms',
        idempotencyKey: `${journeyId}/each#1.1/make#1`,
        reason: 'NO_ANSWER',
      },
    ]);
    expect(asked('/undo/late-0')).toBe(true);
    expect(service.created.has('late-0')).toBe(false);
  });

  it('GAP-7 runs that never wait can be found and listed by attribute', async () => {
    const tagged = `
apiVersion: v1
kind: Journey
metadata: { name: tagged, version: 1.0.0 }
spec:
  start: note
  states:
    note: { type: transform, transform: { mapper: { lang: dataweave, expr: '{ subjectId: context.who, colour: "red" }' }, target: { kind: attributes } }, next: end }
    end: { type: succeed }
`;
    const gateway = await httpGateway(rigged, [tagged]);
    const who = `who-${process.pid}`;
    const started = await gateway.post('/journeys/tagged/start', { who });
    expect(started.body).toMatchObject({ phase: 'SUCCEEDED' });
    const listed = await eventually(
      async () => (await gateway.get(`/journeys?subjectId=${who}`)).body.items as object[],
      (found) => found.length > 0,
    );
    expect(listed).toMatchObject([
      { journeyId: started.body.journeyId, attributes: { subjectId: who, colour: 'red' } },
    ]);
    await gateway.stop();
  });

  it('GAP-7 attributes can be searched while the run is still busy', async () => {
    const busy = charge(service.url, 'busy', '')
      .replace('start: charge', 'start: note')
      .replace(
        'states:',
        `states:
    note: { type: transform, transform: { mapper: { lang: dataweave, expr: '{ subjectId: context.n }' }, target: { kind: attributes } }, next: charge }`,
      );
    const who = `busy-${process.pid}`;
    const { journeyId } = await rigged.start(busy, { n: who });
    const query = `SubjectId = '${who}' AND ExecutionStatus = 'Running'`;
    const found = await eventually(
      async () => {
        const ids: string[] = [];
        for await (const { workflowId } of rigged.client.workflow.list({ query })) ids.push(workflowId);
        return ids;
      },
      (ids) => ids.length > 0,
      { pauseMs: 50 },
    );
    expect(found).toEqual([journeyId]);
    await outcomeOf(journeyId);
  });

  it('GAP-8 a compensation inside its run continues as new and keeps both outcomes', async () => {
    const long = `
apiVersion: v1
kind: Journey
metadata: { name: long-undo, version: 1.0.0 }
spec:
  lifecycle: { startMode: async }
  start: bad
  states: { bad: { type: fail, errorCode: BAD, reason: It is bad } }
  compensation:
    mode: sync
    start: nap
    states:
      nap: { type: timer, timer: { duration: PT0.05S }, next: count }
      count: { type: transform, transform: { mapper: { lang: dataweave, expr: '(context.n default 0) + 1' }, target: { kind: var }, resultVar: n }, next: more }
      more: { type: choice, choices: [{ when: { predicate: { lang: dataweave, expr: 'context.n < 12' } }, next: nap }], default: tell }
      tell: ${post(service.url, '/make/long-${context.n}-${context.id}/201/0', 't')}done }
      done: { type: succeed }
`;
    const few = await rig({
      activities: asActivities({ http: httpEffect(http) }),
      env: { JOURNEYMAN_LIMITS_HISTORY_EVENTS: '20' },
    });
    const { journeyId } = await few.start(long, { id: process.pid });
    const ended = async () => (await few.runs.result(journeyId)).outcome;
    const outcome = await eventually(ended, (it) => it !== undefined);
    expect(outcome).toMatchObject({ error: { code: 'BAD' }, compensation: { mode: 'sync', phase: 'SUCCEEDED' } });
    expect(service.received.filter(({ path }) => path.startsWith(`/make/long-12-${process.pid}`))).toHaveLength(1);
    const { raw } = await few.client.workflow.getHandle(journeyId).describe();
    expect(raw.workflowExecutionInfo?.firstRunId).not.toBe(raw.workflowExecutionInfo?.execution?.runId);
    await few.stop();
  });
});

describe('a worker that is killed during a POST', () => {
  let service: Ledger;
  let rigged: Rig;
  let next: WorkerProcess | undefined;
  beforeAll(async () => {
    service = await ledger();
    rigged = await rig({ worker: false });
  });
  afterAll(async () => {
    await next?.kill9();
    await rigged.stop();
    await service.close();
  });

  it('GAP-3 a repeated call is reported in the outcome; with onUncertain: fail it is not repeated', async () => {
    const environment = {
      TEMPORAL_ADDRESS: inject('temporalAddress'),
      JOURNEYMAN_TEMPORAL_TASK_QUEUE: rigged.config.temporal.taskQueue,
    };
    const doomed = await workerProcess(environment);
    const usual = await rigged.start(charge(service.url, 'usual', ''), { n: 'usual' });
    const once = await rigged.start(charge(service.url, 'once', ', onUncertain: fail'), { n: 'once' });
    const cancelled = await rigged.start(charge(service.url, 'given-up', ''), { n: 'given-up' });
    const calls = (id: string) => service.received.filter(({ path }) => path.startsWith(`/make/${id}/`));
    await eventually(
      () => ['usual', 'once', 'given-up'].every((id) => calls(id).length === 1),
      (it) => it,
      { pauseMs: 20 },
    );
    await doomed.kill9();
    await rigged.runs.cancel(cancelled.journeyId);
    next = await workerProcess(environment);

    const outcomeOf = async (id: string) => {
      await rigged.client.workflow
        .getHandle(id)
        .result()
        .catch(() => undefined);
      return (await rigged.runs.result(id)).outcome!;
    };
    const repeated = await outcomeOf(usual.journeyId);
    expect(repeated).toMatchObject({
      phase: 'SUCCEEDED',
      output: { status: 201 },
      uncertain: [{ state: 'charge', reason: 'REPEATED', idempotencyKey: `${usual.journeyId}/charge#1` }],
    });
    expect(calls('usual').map(({ key }) => key)).toEqual(Array(2).fill(`${usual.journeyId}/charge#1`));
    const { entries } = await rigged.runs.trail(usual.journeyId, { pageSize: 100 });
    const visit = entries.find((it) => it.kind === 'visit' && it.state === 'charge');
    expect(visit).toMatchObject({ calls: [{ outcome: 'failed' }, { outcome: 'answered', status: 201 }] });

    expect(await outcomeOf(once.journeyId)).toMatchObject({
      output: { ok: false, error: { type: 'NETWORK' }, uncertain: true },
      uncertain: [{ state: 'charge', reason: 'LOST' }],
    });
    expect(calls('once')).toHaveLength(1);

    expect(await outcomeOf(cancelled.journeyId)).toMatchObject({
      terminationKind: 'Cancel',
      uncertain: [{ state: 'charge', reason: 'LOST' }],
    });
    expect(calls('given-up')).toHaveLength(1);
  });

  it('GAP-2 a saga whose worker is killed during a POST repeats nothing, undoes completed calls and reports the POST', async () => {
    const environment = {
      TEMPORAL_ADDRESS: inject('temporalAddress'),
      JOURNEYMAN_TEMPORAL_TASK_QUEUE: rigged.config.temporal.taskQueue,
    };
    const doomed = next!;
    const of = [
      { id: 'killed-made', status: 201, ms: 0 },
      { id: 'killed-late', status: 201, ms: 6_000 },
      { id: 'killed-refused', status: 409, ms: 500 },
    ];
    const { journeyId } = await rigged.start(saga('killed-saga', service.url), { of });
    const calls = (path: string) => service.received.filter((it) => it.path.startsWith(path));
    const handle = rigged.client.workflow.getHandle(journeyId);
    // Two of the three POSTs have their responses in the history; the saga is interrupted and awaits the third.
    await eventually(
      async () => (await handle.fetchHistory()).events!.filter((it) => it.activityTaskCompletedEventAttributes).length,
      (count) => count >= 2,
    );
    await doomed.kill9();
    next = await workerProcess(environment);

    await handle.result().catch(() => undefined);
    const outcome = (await rigged.runs.result(journeyId)).outcome!;
    expect(outcome).toMatchObject({
      error: { code: 'REFUSED' },
      compensation: { mode: 'sync', phase: 'SUCCEEDED' },
      uncertain: [{ reason: 'LOST' }],
    });
    expect(calls('/make/killed-late')).toHaveLength(1);
    expect(calls('/make/killed-made')).toHaveLength(1);
    expect(service.created.has('killed-made')).toBe(false);
  });
});
