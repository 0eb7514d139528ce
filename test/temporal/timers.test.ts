import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asActivities } from '../../activities/effects-as-activities.js';
import { createHttpClient } from '../../activities/http-call/http-client.js';
import { httpEffect } from '../../activities/http-call/http-effect.js';
import { loadConfig } from '../../src/config/load-config.js';
import { connect } from '../../src/temporal/connection.js';
import { TemporalRuns } from '../../src/temporal/runs/temporal-runs.js';
import { startServer } from '../../src/temporal/server/start-server.js';
import { prepared } from '../support/prepared.js';
import { backend } from './support/backend.js';
import { type HttpGateway, httpGateway } from './support/gateway.js';
import { journeyOf, type Rig, rig } from './support/rig.js';
import { workerProcess } from './support/worker-process.js';

const journey = (name: string, spec: string) => `
apiVersion: v1
kind: Journey
metadata: { name: ${name}, version: 1.0.0 }
spec:
${spec}`;

/** Sleeps for the duration in its input, then ends; `more` is inserted before its states. */
const sleeper = (name: string, more = '') =>
  journey(
    name,
    `${more}
  start: rest
  states:
    rest: { type: timer, timer: { duration: { mapper: { lang: jsonata, expr: context.duration } } }, next: done }
    done: { type: succeed }
`,
  );

const deadline = (seconds: number) =>
  `  execution: { maxDurationSec: ${seconds}, onTimeout: { errorCode: SLOW, reason: Took too long } }`;

/** The relevant events of a run, with their times. */
async function eventsOf(client: Client, id: string) {
  const { events } = await client.workflow.getHandle(id).fetchHistory();
  const parts = Object.entries({
    timerStarted: 'timerStartedEventAttributes',
    timerFired: 'timerFiredEventAttributes',
    timerCanceled: 'timerCanceledEventAttributes',
    activityScheduled: 'activityTaskScheduledEventAttributes',
    activityCompleted: 'activityTaskCompletedEventAttributes',
    completed: 'workflowExecutionCompletedEventAttributes',
    failed: 'workflowExecutionFailedEventAttributes',
    canceled: 'workflowExecutionCanceledEventAttributes',
  } as const);
  return (events ?? []).map((event) => ({
    kind: parts.find(([, key]) => event[key])?.[0] ?? 'other',
    at: Number(event.eventTime?.seconds) * 1000 + Number(event.eventTime?.nanos) / 1e6,
  }));
}

const named = (events: readonly { kind: string }[]): string[] =>
  events.map(({ kind }) => kind).filter((kind) => kind !== 'other');

const timersOf = (events: readonly { kind: string }[]): string[] =>
  named(events).filter((kind) => kind.startsWith('timer'));

