import { type Client, WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { expect, it } from 'vitest';
import { deployPipelines } from '../../../src/app/deploy-pipelines.js';
import { updatePipeline } from '../../../src/temporal/pipelines/send-pipeline-messages.js';

/** A client whose updates have these results, one after another. */
function answering(...ends: unknown[]): { client: Client; sent: () => number } {
  let sent = 0;
  const executeUpdate = async () => {
    const end = ends[sent++];
    if (end instanceof Error) throw end;
    return end;
  };
  const client = {
    withDeadline: (_: number, work: () => unknown) => work(),
    workflow: { getHandle: () => ({ executeUpdate }) },
  };
  return { client: client as unknown as Client, sent: () => sent };
}

function failed(type: string): WorkflowUpdateFailedError {
  const cause = ApplicationFailure.create({ type, message: 'The update was not processed.', nonRetryable: true });
  return new WorkflowUpdateFailedError('Workflow Update failed', cause);
}

it.each(['UnprocessedUpdate', 'AcceptedUpdateCompletedWorkflow'])(
  'GAP-10 an update that the pipeline never accepted is repeated (%s)',
  async (type) => {
    const { client, sent } = answering(failed(type), failed(type), { ok: true });
    expect(await updatePipeline(client, 'queue', 'inbox', 'deploy', {})).toEqual({ ok: true });
    expect(sent()).toBe(3);
  },
);

it('GAP-10 an update that the pipeline rejects is not repeated', async () => {
  const { client, sent } = answering(failed('PIPELINE_MESSAGE_INVALID'));
  await expect(updatePipeline(client, 'queue', 'inbox', 'deploy', {})).rejects.toThrow('Workflow Update failed');
  expect(sent()).toBe(1);
});

it('GAP-10 a failed deployment is a line with its cause, and the next one is deployed', async () => {
  const entry = (name: string) => ({ definition: { name }, hash: name });
  const library = { pipelines: () => ['a', 'b'].map(entry), findings: [] } as never;
  const lines = await deployPipelines({ pipelines: { deployer: 'me' }, specs: '.' } as never, library, {
    deploy: async ({ definition: { name } }) => {
      if (name === 'a') throw failed('Unknown');
      return { name, version: '1.0.0', result: 'created', schedules: [] };
    },
    removeOthers: async () => [],
  });
  expect(lines).toMatchObject([
    { name: 'a', problem: { code: 'PIPELINE_DEPLOY_FAILED', detail: 'Workflow Update failed' } },
    { name: 'b', result: 'created' },
  ]);
});
