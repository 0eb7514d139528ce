import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import proto from '@temporalio/proto';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { asActivities } from '../../activities/effects-as-activities.js';
import { createHttpClient } from '../../activities/http-call/http-client.js';
import { httpEffect } from '../../activities/http-call/http-effect.js';
import type { Json } from '../../src/base/json/value.js';
import { runChecks } from '../../src/cli/doctor/doctor.js';
import { loadConfig } from '../../src/config/load-config.js';
import { httpRequestOf } from '../../src/language/tasks/http-call/request-and-result-types.js';
import { namespaceSecret } from '../../src/temporal/namespace-secret.js';
import { msToTs } from '../../src/temporal/sdk-internals.js';
import { type Rig, rig, startBroken } from './support/rig.js';
import { workerProcess } from './support/worker-process.js';

type History = proto.temporal.api.workflowservice.v1.GetWorkflowExecutionHistoryResponse;
const { WorkflowTaskFailedCause: Cause } = proto.temporal.api.enums.v1;
const overtaken = new Set<unknown>([
  Cause.WORKFLOW_TASK_FAILED_CAUSE_UNHANDLED_COMMAND,
  Cause.WORKFLOW_TASK_FAILED_CAUSE_FORCE_CLOSE_COMMAND,
]);
const patience = { timeout: 60_000, interval: 200 };

const document = (states: string, more = '') => `
apiVersion: v1
kind: Journey
metadata: { name: large, version: 1.0.0 }
spec:
  ${more}
  start: a
  states:
${states}
    done: { type: succeed }
    named: { type: succeed, outputVar: r1 }
`;

