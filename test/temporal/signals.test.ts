import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { type Rig, rig } from './support/rig.js';

const asking = `
apiVersion: v1
kind: Journey
metadata: { name: asking, version: 1.0.0 }
spec:
  start: first
  states:
    first: { type: wait, wait: { channel: manual, input: { schema: { type: object, required: [ok] } }, timeoutSec: 3600, onTimeout: late }, next: second }
    second: { type: wait, wait: { channel: manual, input: { schema: true }, timeoutSec: 3600, onTimeout: late }, next: done }
    late: { type: fail, errorCode: LATE, reason: Nobody came }
    done: { type: succeed }
`;

let rigged: Rig;
beforeAll(async () => {
  rigged = await rig();
});
afterAll(() => rigged.stop());

it('runs survive worker restarts between steps and signals without effect', async () => {
  const { journeyId } = await rigged.start(asking, {});
  const handle = rigged.client.workflow.getHandle(journeyId);
  const tasks = async () =>
    (await handle.fetchHistory()).events!.filter((it) => it.workflowTaskCompletedEventAttributes).length;
  const taken = (count: number) => eventually(tasks, (done) => done >= count);
  // Each is a workflow task without commands.
  await handle.signal('first', 'rubbish');
  await taken(2);
  await handle.signal('first', 'rubbish again');
  await taken(3);
  await rigged.restartWorker();
  const step = (stepId: string) =>
    rigged.runs.submit({ id: journeyId, stepId, payload: { ok: true }, caller: 'test', headers: {} });
  expect(await step('first')).toMatchObject({ steps: ['second'] });
  await rigged.restartWorker();
  await handle.signal('nobody', 'knows this');
  await taken(5);
  await rigged.restartWorker();
  expect(await step('second')).toMatchObject({ phase: 'SUCCEEDED' });
});

it('signals and updates that are undecodable or binary have no effect, also for a step without a schema', async () => {
  const { journeyId } = await rigged.start(asking, {});
  const { workflowService, options } = rigged.client;
  const { namespace } = options;
  const payload = (encoding: string) => ({ metadata: { encoding: Buffer.from(encoding) }, data: Buffer.from('{"not') });
  const workflowExecution = { workflowId: journeyId };
  const signal = (signalName: string, encoding: string) =>
    workflowService.signalWorkflowExecution({
      namespace,
      workflowExecution,
      signalName,
      input: { payloads: [payload(encoding)] },
    });
  for (const encoding of ['binary/unknown', 'json/plain', 'binary/plain'])
    for (const name of ['first', 'second', 'nobody', '__temporal_own', '__stack_trace']) await signal(name, encoding);
  for (const encoding of ['binary/unknown', 'json/plain'])
    await workflowService
      .updateWorkflowExecution({
        namespace,
        workflowExecution,
        waitPolicy: { lifecycleStage: 3 },
        request: {
          meta: { updateId: encoding, identity: 'test' },
          input: { name: 'submitStep', args: { payloads: [payload(encoding)] } },
        },
      })
      .catch(() => undefined);
  for (const stepId of ['first', 'second'])
    await rigged.runs.submit({ id: journeyId, stepId, payload: { ok: true }, caller: 'test', headers: {} });
  expect(await rigged.runs.status(journeyId)).toMatchObject({ phase: 'SUCCEEDED' });
});
