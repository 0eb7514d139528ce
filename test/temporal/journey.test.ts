import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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
    await expect.poll(failures, { timeout: 10_000 }).toBeGreaterThan(0);
    expect(await it_.runs.status(id)).toMatchObject({
      phase: 'RUNNING',
      status: { currentState: 'decide', tags: ['odd'] },
    });
    await it_.client.workflow.getHandle(id).terminate();
  });
});