/** Values larger than the server accepts: each fails its run with a clear error, without a failed workflow task. */
describe('FLT-4 size limits', () => {
  let rigged: Rig;
  let service: Server;
  let url: string;
  let asked = 0;
  const keys = new Set<string>();
  beforeAll(async () => {
    service = createServer((request, response) => {
      asked += 1;
      keys.add(String(request.headers['idempotency-key']));
      request.resume();
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ text: 'x'.repeat(900_000) }));
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => service.once('listening', resolve));
    url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
    const http = createHttpClient({
      http: loadConfig({ env: {} }).http,
      log: { warn: () => undefined, debug: () => undefined },
      loopbackAllowed: true,
    });
    rigged = await rig({ activities: asActivities({ http: httpEffect(http) }) });
  });
  afterAll(async () => {
    await rigged.stop();
    service.close();
  });

  const get = (id: string, name: string, next: string) =>
    `    ${id}: { type: task, task: { kind: "httpCall:v1", method: GET, url: "${url}", resultVar: ${name} }, next: ${next} }\n`;

  async function eventTypes(id: string): Promise<string[]> {
    const { workflowService, options } = rigged.client;
    const types: string[] = [];
    let token: Uint8Array | null = null;
    do {
      const page: History = await workflowService.getWorkflowExecutionHistory({
        namespace: options.namespace,
        execution: { workflowId: id },
        nextPageToken: token,
      });
      for (const event of page.history?.events ?? []) {
        // A task that the server discarded because of a new event has not failed.
        if (overtaken.has(event.workflowTaskFailedEventAttributes?.cause)) continue;
        types.push(...Object.keys(event).filter((key) => key.endsWith('Attributes')));
      }
      token = page.nextPageToken;
    } while (token.length > 0);
    return types;
  }

  async function expectTooLarge(id: string, reason: RegExp): Promise<void> {
    const handle = rigged.client.workflow.getHandle(id);
    await handle.result().catch(() => undefined);
    const { outcome } = await rigged.runs.result(id);
    expect(outcome.error?.code).toBe('PAYLOAD_TOO_LARGE');
    expect(outcome).toMatchObject({ phase: 'FAILED', output: null });
    expect(outcome.error?.reason).toMatch(reason);
    expect(await eventTypes(id)).not.toContain('workflowTaskFailedEventAttributes');
  }

  it('limit an outcome', async () => {
    asked = 0;
    const { journeyId } = await rigged.start(
      document(get('a', 'r1', 'b') + get('b', 'r2', 'c') + get('c', 'r3', 'done')),
    );
    await expectTooLarge(journeyId, /^The outcome has 27\d{5} bytes as JSON; the limit is 1900000\.$/);
    expect(asked).toBe(3);
  });

  it('split many local results over several workflow tasks; the caller can read a large outcome', async () => {
    const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
    const states = ids.map((id, i) => get(id, 'r1', ids[i + 1] ?? 'named')).join('');
    const view = await rigged.start(document(states));
    expect(view).toMatchObject({ phase: 'SUCCEEDED', outcome: { output: { status: 200 } } });
    const types = await eventTypes(view.journeyId);
    expect(types).not.toContain('workflowTaskFailedEventAttributes');
    expect(types).toContain('activityTaskCompletedEventAttributes');
    expect(types).toContain('markerRecordedEventAttributes');
  });

  it('make a run with a long history continue as new, after an early response to its caller', async () => {
    const states =
      get('a', 'r1', 'count') +
      `    count: { type: transform, transform: { mapper: { lang: dataweave, expr: "(context.n default 0) + 1" }, target: { kind: var }, resultVar: n }, next: more }
    more: { type: choice, choices: [{ when: { predicate: { lang: dataweave, expr: "context.n < 57" } }, next: a }], default: small }
    small: { type: succeed, outputVar: n }\n`;
    const { journeyId, phase } = await rigged.start(document(states));
    expect(phase).toBe('RUNNING');
    expect(await rigged.client.workflow.getHandle(journeyId).result()).toMatchObject({
      phase: 'SUCCEEDED',
      output: 57,
    });
  });

  it('R15-MAP bound the items in progress by the history that their large responses need', async () => {
    keys.clear();
    const states = `    a:
      type: map
      map:
        items: { mapper: { lang: dataweave, expr: 1 to 57 } }
        maxConcurrency: 57
        start: call
        states:
          call: { type: task, task: { kind: "httpCall:v1", method: POST, url: "${url}", body: {}, resultVar: r1 }, next: keep }
          keep: { type: transform, transform: { mapper: { lang: dataweave, expr: context.r1.status }, target: { kind: var }, resultVar: r1 }, next: ok }
          ok: { type: succeed }
        mapper: { lang: dataweave, expr: sizeOf(results) }
        resultVar: r1
      next: named\n`;
    const { journeyId } = await rigged.start(document(states, 'lifecycle: { startMode: async }'));
    expect(await rigged.client.workflow.getHandle(journeyId).result()).toMatchObject({
      phase: 'SUCCEEDED',
      output: 57,
    });
    // If a busy machine delays a worker's heartbeat, the call may be repeated under the same key.
    expect(keys.size).toBe(57);
  });

  it('report to the caller of a start that its run was ended by someone else', async () => {
    const held: (() => void)[] = [];
    const slow = createServer((_, response) => void held.push(() => response.end('{}'))).listen(0, '127.0.0.1');
    await new Promise((resolve) => slow.once('listening', resolve));
    const at = `http://127.0.0.1:${(slow.address() as AddressInfo).port}`;
    const name = `ended-${randomUUID()}`;
    const text = document(
      `    a: { type: task, task: { kind: "httpCall:v1", method: POST, url: "${at}", resultVar: r1 }, next: done }\n`,
    ).replace('name: large', `name: ${name}`);
    const started = rigged.start(text);
    await expect.poll(() => held.length, patience).toBe(1);
    const found = async () => {
      for await (const { workflowId } of rigged.client.workflow.list({ query: `WorkflowType = '${name}'` }))
        return workflowId;
      return undefined;
    };
    await expect.poll(found, patience).toBeDefined();
    await rigged.client.workflow.getHandle((await found())!).terminate();
    expect(await started).toMatchObject({ phase: 'FAILED', outcome: { error: { code: 'RUN_TERMINATED' } } });
    for (const answer of held) answer();
    slow.close();
  });

  it('limit a request', async () => {
    const text = '${context.r1.body.text}';
    const post = `    b: { type: task, task: { kind: "httpCall:v1", method: POST, url: "${url}/?x=${text}${text}${text}", body: {} }, next: done }\n`;
    asked = 0;
    const { journeyId } = await rigged.start(document(get('a', 'r1', 'b') + post));
    await expectTooLarge(journeyId, /^The request has 27\d{5} bytes as JSON; the limit is 1900000\.$/);
    expect(asked).toBe(1);
  });

  it('limit requests of branches that are too large only together', async () => {
    const branch = (n: number) =>
      `{ name: b${n}, start: p, states: { p: { type: task, task: { kind: "httpCall:v1", method: POST, url: "${url}/?x=\${context.r1.body.text}", body: {} }, next: e }, e: { type: succeed, outputVar: none } } }`;
    const all = `    b: { type: parallel, parallel: { branches: [${[1, 2, 3, 4, 5, 6, 7].map(branch)}], join: { strategy: anyOf } }, next: named }\n`;
    const { journeyId, phase } = await rigged.start(document(get('a', 'r1', 'b') + all));
    expect(phase).toBe('SUCCEEDED');
    expect(await eventTypes(journeyId)).not.toContain('workflowTaskFailedEventAttributes');
  });

  it('limit the input of continue-as-new', async () => {
    const small = await rig({
      env: { JOURNEYMAN_LIMITS_HISTORY_EVENTS: '20' },
      activities: asActivities({
        http: async () => ({ ok: true, status: 200, headers: {}, body: 'x'.repeat(700_000) }),
      }),
    });
    const nap = '    d: { type: timer, timer: { duration: PT0.01S }, next: d }\n';
    const states = get('a', 'r1', 'b') + get('b', 'r2', 'c') + get('c', 'r3', 'd') + nap;
    const { journeyId } = await small.start(document(states, 'lifecycle: { startMode: async }'));
    await expectTooLarge(journeyId, /^The position of the run has 21\d{5} bytes/);
    await small.stop();
  });

  it('R15-MAP leave the results of completed map items to the compensation', async () => {
    const undone: unknown[] = [];
    const http = async (input: Json) => {
      const { method, body } = httpRequestOf(input);
      if (method === 'PUT') undone.push(body);
      return { ok: true, status: 200, headers: {}, body: 'x'.repeat(700_000) };
    };
    const env = { JOURNEYMAN_LIMITS_HISTORY_EVENTS: '20' };
    const small = await rig({ env, activities: asActivities({ http: http as never }) });
    const states = `
    a:
      type: map
      map:
        items: { mapper: { lang: dataweave, expr: "1 to 5" } }
        start: which
        states:
          which: { type: choice, choices: [{ when: { predicate: { lang: dataweave, expr: "item <= 2" } }, next: book }], default: ask }
          book: { type: transform, transform: { mapper: { lang: dataweave, expr: "'room $(item)'" }, target: { kind: var }, resultVar: room }, next: booked }
          booked: { type: succeed, outputVar: room }
          ask: { type: task, task: { kind: "httpCall:v1", method: POST, url: "${url}", body: {}, resultVar: r }, next: nap }
          nap: { type: timer, timer: { duration: PT0.1S }, next: nap }
        resultVar: rooms
      next: done
`;
    const undo =
      'undo: { type: task, task: { kind: "httpCall:v1", method: PUT, url: "http://rooms.test/", body: { mapper: { lang: dataweave, expr: "context.rooms map (if ($ is Object) $.r.status else $)" } } }, next: end }';
    const compensation = `compensation: { mode: sync, start: undo, states: { ${undo}, end: { type: succeed } } }`;
    const { journeyId } = await small.start(document(states, `lifecycle: { startMode: async }\n  ${compensation}`));
    await expectTooLarge(journeyId, /^The position of the run has 21\d{5} bytes/);
    // Of the three items that were interrupted after their call, the context of one fits into the results: any of them.
    expect(undone).toHaveLength(1);
    const [first, second, ...cutShort] = JSON.parse(undone[0] as string);
    expect([first, second]).toEqual(['room 1', 'room 2']);
    expect(cutShort.sort()).toEqual([200, null, null]);
    await small.stop();
  });

  it('drop the oldest early signals', async () => {
    const states = `
    a: { type: timer, timer: { duration: PT1S }, next: ask }
    ask: { type: wait, wait: { channel: manual, input: { schema: { type: object } } }, next: done }
`;
    const { journeyId } = await rigged.start(document(states, 'lifecycle: { startMode: async }'));
    const handle = rigged.client.workflow.getHandle(journeyId);
    for (const n of [1, 2, 3]) await handle.signal('ask', { n, text: 'x'.repeat(100_000) });
    await handle.result();
    expect(await rigged.runs.result(journeyId)).toMatchObject({ phase: 'SUCCEEDED' });
    expect(await eventTypes(journeyId)).not.toContain('workflowTaskFailedEventAttributes');
  });

  it('limit a body that grows in transit', async () => {
    const d = Array.from({ length: 200_000 }, () => 1e20);
    await expect(rigged.start(document(get('a', 'r1', 'done')), { d })).rejects.toMatchObject({
      problem: { code: 'PAYLOAD_TOO_LARGE', status: 413 },
    });
  });
});

