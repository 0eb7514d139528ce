import { randomUUID } from 'node:crypto';
import { ApplicationFailure, type Payload, type PayloadCodec } from '@temporalio/common';
import { NativeConnection, Worker } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { Json, JsonObject } from '../../src/base/json/value.js';
import type { Outcome } from '../../src/engine/outcome.js';
import { recordScenario } from '../../src/scenarios/record/record-scenario.js';
import { clientConverter } from '../../src/temporal/encryption/data-converter.js';
import { recordedRun } from '../../src/temporal/runs/history/read-run-from-history.js';
import { type Rig, rig } from './support/rig.js';

const taskQueue = `test-others-${randomUUID()}`;

const journey = (activity: string, more = '', queue = taskQueue) => `
apiVersion: v1
kind: Journey
metadata: { name: hostile, version: 1.0.0 }
spec:
  start: call
  states:
    call:
      type: task
      task:
        kind: activity:v1
        activity: ${activity}
        taskQueue: ${queue}
        args: { expr: context.args }
        timeouts: { startToClose: PT20S, scheduleToStart: PT5S }
        resultVar: r
        ${more}
      next: done
    done: { type: succeed, outputVar: r }
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

const activities = {
  echo: async (...args: unknown[]) => args,
  Return: async (value: unknown) => value,
  Fail: async (details: unknown[]) => {
    throw ApplicationFailure.create({ type: 'Mean', message: 'm'.repeat(10_000), details, nonRetryable: true });
  },
  nothing: async () => undefined,
};

describe('NEW-26 activity:v1 on a server', () => {
  let rigged: Rig;
  let stop: () => Promise<void>;
  beforeAll(async () => {
    const allowed = {
      [taskQueue]: Object.keys(activities),
      [`${taskQueue}-idle`]: ['echo'],
      [`${taskQueue}-raw`]: ['Raw'],
    };
    rigged = await rig({ env: { JOURNEYMAN_TASKS_ACTIVITIES: JSON.stringify(allowed) } });
    const connection = await NativeConnection.connect({ address: inject('temporalAddress') });
    const { payloadCodecs = [] } = clientConverter(rigged.config);
    const dataConverter = { payloadCodecs: [anyEncoding, ...payloadCodecs] };
    const worker = await Worker.create({ connection, taskQueue, activities, dataConverter });
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

  const outcome = async (text: string, args: unknown = []): Promise<Outcome> => {
    const { journeyId } = await rigged.start(text, { args } as JsonObject);
    return (await rigged.client.workflow.getHandle(journeyId).result()) as Outcome;
  };
  const output = async (text: string, args?: unknown) => (await outcome(text, args)).output;
  const sent = (encoding: string, data: string) => [`!${encoding}!${data}`];
  const unreadable = { ok: false, error: { type: 'RESULT_UNREADABLE' } };

  it('passes a list as arguments and anything else as the only one; a missing result is null', async () => {
    expect(await output(journey('echo'), [1, { a: null }])).toEqual({ ok: true, value: [1, { a: null }] });
    expect(await output(journey('echo'), { a: 1 })).toEqual({ ok: true, value: [{ a: 1 }] });
    expect(await output(journey('nothing'))).toEqual({ ok: true, value: null });
  });

  it('respects the server’s size limits for texts of any length', async () => {
    const more =
      'priority: { priorityKey: 9, fairnessKey: "${context.tenant}", fairnessWeight: 0.5 }\n        summary: "${context.long}"';
    const text = journey('echo', more);
    const start = async (tenant: string) => await rigged.start(text, { args: [], tenant, long: '😀'.repeat(200) });
    expect(await start('t'.repeat(64))).toMatchObject({ outcome: { output: { ok: true } } });
    expect(await start('')).toMatchObject({ outcome: { output: { ok: true } } });
    expect(await start('ü'.repeat(33))).toMatchObject({ phase: 'FAILED', outcome: { error: { code: 'TASK_FAILED' } } });
    const large = await rigged
      .start(text, { args: ['x'.repeat(2_000_000)], tenant: 't', long: '' })
      .catch((error) => error);
    expect(JSON.stringify(large)).toContain('PAYLOAD_TOO_LARGE');
  });

  it('reads only JSON payloads of other SDKs', async () => {
    expect(await output(journey('Return'), sent('json/protobuf', '{"id":1}'))).toEqual({ ok: true, value: { id: 1 } });
    const proto = await output(journey('Return'), sent('json/plain', '{"__proto__":{"a":1},"constructor":2}'));
    expect(JSON.stringify(proto)).toBe('{"ok":true,"value":{"__proto__":{"a":1},"constructor":2}}');
    expect(await output(journey('Return'), sent('json/plain', '{broken'))).toMatchObject(unreadable);
    expect(await output(journey('Return'), sent('binary/plain', 'abc'))).toMatchObject(unreadable);
    expect(await output(journey('Return'), sent('binary/protobuf', 'abc'))).toMatchObject(unreadable);
    expect(await output(journey('Return'), sent('json/plain', '[1e999]'))).toMatchObject(unreadable);
    const deep = `${'['.repeat(5_000)}${']'.repeat(5_000)}`;
    expect(await output(journey('Return'), sent('json/plain', deep))).toMatchObject(unreadable);
  });

  it('returns a failure with any details', async () => {
    const mean = { ok: false, error: { type: 'Mean', nonRetryable: true } };
    expect(await output(journey('Fail'), [['a', { b: 1 }]])).toMatchObject({ error: { details: ['a', { b: 1 }] } });
    for (const data of [sent('json/plain', '{broken'), sent('binary/plain', 'x'), sent('what/ever', 'x')]) {
      const answer = await output(journey('Fail'), [data]);
      expect(answer).toMatchObject(mean);
      expect(answer).not.toHaveProperty('error.details');
    }
  });

  it('returns a failure of any kind in the protocol', async () => {
    const { workflowService, options } = rigged.client;
    const task = { namespace: options.namespace, identity: 'raw' };
    const payload = { metadata: { encoding: bytes('what/ever') }, data: bytes('x') };
    // The outermost failure must be an application failure.
    for (const failure of [
      { cause: { nexusHandlerFailureInfo: { type: 'INTERNAL' } } },
      { cause: { nexusOperationExecutionFailureInfo: { operation: 'o' } } },
      { cause: { timeoutFailureInfo: { lastHeartbeatDetails: { payloads: [payload] } } } },
      { cause: { canceledFailureInfo: { details: { payloads: [payload] } }, cause: { encodedAttributes: payload } } },
      { encodedAttributes: payload },
      { applicationFailureInfo: { type: '', details: { payloads: [payload] } } },
    ]) {
      const text = journey('Raw', '', `${taskQueue}-raw`).replace('spec:', 'spec:\n  lifecycle: { startMode: async }');
      const { journeyId } = await rigged.start(text, { args: [] });
      const polled = { taskQueue: { name: `${taskQueue}-raw` } };
      const { taskToken } = await workflowService.pollActivityTaskQueue({ ...task, ...polled });
      await workflowService.respondActivityTaskFailed({
        ...task,
        taskToken,
        failure: { message: 'raw', applicationFailureInfo: { type: 'Raw' }, ...failure },
      });
      const ended = (await rigged.client.workflow.getHandle(journeyId).result()) as Outcome;
      expect(ended.output).toMatchObject({ ok: false, error: { type: expect.stringMatching(/^(Raw|FAILED)$/) } });
    }
  });

  it('reports a call without a worker as certainly not started', async () => {
    const idle = await outcome(journey('echo', '', `${taskQueue}-idle`).replace('PT5S', 'PT1S'));
    expect(idle.output).toEqual({ ok: false, error: { type: 'NOT_STARTED', message: expect.any(String) } });
    expect(idle.uncertain).toBeUndefined();
  });

  it('fails the run without scheduling an activity if the worker’s configuration does not allow it', async () => {
    for (const text of [
      journey('Other'),
      journey('echo', '', 'elsewhere'),
      journey('http', '', rigged.config.temporal.taskQueue),
    ]) {
      const view = await rigged.start(text, { args: [] });
      expect(view).toMatchObject({ phase: 'FAILED', outcome: { error: { code: 'ACTIVITY_NOT_ALLOWED' } } });
      const { events } = await rigged.client.workflow.getHandle(view.journeyId).fetchHistory();
      expect(events?.filter((it) => it.activityTaskScheduledEventAttributes)).toEqual([]);
      expect((await rigged.runs.trail(view.journeyId, { pageSize: 100 })).entries).toContainEqual(
        expect.objectContaining({ kind: 'visit', state: 'call', outcome: 'failed', code: 'ACTIVITY_NOT_ALLOWED' }),
      );
    }
  });

  it('is recorded as a passing scenario, for every kind of result', async () => {
    const idle = journey('echo', '', `${taskQueue}-idle`).replace('PT5S', 'PT1S');
    for (const [text, args, answer] of [
      [journey('Return'), [{ a: 1 }], 'a: 1'],
      [journey('Fail'), [['a']], 'type: Mean'],
      [idle, [], 'fail: network'],
    ] as [string, Json[], string][]) {
      const { journeyId } = await rigged.start(text, { args });
      await rigged.client.workflow.getHandle(journeyId).result();
      const run = await recordedRun(rigged.client, journeyId);
      const { text: scenario } = await recordScenario(run, run.input.definition, './it.journey.yaml', 'it');
      expect(scenario).toContain('operation: activity.');
      expect(scenario).toContain(answer);
    }
  });

  it('executes once in a run evicted from its worker’s cache', async () => {
    const { journeyId } = await rigged.start(
      journey('echo').replace('spec:', 'spec:\n  lifecycle: { startMode: async }'),
      {
        args: ['once'],
      },
    );
    await rigged.restartWorker();
    expect(await rigged.client.workflow.getHandle(journeyId).result()).toMatchObject({
      output: { ok: true, value: ['once'] },
    });
    const { events } = await rigged.client.workflow.getHandle(journeyId).fetchHistory();
    expect(events?.filter((it) => it.activityTaskScheduledEventAttributes)).toHaveLength(1);
  });
});