describe('a timer on a real server', () => {
  let rigged: Rig;
  let gateway: HttpGateway;
  beforeAll(async () => {
    const http = createHttpClient({
      http: loadConfig({ env: {} }).http,
      log: { warn: () => undefined, debug: () => undefined },
      loopbackAllowed: true,
    });
    rigged = await rig({ activities: asActivities({ http: httpEffect(http) }) });
    gateway = await httpGateway(rigged, [
      sleeper('sleeper'),
      sleeper('stubborn', '  lifecycle: { cancellable: false }'),
    ]);
  });
  afterAll(async () => {
    await gateway.stop();
    await rigged.stop();
  });

  const start = async (name: string, duration: string) =>
    (await gateway.post(`/journeys/${name}/start`, { duration })).body;

  it('R2-19 R2-20 R2-21 JL-A14 does not delay the response to the start, and is shown over HTTP with its due time', async () => {
    const before = Date.now();
    const { status, body } = await gateway.post('/journeys/sleeper/start', { duration: 'P1D' });
    expect(status).toBe(200);
    const expected = { phase: 'RUNNING', currentState: 'rest', activeStates: [{ state: 'rest', type: 'timer' }] };
    expect(body).toMatchObject(expected);
    const again = await gateway.get(`/journeys/${body.journeyId}`);
    expect(again).toMatchObject({ status: 200, body: expected });
    const [{ dueAt }] = again.body.activeStates as [{ dueAt: string }];
    expect(Date.parse(dueAt) - before).toBeGreaterThanOrEqual(86_400_000);
    expect(Date.parse(dueAt) - Date.now()).toBeLessThanOrEqual(86_400_000);
    expect(await gateway.get(`/journeys/${body.journeyId}/result`)).toMatchObject({
      status: 409,
      body: { code: 'RESULT_NOT_READY' },
    });
  });

  it('R2-25 is not a step: it has no link and accepts no submissions', async () => {
    const { journeyId, _links } = await start('sleeper', 'P1D');
    expect(Object.keys(_links as object)).toEqual(['self', 'result', 'cancel']);
    expect(await gateway.post(`/journeys/${journeyId}/steps/rest`)).toMatchObject({
      status: 404,
      body: { code: 'STEP_UNKNOWN' },
    });
  });

  it('R2-10 R2-26 is cancelled with its run over HTTP', async () => {
    const { journeyId } = await start('sleeper', 'P1D');
    const answer = await gateway.post(`/journeys/${journeyId}/steps/cancel`);
    expect(answer).toMatchObject({ status: 200, body: { phase: 'FAILED', currentState: 'rest', activeStates: [] } });
    expect((await gateway.get(`/journeys/${journeyId}/result`)).body).toMatchObject({
      phase: 'FAILED',
      error: { code: 'JOURNEY_CANCELLED' },
    });
    expect(named(await eventsOf(rigged.client, String(journeyId)))).toEqual([
      'timerStarted',
      'timerCanceled',
      'canceled',
    ]);
  });

  it('R2-10 R2-26 is cancelled with its run by Temporal’s own cancel', async () => {
    const { journeyId } = await start('sleeper', 'P1D');
    const handle = rigged.client.workflow.getHandle(String(journeyId));
    await handle.cancel();
    await expect(handle.result()).rejects.toThrow();
    expect((await rigged.runs.result(handle.workflowId)).outcome).toMatchObject({
      terminationKind: 'Cancel',
      terminatedAtState: 'rest',
    });
    expect(named(await eventsOf(rigged.client, handle.workflowId))).toEqual([
      'timerStarted',
      'timerCanceled',
      'canceled',
    ]);
  });

  it('R2-26 continues if the journey is not cancellable', async () => {
    const { journeyId, _links } = await start('stubborn', 'PT1S');
    expect(_links).not.toHaveProperty('cancel');
    const handle = rigged.client.workflow.getHandle(String(journeyId));
    await handle.cancel();
    expect(await handle.result()).toMatchObject({ phase: 'SUCCEEDED' });
    expect(named(await eventsOf(rigged.client, handle.workflowId))).toEqual([
      'timerStarted',
      'timerFired',
      'completed',
    ]);
  });

  it('R2-17 R2-22 R2-23 fires once, continues the run, and adds nothing to the context', async () => {
    const { journeyId } = await start('sleeper', 'PT0.2S');
    const handle = rigged.client.workflow.getHandle(String(journeyId));
    expect(await handle.result()).toMatchObject({ phase: 'SUCCEEDED', output: { duration: 'PT0.2S' } });
    expect(named(await eventsOf(rigged.client, handle.workflowId))).toEqual([
      'timerStarted',
      'timerFired',
      'completed',
    ]);
  });

  it('R2-07 R2-08 R2-24 of a cancelled or timed-out run never fires', async () => {
    const cancelled = await rigged.start(sleeper('cancelled'), { duration: 'PT4S' });
    await rigged.runs.cancel(cancelled.journeyId);
    const late = await rigged.start(sleeper('late', deadline(1)), { duration: 'PT4S' });
    const due = Date.parse(late.status.activeStates[0]!.dueAt!);
    await rigged.client.workflow
      .getHandle(late.journeyId)
      .result()
      .catch(() => undefined);
    const look = async () =>
      await Promise.all([cancelled, late].map(({ journeyId }) => eventsOf(rigged.client, journeyId)));
    const before = await look();
    await sleep(Math.max(due - Date.now(), 0) + 500);
    expect(await look()).toEqual(before);
    expect(before.map(named)).toEqual([
      ['timerStarted', 'timerCanceled', 'canceled'],
      ['timerStarted', 'timerStarted', 'timerFired', 'timerCanceled', 'failed'],
    ]);
    expect((await rigged.runs.result(late.journeyId)).outcome).toMatchObject({
      terminationKind: 'Timeout',
      terminatedAtState: 'rest',
      error: { code: 'SLOW', reason: 'Took too long' },
    });
  });

  it('R2-27 in a branch fires on time during a slow call', async () => {
    let answer: ServerResponse | undefined;
    const service = createServer((_, response) => {
      answer = response;
    }).listen(0, '127.0.0.1');
    await once(service, 'listening');
    const text = journey(
      'beside',
      `
  lifecycle: { startMode: async }
  start: both
  states:
    both:
      type: parallel
      parallel:
        branches:
          - name: slow
            start: get
            states:
              get:
                type: task
                task: { kind: "httpCall:v1", method: GET, url: "http://127.0.0.1:${(service.address() as AddressInfo).port}/", timeoutMs: 50000, resultVar: got }
                next: end
              end: { type: succeed }
          - name: clock
            start: nap
            states:
              nap: { type: timer, timer: { duration: PT1S }, next: end }
              end: { type: succeed }
        join: { strategy: allOf }
      next: done
    done: { type: succeed }
`,
    );
    const { journeyId } = await rigged.start(text);
    const active = async () =>
      (await rigged.runs.status(journeyId)).status.activeStates.map(({ state }) => state).sort();
    await expect.poll(active).toEqual(['get']);
    await expect.poll(() => answer !== undefined).toBe(true);
    answer!.end();
    expect(await rigged.client.workflow.getHandle(journeyId).result()).toMatchObject({ phase: 'SUCCEEDED' });
    expect(named(await eventsOf(rigged.client, journeyId))).toEqual([
      'activityScheduled',
      'timerStarted',
      'timerFired',
      'activityCompleted',
      'completed',
    ]);
    service.closeAllConnections();
    service.close();
  });

  it('R2-16 works in a scheduled run as in any other', async () => {
    const text = journey(
      'napping',
      `
  start: plan
  states:
    plan: { type: task, task: { kind: "schedule:v1", start: nap, interval: PT2S, maxRuns: 1 }, next: done }
    nap: { type: timer, timer: { duration: PT0.2S }, next: done }
    done: { type: succeed }
`,
    );
    const { journeyId } = await rigged.start(text);
    const scheduled = async () => {
      const found: string[][] = [];
      const query = "JourneyName = 'napping' AND ExecutionStatus = 'Completed'";
      for await (const { workflowId } of rigged.client.workflow.list({ query }))
        if (workflowId !== journeyId) found.push(timersOf(await eventsOf(rigged.client, workflowId)));
      return found;
    };
    await expect.poll(scheduled).toEqual([['timerStarted', 'timerFired']]);
  });

  it('R2-13 R2-14 keeps its due time across worker restarts', async () => {
    const view = await rigged.start(sleeper('deployed'), { duration: 'P1D' });
    await rigged.restartWorker();
    const { status } = await rigged.runs.status(view.journeyId);
    expect(status.activeStates).toEqual(view.status.activeStates);
    await rigged.runs.cancel(view.journeyId);
  });
});

