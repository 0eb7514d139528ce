import type { temporal } from '@temporalio/proto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HttpGateway, httpGateway } from './support/gateway.js';
import { type Rig, rig } from './support/rig.js';

const document = (kind: string, name: string, spec: string) => `
apiVersion: v1
kind: ${kind}
metadata: { name: ${name}, version: 1.0.0 }
spec:
${spec}`;

/** Two levels of capture around `inner`. */
const captured = (inner: string, more = '') =>
  document(
    'Journey',
    'captured',
    `${more}
  start: outer
  states:
    outer:
      type: subjourney
      subjourney: { ref: middle, input: { mapper: { lang: jsonata, expr: "{ 'm': context.a }" } }, resultVar: r, resultKind: outcome, onFailure: { behavior: capture } }
      next: done
    done: { type: succeed }
  subjourneys:
    middle:
      start: call
      states:
        call: { type: subjourney, subjourney: { ref: inner, resultVar: got, onFailure: { behavior: capture } }, next: end }
        end: { type: succeed }
    inner:
${inner}`,
  );

const asking = `
      start: ask
      states:
        ask: { type: wait, wait: { channel: manual, input: { schema: true } }, next: keep }
        keep: { type: transform, transform: { mapper: { lang: jsonata, expr: payload.v }, target: { kind: var }, resultVar: v }, next: end }
        end: { type: succeed, outputVar: v }
`;
const sleeping = `
      start: rest
      states:
        rest: { type: timer, timer: { duration: P1D }, next: end }
        end: { type: succeed }
`;
const failing = `
      start: stop
      states:
        stop: { type: fail, errorCode: INNER, reason: Inside }
`;

const api = document(
  'Api',
  'adder',
  `
  start: call
  states:
    call:
      type: subjourney
      subjourney: { ref: add, input: { mapper: { lang: jsonata, expr: "{ 'n': context.n }" } }, resultVar: r }
      next: done
    done: { type: succeed, outputVar: r }
  subjourneys:
    add:
      start: set
      states:
        set: { type: transform, transform: { mapper: { lang: jsonata, expr: context.n + 1 }, target: { kind: var }, resultVar: sum }, next: end }
        end: { type: succeed }
`,
);

describe('subjourneys on a real server', () => {
  let rigged: Rig;
  let gateway: HttpGateway;
  beforeAll(async () => {
    rigged = await rig();
    gateway = await httpGateway(rigged, [captured(asking), api]);
  });
  afterAll(async () => {
    await gateway.stop();
    await rigged.stop();
  });

  it('R1-23 R1-11 R1-26 are part of one run: a step two levels down is submitted to it, across a restart', async () => {
    const started = await gateway.post('/journeys/captured/start', { a: 1 });
    expect(started.body).toMatchObject({
      phase: 'RUNNING',
      currentState: 'ask',
      activeStates: [{ state: 'ask', type: 'wait', within: 'outer#1.middle/call#1.inner' }],
    });
    const id = String(started.body.journeyId);
    await rigged.restartWorker();
    const ended = await gateway.post(`/journeys/${id}/steps/ask`, { v: 7 });
    expect(ended).toMatchObject({ status: 200, body: { phase: 'SUCCEEDED' } });
    const { body } = await gateway.get(`/journeys/${id}/result`);
    expect(body.output).toEqual({
      a: 1,
      r: { phase: 'SUCCEEDED', terminationKind: 'Success', output: { m: 1, got: 7 }, error: null },
    });
    const { events } = await rigged.client.workflow.getHandle(id).fetchHistory();
    expect(events?.filter((event) => event.startChildWorkflowExecutionInitiatedEventAttributes)).toEqual([]);
  });

  it('R1-06 show their boundaries in the Web UI: every state inside is shown with its calling state', async () => {
    const { journeyId } = await rigged.start(captured(failing), { a: 1 });
    type Metadata = temporal.api.sdk.v1.IWorkflowMetadata;
    const { currentDetails } = await rigged.client.workflow
      .getHandle(journeyId)
      .query<Metadata>('__temporal_workflow_metadata');
    const way = currentDetails!.split('**Path**')[1]!.match(/`\w+`(?: \([^)]*\))?/g);
    expect(way).toEqual([
      '`outer`',
      '`call` (outer#1.middle)',
      '`stop` (outer#1.middle/call#1.inner)',
      '`end` (outer#1.middle)',
      '`done`',
    ]);
  });

  it('R1-24 capture does not swallow the deadline', async () => {
    const limit = '  execution: { maxDurationSec: 1, onTimeout: { errorCode: SLOW, reason: Took too long } }';
    const { journeyId } = await rigged.start(captured(sleeping, limit));
    await expect(rigged.client.workflow.getHandle(journeyId).result()).rejects.toThrow();
    expect((await rigged.runs.result(journeyId)).outcome).toMatchObject({
      terminationKind: 'Timeout',
      terminatedAtState: 'outer',
      error: { code: 'SLOW' },
    });
  });

  it.each([
    ['over HTTP', async (id: string) => void (await gateway.post(`/journeys/${id}/steps/cancel`))],
    ['by Temporal', async (id: string) => void (await rigged.client.workflow.getHandle(id).cancel())],
  ])('R1-25 capture does not swallow a cancel %s', async (_, cancel) => {
    const { journeyId } = await rigged.start(captured(sleeping));
    await cancel(journeyId);
    await expect(rigged.client.workflow.getHandle(journeyId).result()).rejects.toThrow();
    expect((await rigged.runs.result(journeyId)).outcome).toMatchObject({
      terminationKind: 'Cancel',
      terminatedAtState: 'outer',
    });
    expect((await rigged.client.workflow.getHandle(journeyId).describe()).status.name).toBe('CANCELLED');
  });

  it('R1-20 a propagated failure closes the run with the subjourney’s error at the calling state', async () => {
    const text = captured(failing).replaceAll('capture }', 'propagate }');
    const { journeyId, outcome } = await rigged.start(text);
    expect(outcome).toMatchObject({
      phase: 'FAILED',
      terminationKind: 'Fail',
      terminatedAtState: 'outer',
      error: { code: 'INNER', reason: 'Inside' },
    });
    expect((await rigged.client.workflow.getHandle(journeyId).describe()).status.name).toBe('FAILED');
  });

  it('R1-27 an Api returns the output of its subjourney', async () => {
    expect(await gateway.post('/apis/adder', { n: 1 })).toMatchObject({ status: 200, body: { n: 1, sum: 2 } });
  });
});