it('FLT-4 a failed workflow task is in the worker’s log, and doctor names its run', async () => {
  const rigged = await rig({ worker: false });
  const lines: string[] = [];
  const { taskQueue } = rigged.config.temporal;
  const environment = { TEMPORAL_ADDRESS: inject('temporalAddress'), JOURNEYMAN_TEMPORAL_TASK_QUEUE: taskQueue };
  const worker = await workerProcess(environment, (line) => lines.push(line));
  const handle = await startBroken(rigged);
  const { runId } = await handle.describe();
  await vi.waitUntil(
    () => lines.some((line) => line.includes('A workflow task failed') && line.includes(runId)),
    patience,
  );
  expect(JSON.parse(lines.find((line) => line.includes(runId))!)).toMatchObject({
    level: 50,
    runId,
    cause: expect.stringMatching(/\w/),
    reason: expect.stringMatching(/undefined/),
  });
  const runs = async () =>
    (await runChecks({ load: () => rigged.config, env: {} })).find(({ id }) => id === 'runs')?.detail ?? '';
  await vi.waitUntil(async () => (await runs()).includes(handle.workflowId), patience);
  expect(await runs()).toMatch(/\d+ attempts/);
  await handle.terminate();
  expect(await worker.stop()).toBe(0);
  await rigged.stop();
});

