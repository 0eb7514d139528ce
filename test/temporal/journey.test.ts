import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { valuesOf } from './support/encryption.js';
import { type Rig, rig } from './support/rig.js';

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

  it('runs to its end and answers with the outcome in one round trip', async () => {
    const view = await it_.start(greeting, { name: 'Ada' });
    expect(view).toMatchObject({ phase: 'SUCCEEDED', journeyName: 'greeting' });
    expect(view.outcome).toMatchObject({
      output: { text: 'Hello Ada', status: 'GREETED' },
      status: 'GREETED',
      terminatedAtState: 'done',
    });
    expect((await it_.runs.result(view.id)).outcome).toEqual(view.outcome);
  });

  it('closes as failed with the error code as failure type', async () => {
    const view = await it_.start(greeting, { name: '' });
    expect(view.outcome).toMatchObject({
      phase: 'FAILED',
      error: { code: 'NOBODY', reason: 'There is nobody to greet' },
    });
    const description = await it_.client.workflow.getHandle(view.id).describe();
    expect(description.status.name).toBe('FAILED');
    expect((await it_.runs.result(view.id)).outcome).toEqual(view.outcome);
  });

  it('is told of by what Temporal knows while the run cannot answer itself', async () => {
    const id = `broken-${process.pid}`;
    await it_.client.workflow.start('journey', {
      workflowId: id,
      taskQueue: it_.config.temporal.taskQueue,
      args: [{ interpreter: 'none', definition: {} }],
      memo: { journey: { links: true, cancellable: true, tags: ['odd'], start: 'decide', definition: 'x' } },
    });
    const failures = async () => {
      const { events = [] } = await it_.client.workflow.getHandle(id).fetchHistory();
      return events!.filter((event) => event.workflowTaskFailedEventAttributes).length;
    };
    await expect.poll(failures).toBeGreaterThan(0);
    expect(await it_.runs.status(id)).toMatchObject({
      phase: 'RUNNING',
      status: { currentState: 'decide', tags: ['odd'] },
    });
    await it_.client.workflow.getHandle(id).terminate();
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

  it.each(['checkout', 'constructor', 'maintenance', 'default', 'journey', 'run-now'])(
    'is its journey’s name, also %s, and its first argument what the caller sent',
    async (name) => {
      const { id, outcome } = await rigged.start(named(name), { n: 1 });
      expect(outcome).toMatchObject({ phase: 'SUCCEEDED', output: { n: 1 } });
      const handle = rigged.client.workflow.getHandle(id);
      expect((await handle.describe()).type).toBe(name);
      const { events } = await handle.fetchHistory();
      const { input } = events![0]!.workflowExecutionStartedEventAttributes!;
      expect((await valuesOf(rigged.client, input!.payloads))[0]).toEqual({ n: 1 });
    },
  );

  it.each(['checkout', 'toString', 'constructor'])('%s started by hand ends with a clear error', async (type) => {
    const { taskQueue } = rigged.config.temporal;
    const ended = rigged.client.workflow.execute(type, { workflowId: `by-hand-${type}-${taskQueue}`, taskQueue });
    await expect(ended).rejects.toMatchObject({ cause: { type: 'JOURNEY_MISSING' } });
  });

  it('of ours that a worker does not know fails the task, so that a newer worker can take it', async () => {
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
