import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { type Payload, type PayloadCodec, WorkflowNotFoundError } from '@temporalio/common';
import { bundleWorkflowCode, DefaultLogger, NativeConnection, Worker } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { JsonObject } from '../../src/base/json/value.js';
import type { Outcome } from '../../src/engine/outcome.js';
import { recordScenario } from '../../src/scenarios/record/record-scenario.js';
import { clientConverter } from '../../src/temporal/encryption/data-converter.js';
import { recordedRun } from '../../src/temporal/runs/history/read-run-from-history.js';
import { eventually } from '../support/eventually.js';
import { workflowWorker } from './support/foreign-workers.js';
import { type Rig, rig } from './support/rig.js';

const taskQueue = `test-shipping-${randomUUID()}`;
const mortalQueue = `${taskQueue}-mortal`;

const journey = (workflow: string, more = '', spec = '', queue = taskQueue) => `
apiVersion: v1
kind: Journey
metadata: { name: order, version: 1.0.0 }
spec:
  lifecycle: { startMode: async }
  start: ship
  states:
    ship:
      type: task
      task:
        kind: workflow:v1
        workflow: ${workflow}
        taskQueue: ${queue}
        args: { expr: 'context.args default []' }
        resultVar: r
        ${more}
      next: done
    done: { type: succeed, outputVar: r }
    ${spec}
`;

const bytes = (text: string) => Uint8Array.from(Buffer.from(text));

/** Replaces the text `!<encoding>!<data>` with a payload of that encoding, as workers with other converters send it. */
const anyEncoding: PayloadCodec = {
  encode: async (payloads) =>
    payloads.map((payload): Payload => {
      const [, encoding, data] = /^"!([^!]*)!(.*)"$/s.exec(Buffer.from(payload.data ?? []).toString()) ?? [];
      if (encoding === undefined) return payload;
      return { metadata: { encoding: bytes(encoding) }, data: bytes(JSON.parse(`"${data}"`)) };
    }),
  decode: async (payloads) => payloads,
};

