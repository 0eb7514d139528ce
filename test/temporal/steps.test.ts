import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Rig, rig } from './support/rig.js';

const approval = (timeout = '') => `
apiVersion: v1
kind: Journey
metadata: { name: approval, version: 1.0.0 }
spec:
  start: ask
  states:
    ask:
      type: wait
      wait:
        channel: manual
        input:
          schema:
            type: object
            required: [decision]
            properties: { decision: { enum: [yes_please, no_thanks] } }
        response: { outputVar: receipt }
        ${timeout}
      next: note
    note:
      type: transform
      transform:
        mapper: { lang: jsonata, expr: "{ 'decision': context.payload.decision, 'by': context.by }" }
        target: { kind: context, path: receipt }
      next: again
    again:
      type: wait
      wait: { channel: manual, input: { schema: true } }
      next: done
    expired: { type: fail, errorCode: TOO_LATE, reason: Nobody answered }
    done: { type: succeed, outputVar: receipt }
`;

describe('steps', () => {
  let it_: Rig;
  beforeAll(async () => {
    it_ = await rig();
  });
  afterAll(() => it_.stop());

  it('waits, accepts one submission, projects its response and continues', async () => {
    const started = await it_.start(approval(), { by: 'Ada' });
    expect(started).toMatchObject({ phase: 'RUNNING', steps: ['ask'], status: { currentState: 'ask' } });
    const after = await it_.runs.submit({
      id: started.journeyId,
      stepId: 'ask',
      payload: { decision: 'yes_please' },
      caller: 'test',
      headers: {},
    });
    expect(after).toMatchObject({
      phase: 'RUNNING',
      steps: ['again'],
      projection: { decision: 'yes_please', by: 'Ada' },
    });
    const end = await it_.runs.submit({
      id: started.journeyId,
      stepId: 'again',
      payload: null,
      caller: 'test',
      headers: {},
    });
    expect(end).toMatchObject({ phase: 'SUCCEEDED', outcome: { output: { decision: 'yes_please', by: 'Ada' } } });
  });

  it('JL-A18 rejects unknown, inactive and invalid submissions in this order, without effect', async () => {
    const { journeyId } = await it_.start(approval());
    const submit = (stepId: string, payload: string) =>
      it_.runs
        .submit({ id: journeyId, stepId, payload: { decision: payload }, caller: 'test', headers: {} })
        .catch((error) => error.problem);
    expect(await submit('nothing', 'x')).toMatchObject({ code: 'STEP_UNKNOWN', status: 404 });
    expect(await submit('again', 'x')).toMatchObject({ code: 'STEP_NOT_ACTIVE', status: 409 });
    expect(await submit('ask', 'maybe')).toMatchObject({
      code: 'STEP_INVALID',
      status: 400,
      errors: [{ pointer: '/decision' }],
    });
    expect(await submit('ask', 'no_thanks')).toMatchObject({ phase: 'RUNNING', steps: ['again'] });
    expect(await submit('ask', 'no_thanks')).toMatchObject({ code: 'STEP_NOT_ACTIVE' });
  });

  it('JL-A19 returns the same response to the same Idempotency-Key, and rejects it with another body', async () => {
    const { journeyId } = await it_.start(approval());
    const submit = (decision: string, caller = 'ada') =>
      it_.runs
        .submit({ id: journeyId, stepId: 'ask', payload: { decision }, caller, headers: {}, idempotencyKey: 'k1' })
        .catch((error) => error.problem);
    const first = await submit('yes_please');
    expect(first).toMatchObject({ steps: ['again'] });
    expect(await submit('yes_please')).toEqual(first);
    expect(await submit('no_thanks')).toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED', status: 422 });
    // Keys are scoped to their caller: others cannot get the response by guessing one.
    expect(await submit('yes_please', 'bob')).toMatchObject({ code: 'STEP_NOT_ACTIVE', status: 409 });
  });

  it('accepts a plain signal named after the step, and keeps an early one', async () => {
    const { journeyId } = await it_.start(approval());
    const handle = it_.client.workflow.getHandle(journeyId);
    await handle.signal('again', { early: true });
    await handle.signal('ask', { decision: 'not allowed' });
    await handle.signal('ask', { decision: 'no_thanks' });
    const outcome = await handle.result();
    expect(outcome).toMatchObject({ phase: 'SUCCEEDED', output: { decision: 'no_thanks' } });
  });

  it('continues at onTimeout without a submission in time', async () => {
    const { journeyId } = await it_.start(approval('timeoutSec: 1\n        onTimeout: expired'));
    await expect(it_.client.workflow.getHandle(journeyId).result()).rejects.toThrow();
    expect((await it_.runs.result(journeyId)).outcome).toMatchObject({ error: { code: 'TOO_LATE' } });
  });

  it('ends as cancelled on the cancel step, once, with the outcome in the memo', async () => {
    const { journeyId } = await it_.start(approval());
    expect(await it_.runs.cancel(journeyId)).toMatchObject({ phase: 'FAILED', outcome: { terminationKind: 'Cancel' } });
    expect(await it_.runs.cancel(journeyId)).toMatchObject({ phase: 'FAILED' });
    const { outcome } = await it_.runs.result(journeyId);
    expect(outcome).toMatchObject({
      error: { code: 'JOURNEY_CANCELLED', reason: 'Cancelled by user' },
      terminatedAtState: 'ask',
    });
    const description = await it_.client.workflow.getHandle(journeyId).describe();
    expect(description.status.name).toBe('CANCELLED');
  });

  it('ignores a cancel request where the journey is not cancellable', async () => {
    const text = approval().replace('  start: ask', '  lifecycle: { cancellable: false }\n  start: ask');
    const { journeyId } = await it_.start(text);
    await it_.client.workflow.getHandle(journeyId).cancel();
    expect(
      await it_.runs.submit({
        id: journeyId,
        stepId: 'ask',
        payload: { decision: 'yes_please' },
        caller: 'test',
        headers: {},
      }),
    ).toMatchObject({
      phase: 'RUNNING',
      cancellable: false,
    });
  });

  it('starts once for the same Idempotency-Key and rejects another body', async () => {
    const start = (by: string) =>
      it_.start(approval(), { by }, { idempotencyKey: 'order-7' }).catch((error) => error.problem);
    const first = await start('Ada');
    expect((await start('Ada')).journeyId).toBe(first.journeyId);
    expect(await start('Bob')).toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' });
    await it_.runs.cancel(first.journeyId);
    expect(await start('Ada')).toMatchObject({ journeyId: first.journeyId, phase: 'FAILED' });
  });

  it('answers twelve concurrent submissions, each with its own result', async () => {
    const { journeyId } = await it_.start(approval());
    const answers = await Promise.all(
      Array.from({ length: 12 }, () =>
        it_.runs
          .submit({ id: journeyId, stepId: 'ask', payload: { decision: 'yes_please' }, caller: 'test', headers: {} })
          .catch((error) => error.problem.code),
      ),
    );
    expect(answers.filter((answer) => typeof answer !== 'string')).toHaveLength(1);
    expect(answers.filter((answer) => answer === 'STEP_NOT_ACTIVE')).toHaveLength(11);
  });

  it('shows name, version and the active state as search attributes', async () => {
    const { journeyId } = await it_.start(approval(), { by: 'Ada' });
    const found = async () =>
      (await it_.runs.list({ journeyName: 'approval', phase: 'RUNNING', tags: [], attributes: {}, pageSize: 100 }))
        .items;
    await expect
      .poll(async () => (await found()).find((run) => run.journeyId === journeyId))
      .toMatchObject({
        journeyVersion: '1.0.0',
        status: { currentState: 'ask' },
      });
  });
});