it('FLT-4 doctor reports a task queue without a worker as an error', async () => {
  const rigged = await rig({ worker: false });
  await namespaceSecret(rigged.client);
  const { taskQueue } = rigged.config.temporal;
  const workers = async () =>
    (await runChecks({ load: () => rigged.config, env: {} })).filter(({ id }) => id === 'workers');
  expect(await workers()).toMatchObject([
    { status: 'bad', detail: expect.stringContaining(taskQueue), hint: expect.stringContaining('journeyman worker') },
  ]);
  // It runs journeys, but is not one of our workers, which also run jobs.
  await rigged.restartWorker({ worker: true });
  await expect
    .poll(workers, patience)
    .toMatchObject([{ status: 'warn', detail: 'none is polling for the jobs of main' }]);
  const worker = await workerProcess({
    TEMPORAL_ADDRESS: inject('temporalAddress'),
    JOURNEYMAN_TEMPORAL_TASK_QUEUE: taskQueue,
  });
  await expect.poll(workers, patience).toMatchObject([{ status: 'ok' }]);
  expect(await worker.stop()).toBe(0);
  await rigged.stop();
});

it('doctor explains what a new namespace lacks', async () => {
  const rigged = await rig({ worker: false });
  const namespace = `fresh-${randomUUID()}`;
  const workflowExecutionRetentionPeriod = msToTs(90 * 86_400_000);
  await rigged.client.workflowService.registerNamespace({ namespace, workflowExecutionRetentionPeriod });
  const config = { ...rigged.config, temporal: { ...rigged.config.temporal, namespace } };
  const ofNamespace = async () =>
    (await runChecks({ load: () => config, env: {} })).filter(({ id }) =>
      ['search-attributes', 'workers', 'runs'].includes(id),
    );
  // A new namespace takes a moment to become available.
  await vi.waitUntil(async () => (await ofNamespace()).length === 3, patience);
  expect(await ofNamespace()).toMatchObject([
    {
      status: 'warn',
      detail: expect.stringContaining('missing: JourneyName'),
      hint: expect.stringContaining(namespace),
    },
    // Nothing essential is missing: the first worker has not started yet.
    { status: 'warn', detail: expect.stringContaining('none is polling the task queue') },
    { status: 'warn', detail: expect.stringContaining('not checked') },
  ]);
  await rigged.stop();
});