describe('NEW-26 workflow:v1 on a server', () => {
  let rigged: Rig;
  let stop: () => Promise<void>;
  beforeAll(async () => {
    const types = ['ShipOrder', 'Return', 'Fail', 'Wait', 'Unload'];
    const allowed = { [taskQueue]: types, [mortalQueue]: types };
    rigged = await rig({
      env: { JOURNEYMAN_TASKS_WORKFLOWS: JSON.stringify(allowed), JOURNEYMAN_LIMITS_HISTORY_EVENTS: '300' },
    });
    const connection = await NativeConnection.connect({ address: inject('temporalAddress') });
    const { payloadCodecs = [] } = clientConverter(rigged.config);
    const workflowBundle = await bundleWorkflowCode({
      workflowsPath: fileURLToPath(new URL('workers/shipping-workflows.mjs', import.meta.url)),
      logger: new DefaultLogger('ERROR'),
    });
    const dataConverter = { payloadCodecs: [anyEncoding, ...payloadCodecs] };
    const worker = await Worker.create({ connection, taskQueue, workflowBundle, dataConverter });
    const running = worker.run();
    stop = async () => {
      worker.shutdown();
      await running;
      await connection.close();
    };
  });
  afterAll(async () => {
    await stop();
    await rigged.stop();
  });

  const handle = (id: string) => rigged.client.workflow.getHandle(id);
  const start = async (text: string, body: JsonObject = {}) => (await rigged.start(text, body)).journeyId;
  const outcomeOf = async (id: string) => (await handle(id).result()) as Outcome;
  const output = async (text: string, args: unknown = []) =>
    (await outcomeOf(await start(text, { args } as JsonObject))).output;
  const sent = (encoding: string, data: string) => [`!${encoding}!${data}`];
  const unreadable = { ok: false, error: { type: 'RESULT_UNREADABLE' } };
  const id = () => `ship-${randomUUID()}`;
  const withId = (text = '') => `id: { expr: context.id }\n        ${text}`;
  const isRunning = (child: string) =>
    eventually(
      async () =>
        await handle(child)
          .describe()
          .then(
            ({ status }) => status.name,
            (error) => (error instanceof WorkflowNotFoundError ? 'none' : Promise.reject(error)),
          ),
      (status) => status === 'RUNNING',
    );
  const ended = async (run: string) => await outcomeOf(run).catch(() => undefined);
  const trailOf = async (run: string) => await rigged.runs.trail(run, { pageSize: 100 });
  const callsOf = async (run: string) => {
    const { entries, complete, reason } = await trailOf(run);
    expect([complete, reason]).toEqual([true, undefined]);
    return entries.flatMap((it) => (it.kind === 'visit' ? (it.calls ?? []) : []));
  };

  it('passes a list as arguments and anything else as the only one; a missing result is null', async () => {
    expect(await output(journey('ShipOrder'), [1, { a: null }])).toEqual({
      ok: true,
      value: { shipped: [1, { a: null }] },
    });
    expect(await output(journey('ShipOrder'), { a: 1 })).toEqual({ ok: true, value: { shipped: [{ a: 1 }] } });
    expect(await output(journey('Return'))).toEqual({ ok: true, value: null });
  });

  it('sends options, priority and a summary', async () => {
    const child = id();
    const more = `${withId()}
        timeouts: { execution: PT1H, run: PT30M, task: PT10S }
        retry: { maximumAttempts: 3, initialInterval: PT1S, maximumInterval: PT1S }
        priority: { priorityKey: 2, fairnessKey: "\${context.id}" }
        summary: "parcel \${context.id}"
        parentClosePolicy: requestCancel`;
    const run = await start(journey('ShipOrder', more), { id: child });
    expect((await outcomeOf(run)).output).toEqual({ ok: true, value: { shipped: [] } });
    const described = await handle(child).describe();
    expect(described).toMatchObject({ type: 'ShipOrder', taskQueue, parentExecution: { workflowId: run } });
    expect(await described.staticSummary()).toBe(`ship · parcel ${child}`);
  });

  it('reads only JSON payloads of other SDKs', async () => {
    expect(await output(journey('Return'), sent('json/protobuf', '{"id":1}'))).toEqual({ ok: true, value: { id: 1 } });
    for (const [encoding, data] of [
      ['json/plain', '{broken'],
      ['binary/plain', 'abc'],
      ['binary/protobuf', 'abc'],
      ['json/plain', `${'['.repeat(5_000)}${']'.repeat(5_000)}`],
    ] as const)
      expect(await output(journey('Return'), sent(encoding, data))).toMatchObject(unreadable);
  });

  it('returns a failure with any details as data', async () => {
    const error = { type: 'NoTruck', message: 'full', nonRetryable: true };
    expect(await output(journey('Fail'), [['a', { b: 1 }]])).toEqual({
      ok: false,
      error: { ...error, details: ['a', { b: 1 }] },
    });
    for (const data of [sent('json/plain', '{broken'), sent('binary/plain', 'x')])
      expect(await output(journey('Fail'), [data])).toEqual({ ok: false, error });
  });

  it('reports a child that timed out or was terminated as uncertain, unless it is safe', async () => {
    const late = await outcomeOf(await start(journey('Wait', 'timeouts: { execution: PT1S }')));
    expect(late.output).toMatchObject({ ok: false, error: { type: 'TIMEOUT' }, uncertain: true });
    expect(late.uncertain).toMatchObject([{ state: 'ship', call: 'workflow Wait', reason: 'NO_ANSWER' }]);
    const terminated = async (more: string) => {
      const child = id();
      const run = await start(journey('Wait', withId(more)), { id: child });
      await isRunning(child);
      await handle(child).terminate('by hand');
      return await outcomeOf(run);
    };
    const unsafe = await terminated('');
    expect(unsafe.output).toMatchObject({ ok: false, error: { type: 'TERMINATED' }, uncertain: true });
    expect(unsafe.uncertain).toHaveLength(1);
    const safe = await terminated('safe: true');
    expect(safe.output).toEqual({ ok: false, error: { type: 'TERMINATED', message: 'It was terminated.' } });
    expect(safe.uncertain).toBeUndefined();
  });

  it('reports an id in use, by a running or completed child, as data', async () => {
    const child = id();
    const first = await start(journey('Wait', withId()), { id: child });
    await isRunning(child);
    const taken = { ok: false, error: { type: 'WORKFLOW_ALREADY_STARTED', message: expect.stringContaining(child) } };
    const second = await outcomeOf(await start(journey('ShipOrder', withId()), { id: child }));
    expect(second.output).toEqual(taken);
    expect(second.uncertain).toBeUndefined();
    await handle(child).signal('go');
    expect((await outcomeOf(first)).output).toEqual({ ok: true, value: 'gone' });
    expect((await outcomeOf(await start(journey('ShipOrder', withId()), { id: child }))).output).toEqual(taken);
  });

  it('reuses the id of a run that did not complete', async () => {
    const child = id();
    const text = (workflow: string) => journey(workflow, withId());
    expect((await outcomeOf(await start(text('Fail'), { id: child, args: [[]] }))).output).toMatchObject({ ok: false });
    expect((await outcomeOf(await start(text('ShipOrder'), { id: child }))).output).toMatchObject({ ok: true });
  });

  it.each(['throw', 'return'])(
    'propagates a cancellation and awaits the end before it compensates: %s',
    async (how) => {
      const child = id();
      const text = journey(
        'Unload',
        withId(),
        `
  compensation:
    mode: sync
    start: undo
    states:
      undo:
        type: task
        task: { kind: workflow:v1, workflow: ShipOrder, taskQueue: ${taskQueue}, args: { expr: '["back"]' }, resultVar: undone }
        next: end
      end: { type: succeed }`,
      );
      const run = await start(text, { id: child, args: [how] });
      await isRunning(child);
      await handle(run).cancel();
      await expect(outcomeOf(run)).rejects.toThrow();
      expect((await handle(child).describe()).status.name).toBe(how === 'return' ? 'COMPLETED' : 'CANCELLED');
      const { outcome } = await rigged.runs.result(run);
      expect(outcome).toMatchObject({
        error: { code: 'JOURNEY_CANCELLED' },
        compensation: { mode: 'sync', phase: 'SUCCEEDED' },
      });
      expect(outcome.uncertain).toBeUndefined();
      const events = (await handle(run).fetchHistory()).events ?? [];
      const isEnd = (it: (typeof events)[number]) =>
        it.childWorkflowExecutionCanceledEventAttributes ?? it.childWorkflowExecutionCompletedEventAttributes;
      const undo = events.findLastIndex((it) => it.startChildWorkflowExecutionInitiatedEventAttributes);
      expect(events.findIndex(isEnd)).toBeLessThan(undo);
      const answer = how === 'return' ? { ok: true, value: 'unloaded' } : { ok: false, error: { type: 'CANCELLED' } };
      expect(await callsOf(run)).toMatchObject([{ kind: 'workflow', response: answer }, { kind: 'workflow' }]);
    },
  );

  it('does not await an abandoned child, whose outcome is then uncertain', async () => {
    const child = id();
    const run = await start(journey('Wait', withId('cancellationType: abandon\n        parentClosePolicy: abandon')), {
      id: child,
    });
    await isRunning(child);
    await handle(run).cancel();
    await expect(outcomeOf(run)).rejects.toThrow();
    const { outcome } = await rigged.runs.result(run);
    expect(outcome.uncertain).toMatchObject([{ state: 'ship', call: 'workflow Wait', reason: 'NO_ANSWER' }]);
    expect(await callsOf(run)).toMatchObject([{ kind: 'workflow', outcome: 'abandoned' }]);
    await handle(child).signal('go');
    expect(await handle(child).result()).toBe('gone');
  });

  it('leaves a safe child to its parent close policy', async () => {
    const child = id();
    const run = await start(journey('Unload', withId('safe: true\n        parentClosePolicy: requestCancel')), {
      id: child,
    });
    await isRunning(child);
    await handle(run).cancel();
    await ended(run);
    const { outcome } = await rigged.runs.result(run);
    expect(outcome).toMatchObject({ error: { code: 'JOURNEY_CANCELLED' } });
    expect(outcome.uncertain).toBeUndefined();
    await expect(handle(child).result()).rejects.toThrow('cancelled');
  });

  it('awaits the start of a detached child, which outlives its run', async () => {
    const child = id();
    const run = await start(journey('Wait', withId('detach: true')), { id: child });
    const { output: started } = await outcomeOf(run);
    const { runId } = await handle(child).describe();
    expect(started).toEqual({ ok: true, value: { workflowId: child, runId } });
    expect(await callsOf(run)).toMatchObject([{ kind: 'workflow', response: started }]);
    await handle(child).signal('go');
    expect(await handle(child).result()).toBe('gone');
    const again = await outcomeOf(await start(journey('Wait', withId('detach: true')), { id: child }));
    expect(again.output).toMatchObject({ ok: false, error: { type: 'WORKFLOW_ALREADY_STARTED' } });
  });

  it('fails the run without starting a child if the worker’s configuration does not allow it', async () => {
    for (const text of [
      journey('Other'),
      journey('ShipOrder', '', '', 'elsewhere'),
      journey('hello', '', '', rigged.config.temporal.taskQueue),
    ]) {
      const run = await start(text);
      await expect(outcomeOf(run)).rejects.toMatchObject({ cause: { type: 'WORKFLOW_NOT_ALLOWED' } });
      const { events } = await handle(run).fetchHistory();
      expect(events?.filter((it) => it.startChildWorkflowExecutionInitiatedEventAttributes)).toEqual([]);
      expect((await trailOf(run)).entries).toContainEqual(
        expect.objectContaining({ kind: 'visit', state: 'ship', outcome: 'failed', code: 'WORKFLOW_NOT_ALLOWED' }),
      );
    }
  });

  it('is awaited by a run evicted from its worker’s cache', async () => {
    const child = id();
    const run = await start(journey('Wait', withId()), { id: child });
    await isRunning(child);
    await rigged.restartWorker();
    await handle(child).signal('go');
    expect((await outcomeOf(run)).output).toEqual({ ok: true, value: 'gone' });
  });

  it('prevents its run from continuing as new until it has ended', async () => {
    const child = id();
    const text = `
apiVersion: v1
kind: Journey
metadata: { name: order, version: 1.0.0 }
spec:
  lifecycle: { startMode: async }
  start: both
  states:
    both:
      type: parallel
      parallel:
        branches:
          - name: child
            start: ship
            states:
              ship:
                type: task
                task: { kind: workflow:v1, workflow: Wait, taskQueue: ${taskQueue}, id: { expr: context.id }, resultVar: shipped }
                next: end
              end: { type: succeed }
          - name: rounds
            start: round
            states:
              round: { type: timer, timer: { duration: PT0.01S }, next: count }
              count:
                type: transform
                transform: { mapper: { expr: 'context ++ { n: (context.n default 0) + 1 }' }, target: { kind: context } }
                next: enough
              enough:
                type: choice
                choices: [{ when: { predicate: { expr: context.n < 120 } }, next: round }]
                default: end
              end: { type: succeed }
        join: { strategy: allOf, errorPolicy: collectAll }
      next: done
    done: { type: succeed, output: { mapper: { expr: '{ shipped: context.shipped, n: context.n }' } } }
`;
    const run = await start(text, { id: child });
    await isRunning(child);
    const { runId: first } = await handle(run).describe();
    const length = async () => (await handle(run).describe()).historyLength;
    // Past the limit of 300 events, and still the same execution.
    await eventually(length, (events) => events > 320);
    expect((await handle(run).describe()).runId).toBe(first);
    await handle(child).signal('go');
    expect((await outcomeOf(run)).output).toEqual({ shipped: { ok: true, value: 'gone' }, n: 120 });
    expect((await handle(run).describe()).runId).not.toBe(first);
  });

  it('is not started twice after a reset of its run', async () => {
    const child = id();
    const run = await start(journey('ShipOrder', withId()), { id: child });
    await outcomeOf(run);
    const { workflowService, options } = rigged.client;
    const { namespace } = options;
    const events = (await handle(run).fetchHistory()).events ?? [];
    const first = events.find((it) => it.workflowTaskCompletedEventAttributes)!;
    await workflowService.resetWorkflowExecution({
      namespace,
      workflowExecution: { workflowId: run },
      workflowTaskFinishEventId: first.eventId!,
      requestId: randomUUID(),
      reason: 'test',
    });
    expect((await outcomeOf(run)).output).toMatchObject({ ok: false, error: { type: 'WORKFLOW_ALREADY_STARTED' } });
    expect((await trailOf(run)).complete).toBe(true);
  });

  // The worker has no codec, so it cannot read what an encrypting run sends.
  it.skipIf(process.env.PAYLOAD_CODEC)('survives kill -9 of its worker', async () => {
    const address = inject('temporalAddress');
    const child = id();
    const worker = await workflowWorker(address, mortalQueue);
    const run = await start(journey('Wait', withId(), '', mortalQueue), { id: child });
    const hasStarted = async () =>
      (await handle(child).fetchHistory()).events?.some((it) => it.workflowTaskCompletedEventAttributes) ?? false;
    await isRunning(child);
    await eventually(hasStarted, (it) => it);
    await worker.kill9();
    await handle(child).signal('go');
    const next = await workflowWorker(address, mortalQueue);
    expect((await outcomeOf(run)).output).toEqual({ ok: true, value: 'gone' });
    await next.kill9();
  });

  it('is recorded as a passing scenario, for every kind of result', async () => {
    for (const [text, args, said] of [
      [journey('Return'), [{ a: 1 }], 'a: 1'],
      [journey('Fail'), [['a']], 'type: NoTruck'],
      [journey('ShipOrder', 'detach: true'), [], 'operation: workflow.ShipOrder'],
      [journey('Wait', 'timeouts: { execution: PT1S }'), [], 'fail: timeout'],
    ] as const) {
      const run = await start(text, { args: args as never });
      await outcomeOf(run);
      const recorded = await recordedRun(rigged.client, run);
      const { text: scenario } = await recordScenario(recorded, recorded.input.definition, './it.journey.yaml', 'it');
      expect(scenario).toContain('operation: workflow.');
      expect(scenario).toContain(said);
    }
  });
});