describe('timers that become due while server and worker are stopped', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'timers-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** Runs `use` with server, worker and client on the same data. */
  async function upDuring(use: (runs: TemporalRuns, client: Client) => Promise<void>): Promise<void> {
    const config = loadConfig({
      cwd: folder,
      env: { JOURNEYMAN_SERVER_PORT: '0', JOURNEYMAN_SERVER_UI_PORT: '0', JOURNEYMAN_TEMPORAL_TASK_QUEUE: 'outage' },
    });
    const server = await startServer(config);
    const worker = await workerProcess({
      TEMPORAL_ADDRESS: server.address,
      JOURNEYMAN_TEMPORAL_TASK_QUEUE: 'outage',
    });
    const { client, close } = await connect(config, { address: server.address });
    try {
      await use(new TemporalRuns(client, config), client);
    } finally {
      await close();
      await worker.kill9();
      await server.stop();
    }
  }

  it('R2-08 R2-13 R2-14 R2-15 R2-22 fire once each after the restart, but not for ended runs', async () => {
    const service = await backend();
    const text = journey(
      'outage',
      `
  lifecycle: { startMode: async }
  start: rest
  states:
    rest: { type: timer, timer: { until: "\${context.until}" }, next: tell }
    tell: { type: task, task: { kind: "httpCall:v1", method: POST, url: "${service.url}/told", body: { a: 1 } }, next: done }
    done: { type: succeed }
`,
    );
    const limited = text.replace('  start: rest', `${deadline(6)}\n  start: rest`);
    const ids = { fired: '', cancelled: '', late: '' };
    let due = 0;

    await upDuring(async (runs) => {
      due = Date.now() + 8_000;
      const begin = async (document: string) => {
        const definition = journeyOf(document);
        const body = { until: new Date(due).toISOString() };
        const { journeyId } = await runs.start({ ...prepared(definition, body), mode: 'sync', caller: 'test' });
        return journeyId;
      };
      ids.fired = await begin(text);
      ids.cancelled = await begin(text);
      ids.late = await begin(limited);
      await runs.cancel(ids.cancelled);
    });
    await sleep(Math.max(due - Date.now(), 0) + 500);
    const restarted = Date.now();

    await upDuring(async (runs, client) => {
      expect(await client.workflow.getHandle(ids.fired).result()).toMatchObject({ phase: 'SUCCEEDED' });
      await client.workflow
        .getHandle(ids.late)
        .result()
        .catch(() => undefined);
      const fired = await eventsOf(client, ids.fired);
      expect(named(fired)).toEqual([
        'timerStarted',
        'timerFired',
        'activityScheduled',
        'activityCompleted',
        'completed',
      ]);
      expect(fired.find(({ kind }) => kind === 'timerFired')!.at).toBeGreaterThanOrEqual(restarted);
      expect((await runs.result(ids.late)).outcome).toMatchObject({
        terminationKind: 'Timeout',
        error: { code: 'SLOW' },
      });
      expect((await runs.result(ids.cancelled)).outcome).toMatchObject({ terminationKind: 'Cancel' });
      expect(named(await eventsOf(client, ids.cancelled))).toEqual(['timerStarted', 'timerCanceled', 'canceled']);
    });
    expect(service.seen.map(({ path }) => path)).toEqual(['/told']);
    await service.close();
  });
});
