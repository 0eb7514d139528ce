import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { valuesOf } from './support/encryption.js';
import { type Rig, rig, startBroken } from './support/rig.js';

const greeting = `
apiVersion: v1
kind: Journey
metadata: { name: greeting, version: 1.0.0 }
spec:
  start: decide
  states:
    decide:
      type: choice
      choices:
        - when: { predicate: { lang: jsonata, expr: "context.name != ''" } }
          next: greet
      default: nobody
    greet:
      type: transform
      transform:
        mapper: { lang: jsonata, expr: "{ 'text': 'Hello ' & context.name, 'status': 'GREETED' }" }
        target: { kind: var }
        resultVar: greeting
      next: done
    done: { type: succeed, outputVar: greeting }
    nobody: { type: fail, errorCode: NOBODY, reason: There is nobody to greet }
`;

describe('a journey on a real server', () => {
  let it_: Rig;
  beforeAll(async () => {
    it_ = await rig();
  });
  afterAll(() => it_.stop());

  it('completes and returns the outcome in one round trip', async () => {
    const view = await it_.start(greeting, { name: 'Ada' });
    expect(view).toMatchObject({ phase: 'SUCCEEDED', journeyName: 'greeting' });
    expect(view.outcome).toMatchObject({
      output: { text: 'Hello Ada', status: 'GREETED' },
      status: 'GREETED',
      terminatedAtState: 'done',
    });
    expect((await it_.runs.result(view.journeyId)).outcome).toEqual(view.outcome);
  });

  it('closes as failed, with the error code as failure type', async () => {
    const view = await it_.start(greeting, { name: '' });
    expect(view.outcome).toMatchObject({
      phase: 'FAILED',
      error: { code: 'NOBODY', reason: 'There is nobody to greet' },
    });
    const description = await it_.client.workflow.getHandle(view.journeyId).describe();
    expect(description.status.name).toBe('FAILED');
    expect((await it_.runs.result(view.journeyId)).outcome).toEqual(view.outcome);
  });

  it('is described from Temporal’s data while the run cannot be queried', async () => {
    const handle = await startBroken(it_, { tags: ['odd'], start: 'decide' });
    const failures = async () => {
      const { events = [] } = await handle.fetchHistory();
      return events!.filter((event) => event.workflowTaskFailedEventAttributes).length;
    };
    await expect.poll(failures).toBeGreaterThan(0);
    expect(await it_.runs.status(handle.workflowId)).toMatchObject({
      phase: 'RUNNING',
      status: { currentState: 'decide', tags: ['odd'] },
    });
    await handle.terminate();
  });
});

describe('the type of a run', () => {
  let rigged: Rig;
  beforeAll(async () => {
    rigged = await rig();
  });
  afterAll(() => rigged.stop());
  const named = (name: string) => `
apiVersion: v1
kind: Journey
metadata: { name: ${name}, version: 1.0.0 }
spec: { start: done, states: { done: { type: succeed } } }
`;

  it.each(['checkout', 'maintenance', 'default', 'journey', 'run-now'])(
    'is its journey’s name, also %s, and its first argument is the caller’s input',
    async (name) => {
      const { journeyId, outcome } = await rigged.start(named(name), { n: 1 });
      expect(outcome).toMatchObject({ phase: 'SUCCEEDED', output: { n: 1 } });
      const handle = rigged.client.workflow.getHandle(journeyId);
      expect((await handle.describe()).type).toBe(name);
      const { events } = await handle.fetchHistory();
      const { input } = events![0]!.workflowExecutionStartedEventAttributes!;
      expect((await valuesOf(rigged.client, input!.payloads))[0]).toEqual({ n: 1 });
    },
  );

  it('started manually without a journey fails with a clear error', async () => {
    const { taskQueue } = rigged.config.temporal;
    const ended = rigged.client.workflow.execute('checkout', { workflowId: `by-hand-${taskQueue}`, taskQueue });
    await expect(ended).rejects.toMatchObject({ cause: { type: 'JOURNEY_MISSING' } });
  });

  it('of ours that a worker does not know fails the task, so that a newer worker can execute it', async () => {
    const { taskQueue } = rigged.config.temporal;
    const workflowId = `unknown-${taskQueue}`;
    const handle = await rigged.client.workflow.start('journeyman.later', { workflowId, taskQueue });
    const failed = async () =>
      (await handle.fetchHistory()).events!.some((event) => event.workflowTaskFailedEventAttributes);
    await expect.poll(failed).toBe(true);
    expect((await handle.describe()).status.name).toBe('RUNNING');
    await handle.terminate();
  });
});
